-- Times are milliseconds since 1970. JSON is text. Both SQLite and PostgreSQL read this file.

CREATE TABLE write_check (checks BIGINT NOT NULL);
INSERT INTO write_check (checks) VALUES (0);

CREATE TABLE tenant (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL
);

-- People and programs that steer a tenant's devices. Only hashes of their keys are kept.
CREATE TABLE operator (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL REFERENCES tenant (id),
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'admin', 'platform')),
  sha256 TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  last_used_at BIGINT,
  UNIQUE (tenant, name)
);

CREATE TABLE device (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL REFERENCES tenant (id),
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  revoked_at BIGINT,
  boot TEXT,
  agent TEXT NOT NULL DEFAULT '',
  caps TEXT NOT NULL DEFAULT '[]',
  last_seen_at BIGINT,
  heartbeat TEXT,
  down_epoch TEXT NOT NULL,
  UNIQUE (tenant, name)
);

CREATE TABLE device_token (
  id TEXT PRIMARY KEY,
  device TEXT NOT NULL REFERENCES device (id),
  sha256 TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT
);
CREATE INDEX device_token_of ON device_token (device);

CREATE TABLE device_group (
  tenant TEXT NOT NULL REFERENCES tenant (id),
  name TEXT NOT NULL,
  PRIMARY KEY (tenant, name)
);

CREATE TABLE device_member (
  device TEXT NOT NULL REFERENCES device (id),
  group_name TEXT NOT NULL,
  PRIMARY KEY (device, group_name)
);

CREATE TABLE enrolment (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL REFERENCES tenant (id),
  code_sha256 TEXT NOT NULL,
  device_name TEXT NOT NULL,
  groups TEXT NOT NULL DEFAULT '[]',
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  used_at BIGINT,
  device TEXT
);
CREATE INDEX enrolment_code ON enrolment (code_sha256);

CREATE TABLE node (
  id TEXT PRIMARY KEY,
  started_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL
);

-- Which connection of a device is the one that counts: the one with the highest generation.
CREATE TABLE connection (
  device TEXT PRIMARY KEY REFERENCES device (id),
  generation BIGINT NOT NULL,
  conn TEXT NOT NULL,
  node TEXT NOT NULL,
  transport TEXT NOT NULL,
  connected_at BIGINT NOT NULL,
  closed_at BIGINT
);
CREATE INDEX connection_node ON connection (node);

-- Events of devices, and how far each device's numbering is stored.
CREATE TABLE uplink (
  device TEXT NOT NULL REFERENCES device (id),
  epoch TEXT NOT NULL,
  lane BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  id TEXT NOT NULL,
  tenant TEXT NOT NULL,
  type TEXT NOT NULL,
  prio BIGINT NOT NULL,
  ts BIGINT NOT NULL,
  re TEXT,
  body TEXT NOT NULL,
  received_at BIGINT NOT NULL,
  node TEXT NOT NULL,
  PRIMARY KEY (device, epoch, lane, seq)
);
-- An event keeps its id when its device begins a new epoch: it is stored once all the same.
CREATE UNIQUE INDEX uplink_event ON uplink (device, id);
CREATE INDEX uplink_recent ON uplink (tenant, received_at, id);

CREATE TABLE uplink_high (
  device TEXT NOT NULL REFERENCES device (id),
  epoch TEXT NOT NULL,
  lane BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  dropped BIGINT NOT NULL DEFAULT 0,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (device, epoch, lane)
);

-- Commands for devices.
CREATE TABLE downlink (
  device TEXT NOT NULL REFERENCES device (id),
  lane BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  tenant TEXT NOT NULL,
  type TEXT NOT NULL,
  prio BIGINT NOT NULL,
  ts BIGINT NOT NULL,
  expires_at BIGINT,
  re TEXT,
  body TEXT NOT NULL,
  created_by TEXT NOT NULL,
  acked_at BIGINT,
  done_at BIGINT,
  status TEXT,
  error TEXT,
  PRIMARY KEY (device, lane, seq)
);
CREATE INDEX downlink_waiting ON downlink (ts) WHERE acked_at IS NULL;

CREATE TABLE downlink_high (
  device TEXT NOT NULL REFERENCES device (id),
  lane BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  acked BIGINT NOT NULL,
  PRIMARY KEY (device, lane)
);

-- The state that a device should have, and the one that it has.
CREATE TABLE twin (
  device TEXT PRIMARY KEY REFERENCES device (id),
  version BIGINT NOT NULL,
  desired TEXT NOT NULL,
  desired_at BIGINT NOT NULL,
  desired_by TEXT NOT NULL,
  reported TEXT,
  reported_version BIGINT,
  reported_at BIGINT
);

-- Short sounds: what somebody said to a device, what a device is to play. They are removed after a while.
CREATE TABLE audio_clip (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL REFERENCES tenant (id),
  made_by TEXT NOT NULL,
  content BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX audio_clip_expiry ON audio_clip (expires_at);

-- Texts of personalities; each content has its SHA-256, and is never changed.
CREATE TABLE persona (
  tenant TEXT NOT NULL REFERENCES tenant (id),
  id TEXT NOT NULL,
  etag TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  PRIMARY KEY (tenant, id, etag)
);

CREATE TABLE rollout (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL REFERENCES tenant (id),
  persona TEXT NOT NULL,
  etag TEXT NOT NULL,
  wave_size BIGINT NOT NULL,
  max_failures BIGINT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'paused', 'done', 'rolled_back')),
  reason TEXT NOT NULL DEFAULT '',
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  changed_at BIGINT NOT NULL
);
CREATE INDEX rollout_recent ON rollout (tenant, created_at);

CREATE TABLE rollout_device (
  rollout TEXT NOT NULL REFERENCES rollout (id),
  device TEXT NOT NULL REFERENCES device (id),
  wave BIGINT NOT NULL,
  previous TEXT,
  version BIGINT,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'applied', 'failed', 'rolled_back', 'replaced')),
  error TEXT NOT NULL DEFAULT '',
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (rollout, device)
);
CREATE INDEX rollout_device_of ON rollout_device (device);

CREATE TABLE emergency (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL REFERENCES tenant (id),
  device TEXT NOT NULL REFERENCES device (id),
  state TEXT NOT NULL CHECK (state IN ('open', 'acknowledged', 'closed')),
  pressed_at BIGINT NOT NULL,
  received_at BIGINT NOT NULL,
  presses BIGINT NOT NULL,
  last_press_at BIGINT NOT NULL,
  message TEXT NOT NULL DEFAULT '',
  level BIGINT NOT NULL,
  next_at BIGINT,
  claimed_until BIGINT NOT NULL DEFAULT 0,
  acked_at BIGINT,
  acked_by TEXT,
  closed_at BIGINT,
  closed_by TEXT,
  note TEXT NOT NULL DEFAULT ''
);
CREATE INDEX emergency_recent ON emergency (tenant, received_at);
CREATE INDEX emergency_due ON emergency (next_at) WHERE state = 'open';

-- Whom an emergency was told, and with what outcome.
CREATE TABLE emergency_notice (
  id TEXT PRIMARY KEY,
  emergency TEXT NOT NULL REFERENCES emergency (id),
  level BIGINT NOT NULL,
  channel TEXT NOT NULL,
  target TEXT NOT NULL,
  at BIGINT NOT NULL,
  outcome TEXT NOT NULL
);
CREATE INDEX emergency_notice_of ON emergency_notice (emergency, at);

CREATE TABLE escalation (
  tenant TEXT PRIMARY KEY REFERENCES tenant (id),
  policy TEXT NOT NULL,
  changed_at BIGINT NOT NULL,
  changed_by TEXT NOT NULL
);

-- What operators did. Each row has the hash of the one before it.
CREATE TABLE audit (
  seq BIGINT PRIMARY KEY,
  tenant TEXT NOT NULL,
  at BIGINT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  object TEXT NOT NULL,
  outcome TEXT NOT NULL,
  address TEXT NOT NULL,
  hash TEXT NOT NULL
);
CREATE INDEX audit_recent ON audit (tenant, seq);
