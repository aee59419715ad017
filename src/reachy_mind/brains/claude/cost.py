"""`AnswerCost`: the cost of a streamed answer, also when it is cut short.

The API reports input tokens at the start and output tokens at the end. Without an end, the output is estimated from
the text that arrived; without a start, the input is estimated from the request.
"""

from __future__ import annotations

from typing import Any

import anthropic
from anthropic.types import Message, Usage

from reachy_mind.brains.agents.budget import estimate_usage
from reachy_mind.config.language_model_settings import AnthropicSettings


class AnswerCost:
    """`characters_in`: the length of the request."""

    def __init__(self, characters_in: int) -> None:
        self._characters_in = characters_in
        self._billable = True
        self.characters_out = 0
        """Characters that arrived."""
        self.message: Message | None = None
        """The message so far."""

    def mark_failed(self, error: Exception) -> None:
        """A request that did not arrive, or was rejected, costs nothing."""
        refused = isinstance(error, anthropic.APIStatusError) and error.status_code != 200
        lost = isinstance(error, anthropic.APIConnectionError) and not isinstance(error, anthropic.APITimeoutError)
        self._billable = self._billable and not (refused or lost)

    def add_event(self, event: dict[str, Any]) -> None:
        """A stream event from the Agent SDK's program, which itself counts only complete messages."""
        match event.get("type"):
            case "message_start":
                self.message, self.characters_out, self._billable = Message.construct(**event["message"]), 0, True
            case "content_block_delta":
                self.characters_out += len(event["delta"].get("text") or event["delta"].get("partial_json") or "")
            case "message_stop":
                self._billable = False

    def reported(self) -> None:
        """The program has reported its cost: only a message that has begun but not ended is still to be counted."""
        self._billable = self._billable and self.message is not None

    def usd(self, prices: AnthropicSettings) -> float:
        return cost(self._usage, prices) if self._billable else 0.0

    @property
    def _usage(self) -> Usage:
        estimated = estimate_usage(self._characters_in, self.characters_out)
        if self.message is None:
            return Usage(input_tokens=estimated.input_tokens, output_tokens=estimated.output_tokens)
        usage = self.message.usage
        if self.message.stop_reason is not None:
            return usage
        return usage.model_copy(update={"output_tokens": max(usage.output_tokens, estimated.output_tokens)})


def cost(usage: Usage, prices: AnthropicSettings) -> float:
    """US dollars."""
    read, fresh = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    # Anthropic's prices: reading from the prompt cache costs a tenth, writing to it a quarter more.
    into = usage.input_tokens + 0.1 * read + 1.25 * fresh
    return float(into * prices.usd_per_million_in + usage.output_tokens * prices.usd_per_million_out) / 1e6
