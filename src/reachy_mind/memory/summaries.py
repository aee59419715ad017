"""`Summaries`: what a conversation was about, for each who took part, in a few sentences.

A `Summariser` writes them; `ByRules` needs no model: what was told, what was asked, what was done. Where there is a
model (summarising.py), rules write first and the model later, when it is quiet: nobody waits for it. The text is a
memory of the person's, so that it is found like any other.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import uuid4

from reachy_mind.database import Database
from reachy_mind.memory import extraction
from reachy_mind.memory.words import plain, terms

LONGEST = 800
LONGEST_QUOTE = 120
MOST = 5
MOST_TURNS = 200
MOST_TOPICS = 6
SPOKEN = (
    "SELECT id, said, tools, started_at, coalesce(ended_at, started_at) AS ended_at FROM turns"
    " WHERE conversation = ? AND person = ? AND said NOT IN ('', '(forgotten)') ORDER BY started_at DESC LIMIT ?"
)
UNTOLD = ("store_memory", "search_memories", "get_user_profile", "update_user_profile", "forget_memory", "do_nothing")
_ASKS = re.compile(
    r"^(?:what|who|whose|which|when|where|why|how|do|does|did|is|are|am|can|could|will|tell|quel|quelle|que|qui|ou"
    r"|comment|cual|quien|donde|como|was|wer|wie|wo|wann)\b"
)


@dataclass(frozen=True)
class Spoken:
    """What of a turn a summary is made from: what was said, and the tools that did what was wanted."""

    said: str
    done: tuple[str, ...] = ()


@dataclass(frozen=True)
class Summary:
    text: str
    topics: tuple[str, ...] = ()


class Summariser(Protocol):
    """Whatever can sum up a conversation."""

    async def sum_up(self, turns: Sequence[Spoken]) -> Summary | None:
        """None when there is nothing worth keeping."""
        ...


class ByRules:
    """Told, asked, done, in the words they had."""

    async def sum_up(self, turns: Sequence[Spoken]) -> Summary | None:
        told: dict[str, None] = {}
        asked: dict[str, None] = {}
        done: Counter[str] = Counter()
        for turn in turns:
            done.update(tool.replace("_", " ") for tool in turn.done if tool not in UNTOLD)
            facts = [*extraction.facts(turn.said), *extraction.statements(turn.said)]
            told |= dict.fromkeys(_quoted(fact.content) for fact in facts)
            if not facts and (turn.said.rstrip().endswith("?") or _ASKS.match(plain(turn.said))):
                asked[f"{_quoted(turn.said).rstrip('?! ')}?"] = None
        parts = [
            f"Told: {'; '.join(list(told)[:MOST])}." if told else "",
            f"Asked: {'; '.join(list(asked)[:MOST])}" if asked else "",
            f"Done: {', '.join(_counted(name, times) for name, times in done.most_common(MOST))}." if done else "",
        ]
        text = " ".join(part for part in parts if part)[:LONGEST]
        words = Counter(word for quote in (*told, *asked) for word in terms(quote) if len(word) > 3)
        return Summary(text, tuple(word for word, _ in words.most_common(MOST_TOPICS))) if text else None


class Summaries:
    """Written into the mind's database."""

    def __init__(self, database: Database, model: Summariser | None = None) -> None:
        self._database, self._rules, self._model = database, ByRules(), model

    @property
    def has_model(self) -> bool:
        return self._model is not None

    async def sketch(self, conversation: str, person: str) -> bool:
        """As `renew`, by rules: at once, and without a word to anybody."""
        return await self._renew(self._rules, conversation, person)

    async def renew(self, conversation: str, person: str) -> bool:
        """Sum up what this person said in it so far, in place of what was written before; by the model if there is one.

        False when what they said has changed meanwhile: nothing was written then.
        """
        return await self._renew(self._model or self._rules, conversation, person)

    async def _renew(self, by: Summariser, conversation: str, person: str) -> bool:
        which = (conversation, person, MOST_TURNS)
        rows = await self._database.rows(SPOKEN, which)
        turns = [Spoken(row["said"], _done(row["tools"])) for row in reversed(rows)]
        summary = await by.sum_up(turns) if turns else None
        if summary is None:
            return True
        span = rows[-1]["started_at"], rows[0]["ended_at"]

        def act(db: sqlite3.Connection) -> bool:
            # What was forgotten or erased while a model thought must not come back in its words.
            if _words(db.execute(SPOKEN, which).fetchall()) != _words(rows):
                return False
            _written(db, conversation, person, summary, span, len(rows))
            return True

        return await self._database.write(act)

    async def last(self, person: str, *, but: str = "") -> str:
        """What the last conversation with somebody was about, other than `but`."""
        rows = await self._database.rows(
            "SELECT m.content FROM summaries s JOIN memories m ON m.id = s.memory"
            " WHERE s.person = ? AND s.conversation <> ? ORDER BY s.ended_at DESC LIMIT 1",
            (person, but),
        )
        return str(rows[0]["content"]) if rows else ""


def _written(
    db: sqlite3.Connection, conversation: str, person: str, summary: Summary, span: tuple[float, float], turns: int
) -> None:
    row = db.execute(
        "SELECT memory FROM summaries WHERE conversation = ? AND person = ?", (conversation, person)
    ).fetchone()
    memory = row["memory"] if row else uuid4().hex[:16]
    if row is None:
        db.execute(
            "INSERT INTO memories (id, person, type, content, plain, source, conversation, created_at, told_at)"
            " VALUES (?, ?, 'conversation', ?, ?, 'summary', ?, ?, ?)",
            (memory, person, summary.text, plain(summary.text), conversation, span[0], span[1]),
        )
    else:
        db.execute(
            "UPDATE memories SET content = ?, plain = ?, told_at = ? WHERE id = ? AND content <> ?",
            (summary.text, plain(summary.text), span[1], memory, summary.text),
        )
    db.execute(
        "INSERT INTO summaries (conversation, person, memory, topics, turns, started_at, ended_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET topics = excluded.topics, turns = excluded.turns,"
        " ended_at = excluded.ended_at",
        (conversation, person, memory, json.dumps(summary.topics), turns, *span),
    )


def _words(rows: Sequence[Mapping[str, Any] | sqlite3.Row]) -> list[tuple[str, str]]:
    return [(row["id"], row["said"]) for row in rows]


def _done(tools: str) -> tuple[str, ...]:
    return tuple(call["name"] for call in json.loads(tools) if call.get("status") in ("ok", "started"))


def _quoted(said: str) -> str:
    said = " ".join(said.split()).rstrip(" .")
    return said if len(said) <= LONGEST_QUOTE else f"{said[: LONGEST_QUOTE - 3]}..."


def _counted(name: str, times: int) -> str:
    return name if times == 1 else f"{name} ({times} times)"
