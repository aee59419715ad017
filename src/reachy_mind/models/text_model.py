"""`TextModel`: one `complete(messages, schema, max_tokens)` for every kind of language model.

    PulledTextModel    the pulled model, on this machine
    ServerTextModel    an OpenAI-compatible address: Ollama, llama.cpp, vLLM, OpenAI
    ClaudeTextModel    the Messages API (`claude_text_model`)

What a model answers is untrusted text, also where a schema was given: it may be cut, and not every server keeps to it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import httpx

from reachy_mind.errors import BadAnswer, NotReady, TimedOut
from reachy_mind.models import chat_stream, plain_text
from reachy_mind.models.chat_stream import TokenUsage
from reachy_mind.models.completion import OPENAI, REASONING_TOKENS

if TYPE_CHECKING:
    from reachy_mind.models.completion import Message
    from reachy_mind.models.llama import Llama

TEMPERATURE = 0.2
MAX_ERROR_CHARS = 200
MAX_ANSWER_CHARS = 200_000
LIST_TIMEOUT_S = 10.0
CHARACTERS_PER_TOKEN = 4


class TextModel(Protocol):
    """A language model that answers a conversation in text."""

    @property
    def name(self) -> str:
        """The model's name."""

    async def complete(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, max_tokens: int) -> str:
        """The whole answer: untrusted, maybe empty. With a `schema`, JSON that should fit it.

        Raises NotReady when the model can't be reached, TimedOut, Busy, BadAnswer, WorkerError or BrainUnavailable.
        """

    async def aclose(self) -> None:
        """Release what it holds; a later request opens it again."""


class Meter(Protocol):
    """Counts what a model costs, and stops it at the limit of the day."""

    def require(self) -> None:
        """Check that there is something left. Raises when there is not."""

    async def spend(self, tokens_in: int, tokens_out: int) -> None:
        """Count an answer, also one that was cut short."""


class PulledTextModel:
    """The language model that was pulled. It costs nothing, and keeps to the schema."""

    def __init__(self, llama: Llama) -> None:
        self.name = llama.name
        self._llama = llama

    async def complete(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, max_tokens: int) -> str:
        answer = await self._llama.complete(messages, schema=schema, max_tokens=max_tokens)
        if answer.usage.cut and schema is not None:
            raise BadAnswer(f"{self.name} did not come to an end", hint="ask for something shorter")
        return answer.text

    async def aclose(self) -> None:
        await self._llama.aclose()


class ServerTextModel:
    """A model of an OpenAI-compatible server. `url` ends in /v1; without a `model`, it is the first that is listed."""

    def __init__(
        self, url: str, model: str = "", *, key: str = "", timeout_s: float = 60.0, meter: Meter | None = None
    ) -> None:
        self.name = model
        self._key, self._timeout_s, self._meter = key, timeout_s, meter
        self._url = url.rstrip("/")
        self._address = self._url.removesuffix("/v1")
        self._is_openai = self._url.startswith(f"https://{OPENAI}")
        self._takes_schema = True

    async def complete(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, max_tokens: int) -> str:
        if self._meter is not None:
            self._meter.require()
        try:
            if not self.name:
                self.name = await self._first_listed()
            constrained = schema if self._takes_schema else None
            try:
                return await self._answer(messages, constrained, max_tokens)
            except chat_stream.ServerRefused:
                if constrained is None:
                    raise
            # Some servers know no schema. The caller reads the answer leniently.
            answer = await self._answer(messages, None, max_tokens)
            self._takes_schema = False
            return answer
        except TimeoutError:
            raise TimedOut(
                f"{self.name or self._url} took longer than {self._timeout_s:g} s", hint="openai.timeout_s is the limit"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = str(error) or type(error).__name__
            raise NotReady(
                f"the model at {self._address} can't be reached: {reason[:200]}",
                hint="is it running? Its address is openai.url",
            ) from None
        except chat_stream.ServerRefused as error:
            said = plain_text.words(str(error), MAX_ERROR_CHARS)
            raise BadAnswer(
                f"{self.name} refused: {said}", hint="openai.model and openai.api_key may be wrong; its log says more"
            ) from None

    async def aclose(self) -> None:
        """No connection stays open between requests."""

    async def _answer(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, max_tokens: int) -> str:
        body: dict[str, Any] = {"model": self.name, "messages": [dict(message) for message in messages]}
        # OpenAI's newer models accept neither `max_tokens` nor a temperature; other servers accept only those.
        if self._is_openai:
            body["max_completion_tokens"] = REASONING_TOKENS + max_tokens
        else:
            body |= {"max_tokens": max_tokens, "temperature": TEMPERATURE}
        if schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": dict(schema), "strict": False},
            }
        said, usage = list[str](), None
        characters_in = sum(len(str(message.get("content", ""))) for message in messages)
        try:
            pieces = chat_stream.stream(self._address, self._key, body, self._timeout_s)
            async with contextlib.aclosing(pieces):
                async for piece in pieces:
                    if isinstance(piece, TokenUsage):
                        usage = piece
                    elif sum(map(len, said)) + len(piece) > MAX_ANSWER_CHARS:
                        raise BadAnswer(f"{self.name} does not come to an end", hint="ask again, or another model")
                    else:
                        said.append(piece)
        finally:
            await self._spend(usage, characters_in, sum(map(len, said)))
        return "".join(said)

    async def _spend(self, usage: TokenUsage | None, characters_in: int, characters_out: int) -> None:
        """Without a report of the server, tokens are estimated; a refused request costs nothing."""
        if self._meter is None or (usage is None and not characters_out):
            return
        tokens_in = usage.tokens_in if usage else characters_in // CHARACTERS_PER_TOKEN
        tokens_out = usage.tokens_out if usage else characters_out // CHARACTERS_PER_TOKEN
        await self._meter.spend(tokens_in, tokens_out)

    async def _first_listed(self) -> str:
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            async with httpx.AsyncClient(headers=headers, timeout=LIST_TIMEOUT_S) as client:
                listed = (await client.get(f"{self._url}/models")).raise_for_status().json()
            return str(listed["data"][0]["id"])
        except (LookupError, TypeError, ValueError):
            raise NotReady(f"the server at {self._address} lists no model", hint="set openai.model") from None
