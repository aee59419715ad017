"""`Metered`: a model as the team asks it: within the budget, within its time, its words told as they come."""

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

from reachy_mind.brains.agents.budget import Used, guessed
from reachy_mind.brains.agents.work import Work, current
from reachy_mind.brains.thought import NoThought

SCHEMA_LETTERS = 300
"""About so long is what a tool takes, as it is told to a model."""


class Metered(Model):
    """Around any model. Raises NoThought when there is no budget left, and when it takes too long. `counts`: what it
    says it used can be believed, nothing included."""

    def __init__(self, model: Model, *, first_token_s: float, timeout_s: float, counts: bool = False) -> None:
        self.model, self._counts = model, counts
        self._first_token_s, self._timeout_s = first_token_s, timeout_s

    async def get_response(self, *args: Any, **about: Any) -> ModelResponse:
        """The team always streams; this is for whoever asks the model by itself."""
        return await self.model.get_response(*args, **about)

    async def stream_response(self, *args: Any, **about: Any) -> AsyncIterator[TResponseStreamEvent]:
        work = current.get()
        work.require_sense()
        work.model = str(getattr(self.model, "model", ""))
        letters = _letters(*args, **about)
        work.budget.require(work.used, letters)
        written, used = 0, None
        try:
            answer = self._in_time(self.model.stream_response(*args, **about))
            async with contextlib.aclosing(answer) as events:
                async for event in events:
                    if isinstance(event, ResponseTextDeltaEvent | ResponseRefusalDeltaEvent):
                        written += len(event.delta)
                        work.hear(event.delta)
                    elif isinstance(event, ResponseCompletedEvent):
                        used = _counted(event.response.usage, believed=self._counts)
                        written += _arguments(event)
                        if not event.response.output:
                            raise ModelBehaviorError("an empty answer")
                    yield event
        finally:
            # Who did not count, or was cut short, is taken to have used what passed by.
            await self._spend(work, guessed(letters, written) if used is None else used)
        work.pause()

    async def _in_time(self, events: AsyncIterator[TResponseStreamEvent]) -> AsyncGenerator[TResponseStreamEvent, None]:
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
            raise NoThought(
                "My thoughts took too long, so I stopped.",
                hint="a smaller model is faster; openai.first_token_s and openai.timeout_s are how long it may take",
            ) from None
        finally:
            if isinstance(events, AsyncGenerator):
                await events.aclose()

    async def _spend(self, work: Work, used: Used) -> None:
        work.used += used
        await work.budget.spend(used)


def _letters(system_instructions: str | None, input: Any, *rest: Any, **_: Any) -> int:  # noqa: A002 -- the SDK's name
    """About how much the model has to read."""
    tools = rest[1] if len(rest) > 1 else []
    described = sum(len(tool.description) + SCHEMA_LETTERS for tool in tools)
    return len(system_instructions or "") + len(json.dumps(input, default=str)) + described


def _counted(usage: ResponseUsage | None, *, believed: bool) -> Used | None:
    if usage is None or not (believed or usage.input_tokens + usage.output_tokens):
        return None
    cached = usage.input_tokens_details.cached_tokens if usage.input_tokens_details else 0
    return Used(usage.input_tokens, cached or 0, usage.output_tokens)


def _arguments(event: ResponseCompletedEvent) -> int:
    return sum(len(getattr(item, "arguments", "") or "") for item in event.response.output)
