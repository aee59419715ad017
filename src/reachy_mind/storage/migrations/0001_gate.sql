-- What was decided and done, in a chain of hashes. What a person said or did is not in it, only digests of that.
CREATE TABLE audit (
    seq         INTEGER PRIMARY KEY,
    at          REAL NOT NULL,
    call_id     TEXT NOT NULL,
    step        TEXT NOT NULL CHECK (step IN ('asked', 'decided', 'ended', 'pruned')),
    tool        TEXT NOT NULL,
    tier        INTEGER NOT NULL,
    status      TEXT NOT NULL,
    code        TEXT NOT NULL DEFAULT '',
    caller      TEXT NOT NULL,
    channel     TEXT NOT NULL,
    by          TEXT NOT NULL DEFAULT '',
    duration_ms REAL NOT NULL DEFAULT 0,
    digest      TEXT NOT NULL DEFAULT '',
    previous    TEXT NOT NULL,
    hash        TEXT NOT NULL
);
CREATE INDEX audit_by_call ON audit (call_id);
CREATE INDEX audit_by_time ON audit (at);

-- The words themselves, which can be erased without breaking the chain.
CREATE TABLE audit_content (
    call_id   TEXT PRIMARY KEY,
    person    TEXT NOT NULL DEFAULT '',
    arguments TEXT NOT NULL,
    result    TEXT NOT NULL DEFAULT ''
);
CREATE INDEX audit_content_by_person ON audit_content (person);

CREATE TABLE tasks (
    id           TEXT PRIMARY KEY,
    tool         TEXT NOT NULL,
    description  TEXT NOT NULL,
    conversation TEXT NOT NULL DEFAULT '',
    state        TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed', 'cancelled', 'interrupted')),
    progress     REAL NOT NULL DEFAULT 0,
    message      TEXT NOT NULL DEFAULT '',
    result       TEXT NOT NULL DEFAULT '',
    started_at   REAL NOT NULL,
    ended_at     REAL
);
CREATE INDEX tasks_by_start ON tasks (started_at);

CREATE TABLE timers (
    id           TEXT PRIMARY KEY,
    kind         TEXT NOT NULL CHECK (kind IN ('timer', 'reminder')),
    due_at       REAL NOT NULL,
    message      TEXT NOT NULL,
    conversation TEXT NOT NULL DEFAULT '',
    person       TEXT NOT NULL DEFAULT '',
    created_at   REAL NOT NULL,
    state        TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'fired', 'cancelled'))
);
CREATE INDEX timers_by_due ON timers (state, due_at);

CREATE TABLE conversations (
    id         TEXT PRIMARY KEY,
    person     TEXT NOT NULL DEFAULT '',
    profile    TEXT NOT NULL DEFAULT '',
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL
);

-- A turn is written when it begins, so that one that was cut short by a crash is known.
CREATE TABLE turns (
    id              TEXT PRIMARY KEY,
    conversation    TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    said            TEXT NOT NULL,
    reply           TEXT NOT NULL DEFAULT '',
    brain           TEXT NOT NULL DEFAULT '',
    tools           TEXT NOT NULL DEFAULT '[]',
    state           TEXT NOT NULL CHECK (state IN ('thinking', 'done', 'failed', 'interrupted')),
    error           TEXT NOT NULL DEFAULT '',
    started_at      REAL NOT NULL,
    ended_at        REAL,
    latency_ms      REAL
);
CREATE INDEX turns_by_conversation ON turns (conversation, started_at);
