"""`ScriptedChat`: a chat model that answers by a table, in pieces, and keeps what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

from reachy_mind.errors import MindError
from reachy_mind.models.chat_stream import TokenUsage
from reachy_mind.models.completion import Message

Answer = str | MindError | Callable[[Sequence[Message]], str]


class ScriptedChat:
    """`answers`: by words of the last message, the first that fits; a `#hang` in an answer hangs there for ever."""

    name = "scripted"

    def __init__(self, answers: dict[str, Answer], *, prefill_error: MindError | None = None) -> None:
        self.answers, self.prefill_error = answers, prefill_error
        self.asked: list[list[Message]] = []
        self.closed = False
        self.ended = 0

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 256,
        repeat_penalty: float | None = None,  # noqa: ARG002 -- it never repeats itself
    ) -> AsyncGenerator[str | TokenUsage, None]:
        self.asked.append(list(messages))
        last = messages[-1]["content"]
        answer = next((each for words, each in self.answers.items() if words in last), "I see.")
        if isinstance(answer, MindError):
            raise answer
        text = answer if isinstance(answer, str) else answer(messages)
        pieces = text.split(" ")
        try:
            for place, piece in enumerate(pieces[:max_tokens]):
                if piece == "#hang":
                    await asyncio.Event().wait()
                yield piece if place == 0 else f" {piece}"
            yield TokenUsage(len(pieces) > max_tokens, 40, len(pieces), 0)
        finally:
            self.ended += 1

    async def prefill(self, messages: Sequence[Message]) -> None:  # noqa: ARG002
        if self.prefill_error is not None:
            raise self.prefill_error

    async def aclose(self) -> None:
        self.closed = True
