"""`Summaries`: summaries of conversations in a few sentences, one for each person who took part.

`RuleSummariser` needs no model: it lists what was told, asked and done. Where there is a model (`model_summaries`),
rules write first and the model rewrites later, when it is quiet. A summary is stored as a memory of the person, so
that search finds it.
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

from reachy_mind.memory import fact_extraction
from reachy_mind.memory.normalization import plain, terms
from reachy_mind.storage.database import Database

LONGEST_SUMMARY = 800
LONGEST_QUOTE = 120
MOST_ENTRIES = 5
MOST_TURNS = 200
MOST_TOPICS = 6
SELECT_TURNS = (
    "SELECT id, said, tools, started_at, coalesce(ended_at, started_at) AS ended_at FROM turns"
    " WHERE conversation = ? AND person = ? AND said NOT IN ('', '(forgotten)') ORDER BY started_at DESC LIMIT ?"
)
UNREPORTED_TOOLS = (
    "store_memory",
    "search_memories",
    "get_user_profile",
    "update_user_profile",
    "forget_memory",
    "do_nothing",
)
_ASKS = re.compile(
    r"^(?:what|who|whose|which|when|where|why|how|do|does|did|is|are|am|can|could|will|tell|quel|quelle|que|qui|ou"
    r"|comment|cual|quien|donde|como|was|wer|wie|wo|wann)\b"
)


@dataclass(frozen=True)
class SpokenTurn:
    """The input of a summary: what was said in a turn, and the tools that succeeded."""

    said: str
    done: tuple[str, ...] = ()


@dataclass(frozen=True)
class Summary:
    text: str
    topics: tuple[str, ...] = ()


class Summariser(Protocol):
    """Sums up a conversation."""

    async def sum_up(self, turns: Sequence[SpokenTurn]) -> Summary | None:
        """None when there is nothing worth keeping."""
        ...


class RuleSummariser:
    """Quotes what was told and asked, and lists what was done."""

    async def sum_up(self, turns: Sequence[SpokenTurn]) -> Summary | None:
        told: dict[str, None] = {}
        asked: dict[str, None] = {}
        done: Counter[str] = Counter()
        for turn in turns:
            done.update(tool.replace("_", " ") for tool in turn.done if tool not in UNREPORTED_TOOLS)
            facts = [*fact_extraction.facts(turn.said), *fact_extraction.statements(turn.said)]
            told |= dict.fromkeys(_quoted(fact.content) for fact in facts)
            if not facts and (turn.said.rstrip().endswith("?") or _ASKS.match(plain(turn.said))):
                asked[f"{_quoted(turn.said).rstrip('?! ')}?"] = None
        parts = [
            f"Told: {'; '.join(list(told)[:MOST_ENTRIES])}." if told else "",
            f"Asked: {'; '.join(list(asked)[:MOST_ENTRIES])}" if asked else "",
            f"Done: {', '.join(_counted(name, times) for name, times in done.most_common(MOST_ENTRIES))}."
            if done
            else "",
        ]
        text = " ".join(part for part in parts if part)[:LONGEST_SUMMARY]
        words = Counter(word for quote in (*told, *asked) for word in terms(quote) if len(word) > 3)
        return Summary(text, tuple(word for word, _ in words.most_common(MOST_TOPICS))) if text else None


class Summaries:
    """Writes summaries into the mind's database."""

    def __init__(self, database: Database, model: Summariser | None = None) -> None:
        self._database, self._rules, self._model = database, RuleSummariser(), model

    @property
    def has_model(self) -> bool:
        return self._model is not None

    async def summarise_by_rules(self, conversation: str, person: str) -> bool:
        """As `summarise`, but by rules: immediate, and nothing leaves this machine."""
        return await self._summarise(self._rules, conversation, person)

    async def summarise(self, conversation: str, person: str) -> bool:
        """Sum up what this person said in the conversation, by the model if there is one; replaces the last.

        Returns False, and writes nothing, when the conversation has changed meanwhile.
        """
        return await self._summarise(self._model or self._rules, conversation, person)

    async def _summarise(self, summariser: Summariser, conversation: str, person: str) -> bool:
        which = (conversation, person, MOST_TURNS)
        rows = await self._database.rows(SELECT_TURNS, which)
        turns = [SpokenTurn(row["said"], _done(row["tools"])) for row in reversed(rows)]
        summary = await summariser.sum_up(turns) if turns else None
        if summary is None:
            return True
        span = rows[-1]["started_at"], rows[0]["ended_at"]

        def transaction(db: sqlite3.Connection) -> bool:
            # What was forgotten or erased while the model ran must not come back in its summary.
            if _ids_and_text(db.execute(SELECT_TURNS, which).fetchall()) != _ids_and_text(rows):
                return False
            _write(db, conversation, person, summary, span, len(rows))
            return True

        return await self._database.write(transaction)

    async def last(self, person: str, *, exclude: str = "") -> str:
        """The summary of the last conversation with a person, except `exclude`."""
        rows = await self._database.rows(
            "SELECT m.content FROM summaries s JOIN memories m ON m.id = s.memory"
            " WHERE s.person = ? AND s.conversation <> ? ORDER BY s.ended_at DESC LIMIT 1",
            (person, exclude),
        )
        return str(rows[0]["content"]) if rows else ""


def _write(
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


def _ids_and_text(rows: Sequence[Mapping[str, Any] | sqlite3.Row]) -> list[tuple[str, str]]:
    return [(row["id"], row["said"]) for row in rows]


def _done(tools: str) -> tuple[str, ...]:
    return tuple(call["name"] for call in json.loads(tools) if call.get("status") in ("ok", "started"))


def _quoted(said: str) -> str:
    said = " ".join(said.split()).rstrip(" .")
    return said if len(said) <= LONGEST_QUOTE else f"{said[: LONGEST_QUOTE - 3]}..."


def _counted(name: str, times: int) -> str:
    return name if times == 1 else f"{name} ({times} times)"
