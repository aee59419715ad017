"""`FeedbackRecord`, and the store of them: what people said about what the robot did."""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from reachy_mind.errors import InvalidParameter
from reachy_mind.feedback.readings import Correction
from reachy_mind.feedback.scale import MOST_PAIRS
from reachy_mind.storage.database import Database

LONGEST_TEXT = 2000
MOST_LISTED = 200


@dataclass(frozen=True)
class Action:
    """What feedback is about: a call of a turn, with what it met and how it ended. Empty: no action is known."""

    turn: str = ""
    tool: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    """As the brain gave them."""
    learned: dict[str, Any] = field(default_factory=dict)
    """Values that were learned, for parameters that the brain did not give."""
    situation: dict[str, Any] = field(default_factory=dict)
    """What the call met, such as where the thing was that it looked at."""
    outcome: str = ""
    duration_ms: float | None = None
    request: str = ""
    """What was said, for which it was done."""


@dataclass(frozen=True)
class FeedbackRecord:
    """One piece of feedback, as stored."""

    id: int
    at: float
    person: str
    conversation: str
    turn: str
    channel: str
    text: str
    reward: float
    confidence: float
    source: str
    correction: tuple[dict[str, Any], ...]
    about_turn: str
    about_tool: str
    about_args: dict[str, Any]
    situation: dict[str, Any]
    outcome: str
    duration_ms: float | None
    words_reward: float | None = None
    """What the words say, where the reward was given as a number."""
    lessons: tuple[int, ...] = ()
    """What was learned from it, by id."""

    def as_dict(self) -> dict[str, Any]:
        """As the API gives it."""
        fields = asdict(self)
        about = {"turn": fields.pop("about_turn"), "tool": fields.pop("about_tool"), "args": fields.pop("about_args")}
        return fields | {"correction": list(self.correction), "lessons": list(self.lessons), "about": about}


@dataclass(frozen=True)
class NewFeedback:
    """Feedback that is to be stored."""

    reward: float
    confidence: float
    source: str
    channel: str
    text: str = ""
    person: str = ""
    conversation: str = ""
    turn: str = ""
    corrections: Sequence[Correction] = ()
    about: Action = field(default_factory=Action)
    words_reward: float | None = None


class FeedbackRecords:
    """In the mind's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, new: NewFeedback, *, replaces: Sequence[int] = ()) -> int:
        """Store it, in place of these; on disk when this returns. Returns its id; raises DatabaseError,
        InvalidParameter."""
        if not (math.isfinite(new.reward) and -1 <= new.reward <= 1):
            raise InvalidParameter("a reward is a number from -1 to 1", hint="-1 is bad, 1 is perfect")
        about = new.about
        row = (
            *(time.time(), new.person, new.conversation, new.turn, new.channel, new.text[:LONGEST_TEXT]),
            *(new.reward, new.confidence, new.source, json.dumps([each.as_dict() for each in new.corrections])),
            *(about.turn, about.tool, json.dumps(about.args | about.learned), json.dumps(about.situation)),
            *(about.outcome, about.duration_ms, new.words_reward),
        )
        columns = (
            "at, person, conversation, turn, channel, text, reward, confidence, source, correction,"
            " about_turn, about_tool, about_args, situation, outcome, duration_ms, words_reward"
        )
        marks = ", ".join("?" * len(row))

        def transaction(db: sqlite3.Connection) -> int:
            db.executemany("DELETE FROM feedback WHERE id = ?", [(each,) for each in replaces])
            return int(db.execute(f"INSERT INTO feedback ({columns}) VALUES ({marks})", row).lastrowid or 0)  # noqa: S608

        return await self._database.write(transaction)

    async def ratings(self, turn: str, person: str) -> list[int]:
        """The ratings of a turn that a person gave without words, by id."""
        rows = await self._database.rows(
            "SELECT id FROM feedback WHERE about_turn = ? AND person = ? AND source IN ('button', 'rating')"
            " AND text = '' ORDER BY id",
            (turn, person),
        )
        return [int(row["id"]) for row in rows]

    async def get(self, feedback_id: int) -> FeedbackRecord:
        """Raises InvalidParameter for an unknown id."""
        found = await self._select("WHERE f.id = ?", (feedback_id,))
        if not found:
            raise InvalidParameter(f"there is no feedback {feedback_id}", hint="list it first")
        return found[0]

    async def listed(
        self,
        *,
        limit: int = 50,
        offset: int = 0,
        person: str | None = None,
        conversation: str | None = None,
    ) -> list[FeedbackRecord]:
        """The latest first."""
        where, values = _where(person, conversation)
        page = (min(max(limit, 1), MOST_LISTED), max(offset, 0))
        return await self._select(f"WHERE {where} ORDER BY f.id DESC LIMIT ? OFFSET ?", (*values, *page))

    async def rated_words(self, person: str | None = None) -> dict[str, list[tuple[float, float]]]:
        """By person, or of this one, the oldest first: what words say, and the number that was given with them."""
        rows = await self._database.rows(
            "SELECT person, words_reward, reward FROM feedback WHERE typeof(words_reward) = 'real'"
            " AND typeof(reward) = 'real' AND (person = ? OR ?) ORDER BY id DESC LIMIT ?",
            (person, person is None, -1 if person is None else MOST_PAIRS),
        )
        pairs: dict[str, list[tuple[float, float]]] = {}
        for row in reversed(rows):
            pairs.setdefault(row["person"], []).append((row["words_reward"], row["reward"]))
        return pairs

    async def words_about(self, turn: str, person: str) -> float | None:
        """What this person's words about a turn said, if there were any. A correction tells nothing of the scale: what
        is rated after it may be what it led to."""
        rows = await self._database.rows(
            "SELECT reward FROM feedback WHERE about_turn = ? AND person = ? AND source IN ('model', 'judge')"
            " AND correction = '[]' ORDER BY id DESC LIMIT 1",
            (turn, person),
        )
        return float(rows[0]["reward"]) if turn and rows else None

    async def count(self, *, person: str | None = None, conversation: str | None = None) -> int:
        where, values = _where(person, conversation)
        (row,) = await self._database.rows(f"SELECT count(*) AS n FROM feedback f WHERE {where}", values)  # noqa: S608
        return int(row["n"])

    async def _select(self, rest: str, values: tuple[Any, ...]) -> list[FeedbackRecord]:
        learned = "(SELECT group_concat(l.id) FROM lessons l WHERE l.feedback = f.id) AS lessons"
        rows = await self._database.rows(f"SELECT f.*, {learned} FROM feedback f {rest}", values)  # noqa: S608
        return [_record(row) for row in rows]


def _where(person: str | None, conversation: str | None) -> tuple[str, tuple[Any, ...]]:
    """The condition for the feedback of a person, or in a conversation, and its values."""
    wanted = {"person": person, "conversation": conversation}
    given = {name: value for name, value in wanted.items() if value is not None}
    return " AND ".join(("1", *(f"f.{name} = ?" for name in given))), tuple(given.values())


def _record(row: dict[str, Any]) -> FeedbackRecord:
    def parsed(name: str, default: Any) -> Any:
        try:
            value = json.loads(row[name])
        except ValueError:  # a damaged row is shown without it
            return default
        return value if isinstance(value, type(default)) else default

    lessons = tuple(int(each) for each in (row["lessons"] or "").split(",") if each)
    return FeedbackRecord(
        **row
        | {
            "correction": tuple(parsed("correction", [])),
            "about_args": parsed("about_args", {}),
            "situation": parsed("situation", {}),
            "lessons": lessons,
        }
    )
