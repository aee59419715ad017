-- What the robot told unasked, until a person was told and some time after: told_at is empty while nobody was.
CREATE TABLE announcements (
    key          TEXT PRIMARY KEY,
    at           REAL NOT NULL,
    text         TEXT NOT NULL,
    about        TEXT NOT NULL,
    conversation TEXT NOT NULL DEFAULT '',
    person       TEXT NOT NULL DEFAULT '',
    told_at      REAL,
    told_by      TEXT NOT NULL DEFAULT ''
);
CREATE INDEX announcements_by_time ON announcements (at);
