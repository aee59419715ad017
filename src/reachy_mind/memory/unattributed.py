"""Rows of the database that have a person's words without saying that they are theirs: found by value.

`erase` deletes those that belong to nobody; `mentions` counts what stays, because it belongs to somebody else.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from reachy_mind.memory.personal_words import PersonalWords

OF_OTHERS = "told by somebody else"
_NOBODYS = (
    "person = '' AND NOT EXISTS (SELECT 1 FROM conversations c JOIN turns t ON t.conversation = c.id"
    " WHERE c.id = {table}.conversation AND t.person NOT IN ('', :person))"
)
"""Rows without a person, not in a conversation in which somebody else spoke."""
_LOGS = {
    # What was called and reported is a log: here a rare word is enough.
    "calls": ("audit_content", f"{_NOBODYS} AND (shares_words(arguments) OR shares_words(result))"),
    "announcements": ("announcements", "person = '' AND shares_words(text)"),
    "tasks": ("tasks", "shares_words(description) OR shares_words(message) OR shares_words(result)"),
}
_TOLD = {
    # What somebody without a name told may be theirs alone: here it takes a name or a whole sentence.
    "timers": ("timers", "person = '' AND quotes_person(message)"),
    "memories": ("memories", "person = '' AND quotes_person(content)"),
    "feedback": ("feedback", "person = '' AND (quotes_person(text) OR quotes_person(about_args))"),
    "lessons": (
        "lessons",
        "person = '' AND (quotes_person(words) OR quotes_person(label) OR quotes_person(situation))",
    ),
    "turns": (
        "turns",
        """(person = '' AND (quotes_person(said) OR quotes_person(reply)))
            OR (said = '' AND brain = 'announcement' AND quotes_person(reply))""",
    ),
    "conversations": (
        "conversations",
        """person = '' AND names_person(id)
            AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.conversation = conversations.id)""",
    ),
}
_HEARD_BY_OTHERS = (
    "UPDATE turns SET reply = '(erased)', tools = '[]' WHERE tells_reminder(reply) OR tells_reminder(tools)",
    "DELETE FROM audit_content WHERE tells_reminder(result)",
)
"""A reminder is told to whoever is there, and stands in what the robot answered them."""
_OF_OTHERS = {
    "memories": ("memories", "names_person(content)"),
    "turns": ("turns", "names_person(said) OR names_person(reply) OR names_person(tools)"),
    "calls": ("audit_content", "names_person(arguments) OR names_person(result)"),
    "timers": ("timers", "names_person(message)"),
    "announcements": ("announcements", "names_person(text)"),
    "profile": ("profile", "names_person(value)"),
    "feedback": ("feedback", "names_person(text) OR names_person(about_args)"),
    "lessons": ("lessons", "names_person(words) OR names_person(label) OR names_person(situation)"),
}


def erase(db: sqlite3.Connection, person: str, words: PersonalWords, *, everywhere: bool) -> dict[str, int]:
    """Delete the rows of nobody that have the person's words; with `everywhere`, all rows that name them."""
    _add_functions(db, words)
    counts: dict[str, int] = {}
    for tables in (_LOGS, _TOLD, _OF_OTHERS if everywhere else {}):
        for what, (table, where) in tables.items():
            sql = f"DELETE FROM {table} WHERE {where.format(table=table)}"  # noqa: S608 -- our own tables
            counts[what] = counts.get(what, 0) + db.execute(sql, {"person": person}).rowcount
    for sql in _HEARD_BY_OTHERS:
        db.execute(sql)
    return counts


def mentions(db: sqlite3.Connection, words: PersonalWords) -> list[dict[str, Any]]:
    """What still names the person, whose it is, and why it stays."""
    if not words.names and not words.capitals:
        return []
    _add_functions(db, words)
    found: list[dict[str, Any]] = []
    for what, (table, where) in _OF_OTHERS.items():
        rows = db.execute(f"SELECT person, count(*) AS n FROM {table} WHERE {where} GROUP BY person")  # noqa: S608
        found += [{"what": what, "of": row["person"], "count": row["n"], "why": OF_OTHERS} for row in rows]
    chain = sum(_names_person_in_chain(row, words) for row in db.execute("SELECT * FROM audit"))
    if chain:
        why = "the audit's chain can't be changed: who said yes, a token's or a program's name, an id it chose"
        found.append({"what": "audit rows", "of": "", "count": chain, "why": why})
    return found


def _names_person_in_chain(row: sqlite3.Row, words: PersonalWords) -> bool:
    columns = set(row.keys()) - {"digest", "previous", "hash"}
    return any(words.names_person(row[name]) for name in columns if isinstance(row[name], str) and row[name])


def _add_functions(db: sqlite3.Connection, words: PersonalWords) -> None:
    for function in (words.names_person, words.quotes_person, words.shares_words, words.tells_reminder):
        db.create_function(function.__name__, 1, function, deterministic=True)
