-- What people said about what the robot did. about_* is empty where it was about no action that is known; words_reward
-- is what the words say of which the reward was given as a number, too.
CREATE TABLE feedback (
    id           INTEGER PRIMARY KEY,
    at           REAL NOT NULL,
    person       TEXT NOT NULL DEFAULT '',
    conversation TEXT NOT NULL DEFAULT '',
    turn         TEXT NOT NULL DEFAULT '',
    channel      TEXT NOT NULL,
    text         TEXT NOT NULL DEFAULT '',
    reward       REAL NOT NULL,
    confidence   REAL NOT NULL,
    source       TEXT NOT NULL,
    correction   TEXT NOT NULL DEFAULT '[]',
    about_turn   TEXT NOT NULL DEFAULT '',
    about_tool   TEXT NOT NULL DEFAULT '',
    about_args   TEXT NOT NULL DEFAULT '{}',
    situation    TEXT NOT NULL DEFAULT '{}',
    outcome      TEXT NOT NULL DEFAULT '',
    duration_ms  REAL,
    words_reward REAL
);
CREATE INDEX feedback_by_turn ON feedback (about_turn);
CREATE INDEX feedback_by_person ON feedback (person);

-- What was learned from it: a value of a parameter, arguments, or a choice. A lesson that was undone is kept as such.
CREATE TABLE lessons (
    id           INTEGER PRIMARY KEY,
    at           REAL NOT NULL,
    person       TEXT NOT NULL DEFAULT '',
    conversation TEXT NOT NULL DEFAULT '',
    kind         TEXT NOT NULL,
    tool         TEXT NOT NULL,
    parameter    TEXT NOT NULL DEFAULT '',
    situation    TEXT NOT NULL DEFAULT '{}',
    label        TEXT NOT NULL,
    words        TEXT NOT NULL DEFAULT '',
    feedback     INTEGER REFERENCES feedback (id) ON DELETE SET NULL,
    undone_at    REAL
);
CREATE INDEX lessons_by_person ON lessons (person);
