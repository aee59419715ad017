"""`Lesson`: one thing that was learned from feedback, and the store of lessons.

A lesson is a label, not a model: what a person taught is computed from their lessons (`tuning`, `choices`), so that
undoing one is leaving it out. A row that can't be read is left out too, and counted.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from reachy_mind import log
from reachy_mind.errors import InvalidParameter
from reachy_mind.feedback.aim import GEOMETRY
from reachy_mind.feedback.learner import LARGEST
from reachy_mind.storage.database import Database

Kind = Literal["value", "arguments", "choice"]
"""A value of one parameter; arguments in place of others; what to do when something is asked for."""

_log = log.get(__name__)


@dataclass(frozen=True)
class Lesson:
    """What was learned, by whom it was taught, and from which words."""

    id: int
    at: float
    person: str
    kind: Kind
    tool: str
    parameter: str
    situation: Mapping[str, Any]
    """For which calls it holds: their arguments, or where the thing was that they looked at."""
    label: Mapping[str, Any]
    words: str
    feedback: int | None = None
    conversation: str = ""
    undone_at: float | None = None


@dataclass(frozen=True)
class NewLesson:
    """A lesson that is to be stored."""

    person: str
    kind: Kind
    tool: str
    label: Mapping[str, Any]
    parameter: str = ""
    situation: Mapping[str, Any] = field(default_factory=dict)
    words: str = ""
    feedback: int | None = None
    conversation: str = ""


class Lessons:
    """In the mind's database. It has no state of its own but the number of damaged rows."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.damaged = 0
        """Rows that could not be read at the last `all`."""

    async def add(self, new: Sequence[NewLesson]) -> list[Lesson]:
        """Store them together; on disk when this returns. Raises DatabaseError."""
        now = time.time()
        rows = [
            (now, each.person, each.conversation, each.kind, each.tool, each.parameter, _text(each.situation),
             _text(each.label), each.words, each.feedback)
            for each in new
        ]  # fmt: skip
        insert = (
            "INSERT INTO lessons (at, person, conversation, kind, tool, parameter, situation, label, words, feedback)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        ids = await self._database.write(lambda db: [int(db.execute(insert, row).lastrowid or 0) for row in rows])
        return [
            Lesson(
                one, now, each.person, each.kind, each.tool, each.parameter, each.situation, each.label, each.words,
                each.feedback, each.conversation,
            )
            for one, each in zip(ids, new, strict=True)
        ]  # fmt: skip

    async def all(self) -> list[Lesson]:
        """All lessons, oldest first, those that were undone too."""
        read = await self._database.read(
            lambda db: [_lesson(dict(row)) for row in db.execute("SELECT * FROM lessons ORDER BY id")]
        )
        self.damaged = read.count(None)
        if self.damaged:
            _log.warning("lessons can't be read and are left out", lessons=self.damaged)
        return [lesson for lesson in read if lesson is not None]

    async def count(self, person: str) -> int:
        """How many lessons of a person there are, with those that can't be read."""
        [row] = await self._database.rows("SELECT count(*) AS n FROM lessons WHERE person = ?", (person,))
        return int(row["n"])

    async def set_undone(self, lessons: Sequence[int], *, undone: bool) -> None:
        """Mark them as undone, or as valid again. Raises InvalidParameter, and changes none, when one is unknown."""
        at = time.time() if undone else None

        def transaction(db: sqlite3.Connection) -> None:
            for each in lessons:
                if not db.execute("UPDATE lessons SET undone_at = ? WHERE id = ?", (at, each)).rowcount:
                    raise InvalidParameter(f"there is no lesson {each}", hint="list what was learned first")

        await self._database.write(transaction)

    async def forget(self, person: str) -> int:
        """Delete all lessons of a person. Returns how many there were."""
        return await self._database.execute("DELETE FROM lessons WHERE person = ?", (person,))


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), sort_keys=True, allow_nan=False)


def _lesson(row: dict[str, Any]) -> Lesson | None:
    """None for a row that can't be read, or does not have what its kind needs."""
    try:
        situation, label = json.loads(row["situation"]), json.loads(row["label"])
    except (ValueError, TypeError):
        return None
    if not isinstance(situation, dict) or not isinstance(label, dict):
        return None
    fits = _FITS.get(row["kind"])
    if fits is None or not fits(situation, label) or not isinstance(label.get("episode", ""), str):
        return None
    return Lesson(**row | {"situation": situation, "label": label})


def _is_value(situation: Mapping[str, Any], label: Mapping[str, Any]) -> bool:
    place = [situation.get(name) for name in GEOMETRY]
    return (
        _is_number(label.get("offset"))
        and _is_weight(label)
        and all(each is None or _is_number(each) for each in place)
    )


def _is_choice(_: Mapping[str, Any], label: Mapping[str, Any]) -> bool:
    calls = label.get("calls", [])
    return (
        isinstance(label.get("request"), str)
        and isinstance(label.get("handoff", ""), str)
        and _is_number(label.get("weight", 1.0))
        and isinstance(calls, list)
        and all(
            isinstance(call, list) and len(call) == 2 and isinstance(call[0], str) and isinstance(call[1], dict)
            for call in calls
        )
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) <= LARGEST


def _is_weight(label: Mapping[str, Any]) -> bool:
    weight = label.get("weight", 1.0)
    return _is_number(weight) and weight >= 1.0 / LARGEST


_FITS: dict[str, Callable[[Mapping[str, Any], Mapping[str, Any]], bool]] = {
    "value": _is_value,
    "arguments": lambda _, label: isinstance(label.get("args"), dict),
    "choice": _is_choice,
}
"""By kind: whether a situation and a label have what they should have."""
