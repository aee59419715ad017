-- The audit with who called (`principal`: a token's name and id) and with rows about itself, which the table's CHECK did
-- not allow. `format` says which columns a row's hash covers: 1 as before, 2 from now on.
CREATE TABLE audit_2 (
    seq         INTEGER PRIMARY KEY,
    format      INTEGER NOT NULL DEFAULT 2,
    at          REAL NOT NULL,
    call_id     TEXT NOT NULL,
    step        TEXT NOT NULL CHECK (step IN ('asked', 'decided', 'ended', 'pruned', 'erased', 'broken', 'repaired')),
    tool        TEXT NOT NULL,
    tier        INTEGER NOT NULL,
    status      TEXT NOT NULL,
    code        TEXT NOT NULL DEFAULT '',
    caller      TEXT NOT NULL,
    channel     TEXT NOT NULL,
    principal   TEXT NOT NULL DEFAULT '',
    by          TEXT NOT NULL DEFAULT '',
    duration_ms REAL NOT NULL DEFAULT 0,
    digest      TEXT NOT NULL DEFAULT '',
    previous    TEXT NOT NULL,
    hash        TEXT NOT NULL
);
INSERT INTO audit_2 (seq, format, at, call_id, step, tool, tier, status, code, caller, channel, by, duration_ms, digest,
        previous, hash)
    SELECT seq, 1, at, call_id, step, tool, tier, status, code, caller, channel, by, duration_ms, digest, previous, hash
    FROM audit;
DROP TABLE audit;
ALTER TABLE audit_2 RENAME TO audit;
CREATE INDEX audit_by_call ON audit (call_id);
CREATE INDEX audit_by_time ON audit (at);

-- Makes a digest useless for guessing at content that was erased: it goes with the content.
ALTER TABLE audit_content ADD COLUMN salt TEXT NOT NULL DEFAULT '';

-- The last row of the chain: a chain whose end was cut off is shorter than this.
CREATE TABLE audit_anchor (
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    seq  INTEGER NOT NULL,
    hash TEXT NOT NULL
);
INSERT INTO audit_anchor (id, seq, hash) SELECT 1, seq, hash FROM audit ORDER BY seq DESC LIMIT 1;

-- Content that was erased, until the next row of the audit records it in the chain.
CREATE TABLE audit_erased (
    call_id TEXT PRIMARY KEY
);
CREATE TRIGGER audit_content_gone AFTER DELETE ON audit_content BEGIN
    INSERT OR IGNORE INTO audit_erased (call_id) VALUES (OLD.call_id);
END;

-- Written to find out whether anything can be written.
CREATE TABLE write_check (
    checks INTEGER NOT NULL
);
INSERT INTO write_check (checks) VALUES (0);
