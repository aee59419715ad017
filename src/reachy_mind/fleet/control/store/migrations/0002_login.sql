-- Logins of browsers, the end of the audit's hash chain, and wrong enrolment codes.

CREATE TABLE login (
  sha256 TEXT PRIMARY KEY,
  operator TEXT NOT NULL REFERENCES operator (id),
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX login_expires ON login (expires_at);

-- One row: whoever appends to the audit changes it first, so that nodes take turns.
CREATE TABLE audit_head (
  one BIGINT PRIMARY KEY CHECK (one = 1),
  seq BIGINT NOT NULL,
  hash TEXT NOT NULL
);
INSERT INTO audit_head (one, seq, hash) VALUES (1, 0, '');

CREATE TABLE enrolment_attempt (
  address TEXT NOT NULL,
  at BIGINT NOT NULL
);
CREATE INDEX enrolment_attempt_at ON enrolment_attempt (at);
