"""`ClaudeTextModel`: answers of Claude by the Messages API, streamed. A schema is given as the input of a tool."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from reachy_mind.access.loopback import is_loopback
from reachy_mind.errors import BadAnswer, Busy, MindError, NotReady, TimedOut
from reachy_mind.models import chat_stream, plain_text
from reachy_mind.models.text_model import CHARACTERS_PER_TOKEN, MAX_ANSWER_CHARS, MAX_ERROR_CHARS, Meter

if TYPE_CHECKING:
    from reachy_mind.models.completion import Message

ADDRESS = "https://api.anthropic.com"
API_VERSION = "2023-06-01"
ANSWER_TOOL = "answer"


class ClaudeTextModel:
    """One model of Claude. The key goes to the configured address and nowhere else: redirects are not followed."""

    def __init__(
        self, model: str, key: str, *, url: str | None = None, timeout_s: float = 60.0, meter: Meter | None = None
    ) -> None:
        self.name = model
        self._url, self._key = (url or ADDRESS).rstrip("/"), key
        self._timeout_s, self._meter = timeout_s, meter

    async def complete(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, max_tokens: int) -> str:
        if self._meter is not None:
            self._meter.require()
        body = self._body(messages, schema, max_tokens)
        answer = _Answer()
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._receive(body, answer)
        except (TimeoutError, httpx.TimeoutException):
            raise TimedOut(
                "Claude took too long to answer", hint="anthropic.timeout_s is how long it may take"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = str(error) or type(error).__name__
            raise NotReady(f"Claude can't be reached: {reason[:200]}", hint="the address is anthropic.url") from None
        finally:
            await self._spend(answer, len(json.dumps(body)))
        if answer.stop_reason == "refusal":
            raise BadAnswer("Claude did not want to answer that", hint="ask for something else")
        if answer.stop_reason is None:
            raise BadAnswer("the connection to Claude ended in the middle of its answer", hint="ask again")
        return "".join(answer.pieces)

    async def aclose(self) -> None:
        """No connection stays open between requests."""

    def _body(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, max_tokens: int) -> dict[str, Any]:
        system = "\n\n".join(str(message["content"]) for message in messages if message["role"] == "system")
        body: dict[str, Any] = {
            "model": self.name,
            "max_tokens": max_tokens,
            "messages": [dict(message) for message in messages if message["role"] != "system"],
            "stream": True,
        }
        if system:
            body["system"] = system
        if schema is not None:
            tool = {"name": ANSWER_TOOL, "description": "Give the answer.", "input_schema": dict(schema)}
            body |= {"tools": [tool], "tool_choice": {"type": "tool", "name": ANSWER_TOOL}}
        return body

    async def _receive(self, body: Mapping[str, Any], answer: _Answer) -> None:
        headers = {"x-api-key": self._key, "anthropic-version": API_VERSION}
        proxied = not is_loopback(urlsplit(self._url).hostname)
        async with (
            httpx.AsyncClient(headers=headers, timeout=self._timeout_s, trust_env=proxied) as client,
            client.stream("POST", f"{self._url}/v1/messages", json=body) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise self._status_error(response.status_code, chat_stream.error_message(await response.aread()))
            async for line in response.aiter_lines():
                if line.startswith("data:"):
                    answer.add(line.removeprefix("data:"))

    async def _spend(self, answer: _Answer, characters_in: int) -> None:
        if self._meter is None or not answer.began:
            return
        written = sum(map(len, answer.pieces)) // CHARACTERS_PER_TOKEN
        tokens_out = answer.tokens_out if answer.stop_reason is not None else max(answer.tokens_out, written)
        await self._meter.spend(answer.tokens_in or characters_in // CHARACTERS_PER_TOKEN, tokens_out)

    def _status_error(self, status: int, detail: str) -> MindError:
        said = plain_text.words(detail, MAX_ERROR_CHARS)
        why = f" ({said})" if said else ""
        match status:
            case 401 | 403:
                return NotReady("Claude does not accept the key", hint=f"set ANTHROPIC_API_KEY{why}")
            case 404:
                return NotReady(f"there is no Claude model called {self.name}", hint=f"set anthropic.model{why}")
            case 429:
                return Busy("Claude has too much to do, or the quota there is used up", hint=f"wait a bit{why}")
            case _ if status >= 500:
                return NotReady("Claude has failed", hint=f"status {status}; it mostly passes{why}")
            case _:
                return BadAnswer("Claude did not take the question", hint=f"status {status}{why}")


class _Answer:
    """An answer as its events arrive."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.began = False
        self.stop_reason: str | None = None
        self.tokens_in = self.tokens_out = 0
        self._size = 0

    def add(self, data: str) -> None:
        """One event. Raises BadAnswer for what is none."""
        try:
            event = json.loads(data)
            kind = event["type"]
            if kind == "message_start":
                usage = event["message"]["usage"]
                cached = (usage.get("cache_read_input_tokens") or 0) + (usage.get("cache_creation_input_tokens") or 0)
                self.began, self.tokens_in = True, int(usage["input_tokens"]) + cached
            elif kind == "content_block_delta":
                delta = event["delta"]
                self._append(str(delta.get("partial_json") or delta.get("text") or ""))
            elif kind == "message_delta":
                self.stop_reason = event["delta"]["stop_reason"]
                self.tokens_out = int(event["usage"]["output_tokens"])
            elif kind == "error":
                raise BadAnswer("Claude failed in the middle of its answer", hint=str(event["error"]["message"])[:200])
        except (ValueError, LookupError, TypeError, AttributeError):
            raise BadAnswer("what Claude sent makes no sense", hint="is anthropic.url a Messages API?") from None

    def _append(self, piece: str) -> None:
        self._size += len(piece)
        if self._size > MAX_ANSWER_CHARS:
            raise BadAnswer("Claude does not come to an end", hint="ask again")
        self.pieces.append(piece)
