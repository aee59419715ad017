"""`Bill`: what an answer takes that may be cut short.

The service tells at once what it has read, and at the end what it wrote. Of an answer without an end, what it wrote is
what passed by; of one that had not begun, what was asked is what it read.
"""

from __future__ import annotations

from typing import Any

import anthropic
from anthropic.types import Message, Usage

from reachy_mind.brains.agents.budget import guessed
from reachy_mind.settings import Anthropic


class Bill:
    """`letters`: how many the service has to read."""

    def __init__(self, letters: int) -> None:
        self._letters = letters
        self._owed = True
        self.written = 0
        """Letters that came."""
        self.message: Message | None = None
        """As far as it has come."""

    def failed(self, error: Exception) -> None:
        """Who could not be reached, or did not take the question, asks for nothing."""
        refused = isinstance(error, anthropic.APIStatusError) and error.status_code != 200
        lost = isinstance(error, anthropic.APIConnectionError) and not isinstance(error, anthropic.APITimeoutError)
        self._owed = self._owed and not (refused or lost)

    def passed(self, event: dict[str, Any]) -> None:
        """A piece of an answer to the Agent SDK's program, which counts only what has come to its end."""
        match event.get("type"):
            case "message_start":
                self.message, self.written, self._owed = Message.construct(**event["message"]), 0, True
            case "content_block_delta":
                self.written += len(event["delta"].get("text") or event["delta"].get("partial_json") or "")
            case "message_stop":
                self._owed = False

    def counted(self) -> None:
        """The program has told what it took: what it does not know of is an answer that has begun."""
        self._owed = self._owed and self.message is not None

    def usd(self, prices: Anthropic) -> float:
        return cost(self._usage, prices) if self._owed else 0.0

    @property
    def _usage(self) -> Usage:
        passed = guessed(self._letters, self.written)
        if self.message is None:
            return Usage(input_tokens=passed.read, output_tokens=passed.written)
        told = self.message.usage
        if self.message.stop_reason is not None:
            return told
        return told.model_copy(update={"output_tokens": max(told.output_tokens, passed.written)})


def cost(usage: Usage, prices: Anthropic) -> float:
    """US dollars."""
    read, fresh = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    # As the service counts: what was cached costs a tenth to read again, and a quarter more to keep.
    into = usage.input_tokens + 0.1 * read + 1.25 * fresh
    return float(into * prices.usd_per_million_in + usage.output_tokens * prices.usd_per_million_out) / 1e6
