"""`ServerChat`: a chat model of an OpenAI-compatible server that can't call tools, such as Gemma on Ollama."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import httpx

from reachy_mind.errors import BadAnswer, NotReady, TimedOut
from reachy_mind.models import chat_stream
from reachy_mind.models.chat_stream import TokenUsage
from reachy_mind.models.completion import Message

TEMPERATURE = 0.3


class ServerChat:
    """One model of one server. `address`: without `/v1`."""

    def __init__(self, name: str, address: str, key: str = "", timeout_s: float = 120.0) -> None:
        self.name = name
        self._address, self._key, self._timeout_s = address.rstrip("/").removesuffix("/v1"), key, timeout_s

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 256,
        repeat_penalty: float | None = None,  # noqa: ARG002 -- not in the protocol of OpenAI
    ) -> AsyncGenerator[str | TokenUsage, None]:
        """Raises NotReady when the server can't be reached, TimedOut, BadAnswer."""
        body: dict[str, Any] = {"model": self.name, "messages": list(messages), "max_tokens": max_tokens}
        body["temperature"] = TEMPERATURE
        try:
            pieces = chat_stream.stream(self._address, self._key, body, self._timeout_s)
            async with contextlib.aclosing(pieces):
                async for piece in pieces:
                    yield piece
        except TimeoutError:
            raise TimedOut(
                f"{self.name} took longer than {self._timeout_s:g} s", hint="a smaller model is faster"
            ) from None
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise NotReady(f"{self._address} can't be reached: {reason[:200]}", hint="is it running?") from None
        except chat_stream.ServerRefused as error:
            raise BadAnswer(f"{self.name} refused: {error}", hint="see the log of the server") from None

    async def prefill(self, messages: Sequence[Message]) -> None:
        """Have the server load the model."""
        async with contextlib.aclosing(self.stream(messages, max_tokens=1)) as pieces:
            async for _ in pieces:
                pass

    async def aclose(self) -> None:
        """Nothing is kept open."""
