"""`MeteredModel`: wraps a model with the budget and with timeouts, and forwards its text as it streams."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from agents import Model, ModelBehaviorError, ModelResponse
from agents.items import TResponseStreamEvent
from openai.types.responses import (
    ResponseCompletedEvent,
    ResponseRefusalDeltaEvent,
    ResponseTextDeltaEvent,
    ResponseUsage,
)

from reachy_mind.brains.agents.budget import TokenCount, estimate_usage
from reachy_mind.brains.agents.turn_context import TurnContext, current
from reachy_mind.brains.brain import BrainUnavailable

SCHEMA_CHARACTERS = 300
"""The approximate length of a tool's JSON schema in a prompt."""


class MeteredModel(Model):
    """Raises BrainUnavailable when the budget is used up, and after a timeout.

    `first_token_s`: the longest wait for each event; `timeout_s`: for the whole answer. A reported usage of zero is
    taken as "not reported", and estimated.
    """

    def __init__(self, model: Model, *, first_token_s: float, timeout_s: float) -> None:
        self.model = model
        self._first_token_s, self._timeout_s = first_token_s, timeout_s

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """Not metered: the team always streams."""
        return await self.model.get_response(*args, **kwargs)

    async def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[TResponseStreamEvent]:
        context = current.get()
        context.require_few_mistakes()
        context.model = str(getattr(self.model, "model", ""))
        characters = _input_characters(*args, **kwargs)
        context.budget.require(context.used, characters)
        written, used = 0, None
        try:
            answer = self._with_timeouts(self.model.stream_response(*args, **kwargs))
            async with contextlib.aclosing(answer) as events:
                async for event in events:
                    if isinstance(event, ResponseTextDeltaEvent | ResponseRefusalDeltaEvent):
                        written += len(event.delta)
                        context.add_text(event.delta)
                    elif isinstance(event, ResponseCompletedEvent):
                        used = _reported_usage(event.response.usage)
                        written += _argument_characters(event)
                        if not event.response.output:
                            raise ModelBehaviorError("an empty answer")
                    yield event
        finally:
            # Without a report, or when it was cut short: estimated from the text that passed.
            await self._spend(context, estimate_usage(characters, written) if used is None else used)
        context.flush_text()

    async def _with_timeouts(
        self, events: AsyncIterator[TResponseStreamEvent]
    ) -> AsyncGenerator[TResponseStreamEvent, None]:
        loop = asyncio.get_running_loop()
        end = loop.time() + self._timeout_s
        try:
            while True:
                async with asyncio.timeout_at(min(end, loop.time() + self._first_token_s)):
                    event = await anext(events, None)
                if event is None:
                    return
                yield event
        except TimeoutError:
            raise BrainUnavailable(
                "My thoughts took too long, so I stopped.",
                hint="a smaller model is faster; openai.first_token_s and openai.timeout_s are how long it may take",
            ) from None
        finally:
            if isinstance(events, AsyncGenerator):
                await events.aclose()

    async def _spend(self, context: TurnContext, used: TokenCount) -> None:
        context.used += used
        await context.budget.spend(used)


def _input_characters(system_instructions: str | None, input: Any, *rest: Any, **_: Any) -> int:  # noqa: A002 -- the SDK's name
    """The approximate length of the whole input."""
    tools = rest[1] if len(rest) > 1 else []
    described = sum(len(tool.description) + SCHEMA_CHARACTERS for tool in tools)
    return len(system_instructions or "") + len(json.dumps(input, default=str)) + described


def _reported_usage(usage: ResponseUsage | None) -> TokenCount | None:
    if usage is None or not usage.input_tokens + usage.output_tokens:
        return None
    cached = usage.input_tokens_details.cached_tokens if usage.input_tokens_details else 0
    return TokenCount(usage.input_tokens, cached or 0, usage.output_tokens)


def _argument_characters(event: ResponseCompletedEvent) -> int:
    return sum(len(getattr(item, "arguments", "") or "") for item in event.response.output)
