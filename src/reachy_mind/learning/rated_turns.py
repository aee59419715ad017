"""The turns of the store with what people said about them: rewards, and what was done in place of a call.

Only what still exists is read: feedback about a turn that was deleted, or erased with its person, is left out.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reachy_mind.memory.people import person_id
from reachy_mind.storage.snapshot import open_for_reading

MOST_HISTORY = 12
"""Earlier turns of a conversation that a turn is read with."""
LEAST_CONFIDENCE = 0.5
"""Of a reward that was read from words: below this, a turn counts as not rated."""
EXPLICIT = frozenset(("stop", "button", "rating"))
"""Sources of a reward that was given, not read from words: they count more."""
_TURNS = """
SELECT t.id, t.conversation, t.person, t.said, t.reply, t.tools, t.state, c.profile
FROM turns t JOIN conversations c ON c.id = t.conversation
WHERE t.conversation IN (SELECT a.conversation FROM turns a JOIN feedback f ON f.about_turn = a.id)
ORDER BY t.started_at, t.rowid"""
_FEEDBACK = """
SELECT f.*, (SELECT count(*) FROM lessons l WHERE l.feedback = f.id) AS lessons,
    (SELECT count(*) FROM lessons l WHERE l.feedback = f.id AND l.undone_at IS NULL) AS valid,
    (SELECT count(*) FROM lessons l WHERE l.feedback = f.id AND l.kind = 'choice') AS choices
FROM feedback f WHERE f.about_turn <> '' ORDER BY f.id"""


@dataclass(frozen=True)
class StoredCall:
    """A tool call of a turn. `args`: those given, and those that were learned for it."""

    name: str
    args: Mapping[str, Any]
    status: str = "ok"
    data: Any = None

    @property
    def succeeded(self) -> bool:
        return self.status in ("ok", "started")

    @property
    def key(self) -> str:
        """The same for the same call."""
        return json.dumps([self.name, self.args], sort_keys=True)


@dataclass(frozen=True)
class RatedTurn:
    """A turn; `reward` is None when nobody rated it."""

    id: str
    conversation: str
    person: str
    profile: str
    said: str
    reply: str
    calls: tuple[StoredCall, ...]
    done: bool
    history: tuple[RatedTurn, ...] = ()
    """Turns of the same conversation before it, oldest first."""
    reward: float | None = None
    replacement: Replacement | None = None
    """None when nothing was done in place of one of its calls."""
    complained: bool = False
    """Whether somebody wanted it otherwise, also when nothing came of that."""

    @property
    def went_well(self) -> bool:
        return self.done and all(call.succeeded for call in self.calls)


@dataclass(frozen=True)
class Replacement:
    """A call that was corrected, and the turn in which it was done as the person wanted it."""

    tool: str
    args: Mapping[str, Any]
    turn: str


@dataclass
class RatedTurns:
    """What was read from a store."""

    turns: dict[str, RatedTurn] = field(default_factory=dict)
    """By id, oldest first."""
    names: tuple[str, ...] = ()
    """Names of people who are known, in any order of theirs."""
    feedback: int = 0
    damaged: int = 0
    """Rows that could not be read."""


def read_rated_turns(file: Path) -> RatedTurns:
    """Read a store, also while a mind uses it. Raises DatabaseError."""
    with open_for_reading(file) as db:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'feedback'").fetchone():
            return RatedTurns()  # of a version before feedback
        rows = [dict(row) for row in db.execute(_FEEDBACK)]
        stored = [dict(row) for row in db.execute(_TURNS)]
        names = tuple(sorted(_names(db)))
    read = RatedTurns(names=names, feedback=len(rows))
    about: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        about.setdefault(row["about_turn"], []).append(row)
    before: dict[str, tuple[RatedTurn, ...]] = {}
    known = {row["id"] for row in stored}
    for row in stored:
        past = before.get(row["conversation"], ())
        try:
            turn = _turn(row, past, about.get(row["id"], []), known)
        except (ValueError, TypeError, KeyError):
            read.damaged += 1
            continue
        read.turns[turn.id] = turn
        before[row["conversation"]] = (*past, turn)[-MOST_HISTORY:]
    return read


def _names(db: sqlite3.Connection) -> Iterable[str]:
    for sql in ("SELECT name FROM people", "SELECT value FROM profile WHERE key = 'name'"):
        yield from (row[0] for row in db.execute(sql) if row[0].strip())


def _turn(
    row: Mapping[str, Any], past: tuple[RatedTurn, ...], feedback: list[dict[str, Any]], known: set[str]
) -> RatedTurn:
    calls = tuple(_call(call) for call in json.loads(row["tools"]))
    corrections = [each for each in feedback if _is_correction(each)]
    valid = [each for each in corrections if each["valid"] or not each["lessons"]]
    replacement = next((found for each in valid if (found := _replacement(each, calls, row["id"], known))), None)
    return RatedTurn(
        id=row["id"],
        conversation=row["conversation"],
        person=_folded(row["person"]),
        profile=row["profile"],
        said=row["said"],
        reply=row["reply"],
        calls=calls,
        done=row["state"] == "done",
        history=past,
        reward=_reward(feedback),
        replacement=replacement,
        complained=bool(corrections),
    )


def _call(call: Mapping[str, Any]) -> StoredCall:
    data = call.get("data")
    learned = data.get("learned") if isinstance(data, dict) else None
    args = dict(call["args"]) | (learned if isinstance(learned, dict) else {})
    return StoredCall(call["name"], args, call["status"], data)


def _reward(feedback: list[dict[str, Any]]) -> float | None:
    """The latest that was given, else the latest that was read from words with enough confidence."""
    given = [each for each in feedback if each["source"] in EXPLICIT]
    read = [each for each in feedback if each["confidence"] >= LEAST_CONFIDENCE]
    latest = (given or read)[-1:]
    return float(latest[0]["reward"]) if latest else None


def _is_correction(feedback: Mapping[str, Any]) -> bool:
    """Whether it says what to do instead, not only how it was."""
    return bool(json.loads(feedback["correction"]) or feedback["choices"])


def _replacement(
    feedback: Mapping[str, Any], calls: tuple[StoredCall, ...], turn: str, known: set[str]
) -> Replacement | None:
    """None when the correction was not carried out in a turn that is known."""
    if not feedback["turn"] or feedback["turn"] == turn or feedback["turn"] not in known:
        return None
    if feedback["about_tool"]:
        return Replacement(feedback["about_tool"], json.loads(feedback["about_args"]), feedback["turn"])
    return Replacement(calls[0].name, calls[0].args, feedback["turn"]) if len(calls) == 1 else None


def _folded(person: str) -> str:
    return person_id(person) if person else ""
