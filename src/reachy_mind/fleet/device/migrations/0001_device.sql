-- Times are milliseconds since 1970. JSON is text.

CREATE TABLE write_check (checks INTEGER NOT NULL);
INSERT INTO write_check (checks) VALUES (0);

-- What this store is: the names of its numbering and of the hub's.
CREATE TABLE numbering (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  epoch TEXT NOT NULL,
  down_epoch TEXT
);

-- Events of each lane: the next number, what the hub has, what waits (kept by the triggers below), what was dropped.
CREATE TABLE up_lane (
  lane INTEGER PRIMARY KEY,
  next_seq INTEGER NOT NULL DEFAULT 1,
  acked INTEGER NOT NULL DEFAULT 0,
  events INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  dropped INTEGER NOT NULL DEFAULT 0
);
INSERT INTO up_lane (lane) VALUES (0), (1);

CREATE TABLE outbox (
  lane INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  prio INTEGER NOT NULL,
  ts INTEGER NOT NULL,
  re TEXT,
  body TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (lane, seq)
);
CREATE INDEX outbox_droppable ON outbox (seq) WHERE prio = 2;

CREATE TRIGGER outbox_added AFTER INSERT ON outbox BEGIN
  UPDATE up_lane SET events = events + 1, bytes = bytes + NEW.bytes WHERE lane = NEW.lane;
END;
CREATE TRIGGER outbox_removed AFTER DELETE ON outbox BEGIN
  UPDATE up_lane SET events = events - 1, bytes = bytes - OLD.bytes WHERE lane = OLD.lane;
END;

-- The highest number of each lane of the hub's that is stored.
CREATE TABLE down_lane (lane INTEGER PRIMARY KEY, high INTEGER NOT NULL DEFAULT 0);
INSERT INTO down_lane (lane) VALUES (0), (1);

-- Commands. `status` is NULL until one is handled; then its content is removed, its id is kept for a while.
CREATE TABLE inbox (
  arrival INTEGER PRIMARY KEY AUTOINCREMENT,
  lane INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  ts INTEGER NOT NULL,
  exp INTEGER,
  re TEXT,
  body TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  status TEXT,
  error TEXT NOT NULL DEFAULT ''
);
CREATE INDEX inbox_waiting ON inbox (lane, arrival) WHERE status IS NULL;

CREATE TABLE twin (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  desired TEXT,
  reported TEXT
);
INSERT INTO twin (only_row) VALUES (1);
