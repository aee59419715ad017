"""The turns of the store with what people said about them: rewards, and what was done in place of a call.

Only what still exists is read: feedback about a turn that was deleted, or erased with its person, is left out.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reachy_mind.feedback.meant import read_meant
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
WHERE t.conversation IN (SELECT a.conversation FROM turns a JOIN feedback f ON a.id IN (f.about_turn, f.turn))
ORDER BY t.started_at, t.rowid"""
_FEEDBACK = "SELECT * FROM feedback WHERE about_turn <> '' OR turn <> '' ORDER BY id"
_LESSONS = "SELECT at, kind, feedback, conversation, person, words, undone_at FROM lessons ORDER BY id"


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
    replacement: CallCorrection | None = None
    """None when nothing was done in place of one of its calls."""
    complained: bool = False
    """Whether somebody wanted it otherwise, also when nothing came of that."""

    @property
    def went_well(self) -> bool:
        return self.done and all(call.succeeded for call in self.calls)


@dataclass(frozen=True)
class CallCorrection:
    """A call that was corrected, and the turn in which it was done as the person wanted it. No tool: all calls."""

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
        taught = _Taught(db.execute(_LESSONS))
        rows = [dict(row) | {"lessons": taught.by(row)} for row in db.execute(_FEEDBACK)]
        stored = [dict(row) for row in db.execute(_TURNS)]
        names = tuple(sorted(_names(db)))
    read = RatedTurns(names=names, feedback=len(rows))
    about = _by_turn(rows, stored)
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


class _Taught:
    """Finds what was learned from feedback.

    Lessons that were taught in a turn are stored before the feedback in it is, and do not name it: they are found by
    the words, the latest before the feedback.
    """

    def __init__(self, lessons: Iterable[sqlite3.Row]) -> None:
        self._named: dict[int, list[sqlite3.Row]] = {}
        self._said: dict[tuple[str, str, str], list[sqlite3.Row]] = {}
        for lesson in lessons:
            if lesson["feedback"] is not None:
                self._named.setdefault(lesson["feedback"], []).append(lesson)
            else:
                key = lesson["conversation"], lesson["person"], lesson["words"]
                self._said.setdefault(key, []).append(lesson)

    def by(self, feedback: sqlite3.Row) -> list[sqlite3.Row]:
        key = feedback["conversation"], feedback["person"], feedback["text"]
        said = [lesson for lesson in self._said.get(key, ()) if lesson["at"] <= feedback["at"]]
        latest = max((lesson["at"] for lesson in said), default=0.0)
        return [*self._named.get(feedback["id"], ()), *(lesson for lesson in said if lesson["at"] == latest)]


def _by_turn(feedback: Iterable[dict[str, Any]], turns: Iterable[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Feedback by the turn that it is about. Words that tell what was meant are about the whole turn before."""
    previous, latest = dict[str, str](), dict[str, str]()
    for turn in turns:
        if turn["said"]:
            previous[turn["id"]] = latest.get(turn["conversation"], "")
            latest[turn["conversation"]] = turn["id"]
    about: dict[str, list[dict[str, Any]]] = {}
    for row in feedback:
        meant = bool(previous.get(row["turn"])) and (
            read_meant(row["text"]) is not None or any(lesson["kind"] == "choice" for lesson in row["lessons"])
        )
        taken = row | {"meant": meant} | ({"about_turn": previous[row["turn"]], "about_tool": ""} if meant else {})
        about.setdefault(taken["about_turn"], []).append(taken)
    return about


def _names(db: sqlite3.Connection) -> Iterable[str]:
    for sql in ("SELECT name FROM people", "SELECT value FROM profile WHERE key = 'name'"):
        yield from (row[0] for row in db.execute(sql) if row[0].strip())


def _turn(
    row: Mapping[str, Any], past: tuple[RatedTurn, ...], feedback: list[dict[str, Any]], known: set[str]
) -> RatedTurn:
    calls = tuple(_call(call) for call in json.loads(row["tools"]))
    corrections = [each for each in feedback if _is_correction(each)]
    valid = [each for each in corrections if not _is_withdrawn(each["lessons"])]
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


def _is_withdrawn(lessons: Sequence[sqlite3.Row]) -> bool:
    """Whether something was learned and all of it was undone."""
    return bool(lessons) and all(lesson["undone_at"] is not None for lesson in lessons)


def _is_correction(feedback: Mapping[str, Any]) -> bool:
    """Whether it says what to do instead, not only how it was."""
    return bool(json.loads(feedback["correction"]) or feedback["meant"])


def _replacement(
    feedback: Mapping[str, Any], calls: tuple[StoredCall, ...], turn: str, known: set[str]
) -> CallCorrection | None:
    """None when the correction was not carried out in a turn that is known."""
    if not feedback["turn"] or feedback["turn"] == turn or feedback["turn"] not in known:
        return None
    if feedback["about_tool"] or feedback["meant"]:
        return CallCorrection(feedback["about_tool"], json.loads(feedback["about_args"]), feedback["turn"])
    return CallCorrection(calls[0].name, calls[0].args, feedback["turn"]) if len(calls) == 1 else None


def _folded(person: str) -> str:
    return person_id(person) if person else ""
