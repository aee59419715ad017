-- Who is who. An id is the name in small letters; '' is somebody who has not said who they are.
CREATE TABLE people (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    created_at    REAL NOT NULL,
    seen_at       REAL NOT NULL,
    introduced_at REAL -- when they told their name to a robot that did not know who was speaking
);

-- A turn, a conversation and the words of a call belong to somebody, so that they can be erased for them.
ALTER TABLE turns ADD COLUMN person TEXT NOT NULL DEFAULT '';
UPDATE turns SET person = (SELECT c.person FROM conversations c WHERE c.id = turns.conversation);
CREATE INDEX turns_by_person ON turns (person, started_at);
ALTER TABLE conversations ADD COLUMN introduced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE audit_content ADD COLUMN conversation TEXT NOT NULL DEFAULT '';

-- What is remembered. `key` names what can have one value only, so that a newer one takes its place; the older one
-- stays, marked.
CREATE TABLE memories (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,
    person        TEXT NOT NULL DEFAULT '',
    type          TEXT NOT NULL
        CHECK (type IN ('fact', 'preference', 'event', 'observation', 'conversation', 'task')),
    content       TEXT NOT NULL,
    plain         TEXT NOT NULL,
    key           TEXT NOT NULL DEFAULT '',
    value         TEXT NOT NULL DEFAULT '',
    about         TEXT NOT NULL DEFAULT '', -- words it is looked for by, beside its own: home, allergies
    source        TEXT NOT NULL CHECK (source IN ('told', 'heard', 'summary')),
    conversation  TEXT NOT NULL DEFAULT '',
    turn          TEXT NOT NULL DEFAULT '',
    created_at    REAL NOT NULL,
    told_at       REAL NOT NULL,
    times         INTEGER NOT NULL DEFAULT 1,
    superseded_by TEXT,
    superseded_at REAL
);
CREATE INDEX memories_by_person ON memories (person, created_at);
CREATE INDEX memories_by_plain ON memories (person, plain);
CREATE INDEX memories_by_key ON memories (person, key) WHERE key <> '';
CREATE INDEX memories_by_conversation ON memories (conversation);

CREATE VIRTUAL TABLE memories_text USING fts5 (
    content, about, content = 'memories', content_rowid = 'seq', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
    INSERT INTO memories_text (rowid, content, about) VALUES (NEW.seq, NEW.content, NEW.about);
END;
CREATE TRIGGER memories_gone AFTER DELETE ON memories BEGIN
    INSERT INTO memories_text (memories_text, rowid, content, about) VALUES ('delete', OLD.seq, OLD.content, OLD.about);
END;
CREATE TRIGGER memories_changed AFTER UPDATE OF content ON memories BEGIN
    INSERT INTO memories_text (memories_text, rowid, content, about) VALUES ('delete', OLD.seq, OLD.content, OLD.about);
    INSERT INTO memories_text (rowid, content, about) VALUES (NEW.seq, NEW.content, NEW.about);
    DELETE FROM vectors WHERE memory = NEW.seq;
END;

-- One vector in half precision for each memory, and the model that made it. `seq` only grows: what is new is after it.
CREATE TABLE vectors (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    memory INTEGER NOT NULL UNIQUE REFERENCES memories (seq) ON DELETE CASCADE,
    model  TEXT NOT NULL,
    vector BLOB NOT NULL
);

-- What is known about somebody, by key; a value that was replaced has an end.
CREATE TABLE profile (
    person TEXT NOT NULL,
    key    TEXT NOT NULL,
    value  TEXT NOT NULL,
    memory INTEGER REFERENCES memories (seq) ON DELETE CASCADE,
    since  REAL NOT NULL,
    until  REAL
);
CREATE INDEX profile_by_person ON profile (person, key);

-- Services somebody uses with this robot: that they are connected, never how.
CREATE TABLE services (
    person     TEXT NOT NULL,
    name       TEXT NOT NULL,
    status     TEXT NOT NULL CHECK (status IN ('connected', 'disconnected', 'failed')),
    updated_at REAL NOT NULL,
    PRIMARY KEY (person, name)
);

-- What a conversation was about, for each who took part; its text is a memory, so that it can be found.
CREATE TABLE summaries (
    conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    person       TEXT NOT NULL,
    memory       TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    topics       TEXT NOT NULL DEFAULT '[]',
    turns        INTEGER NOT NULL,
    started_at   REAL NOT NULL,
    ended_at     REAL NOT NULL,
    PRIMARY KEY (conversation, person)
);
CREATE TRIGGER conversations_gone AFTER DELETE ON conversations BEGIN
    DELETE FROM memories WHERE conversation = OLD.id AND type = 'conversation';
END;
