"""Streams an answer of an OpenAI-compatible `/v1/chat/completions`: llama.cpp, Ollama, vLLM, LM Studio.

One connection per answer. Closing the generator closes it, and that ends the server's work. Redirects are not followed,
and no proxy is used for loopback.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from reachy_mind.access.loopback import is_loopback

MAX_ERROR_CHARS = 300


class ServerRefused(Exception):
    """The server answered with an error."""


@dataclass(frozen=True)
class TokenUsage:
    """The last item of a stream: why the answer ended, and its token counts."""

    cut: bool
    """Whether it reached `max_tokens`."""
    tokens_in: int
    tokens_out: int
    cached: int
    """How many input tokens came from the prompt cache."""


async def stream(
    address: str, key: str, body: Mapping[str, Any], timeout_s: float
) -> AsyncGenerator[str | TokenUsage, None]:
    """The pieces of an answer, then its usage, where the server reports it.

    Raises TimeoutError, ServerRefused and httpx.HTTPError.
    """
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    body = {**body, "stream": True, "stream_options": {"include_usage": True}}
    deadline, cut = asyncio.get_running_loop().time() + timeout_s, False
    proxied = not is_loopback(httpx.URL(address).host)
    try:
        async with (
            httpx.AsyncClient(base_url=address, headers=headers, timeout=timeout_s, trust_env=proxied) as client,
            client.stream("POST", "/v1/chat/completions", json=body) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise ServerRefused(error_message(await response.aread()))
            async for line in _with_deadline(deadline, response.aiter_lines()):
                if (event := _event(line)) is None:
                    continue
                for choice in event.get("choices", ()):
                    cut = cut or choice.get("finish_reason") == "length"
                    if piece := choice.get("delta", {}).get("content"):
                        yield str(piece)
                if usage := event.get("usage"):
                    yield _usage(usage, cut=cut)
    except httpx.TimeoutException:
        raise TimeoutError from None


async def _with_deadline(deadline: float, lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """Apply the deadline to each read only, so that a slow consumer is not cancelled in its own work."""
    while True:
        async with asyncio.timeout_at(deadline):
            line = await anext(lines, None)
        if line is None:
            return
        yield line


def _event(line: str) -> dict[str, Any] | None:
    """One server-sent event; None for other lines."""
    name, _, data = line.partition(":")
    if name not in ("data", "error") or data.strip() in ("", "[DONE]"):
        return None
    try:
        event: dict[str, Any] = json.loads(data)
    except ValueError:
        raise ServerRefused(f"what it sent is no JSON: {data[:100]!r}") from None
    if name == "error" or "error" in event:
        raise ServerRefused(error_message(data.encode()))
    return event


def _usage(response: Mapping[str, Any], *, cut: bool) -> TokenUsage:
    cached = (response.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    return TokenUsage(
        cut, int(response.get("prompt_tokens", 0)), int(response.get("completion_tokens", 0)), int(cached)
    )


def error_message(content: bytes) -> str:
    """The message of an error response."""
    try:
        response = json.loads(content)
        return str(response.get("error", response).get("message", response))[:MAX_ERROR_CHARS]
    except (ValueError, AttributeError):
        return content[:MAX_ERROR_CHARS].decode("utf-8", "replace")
