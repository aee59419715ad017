"""`MessagesApiBrain`: Claude by the Messages API, with our own loop of answers and tool calls."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import anthropic
import httpx2
from anthropic.types import Message

from reachy_mind.access.loopback import is_loopback
from reachy_mind.brains.brain import BrainUnavailable, Called, Done, Said, Thought, Turn
from reachy_mind.brains.claude import prompt
from reachy_mind.brains.claude.api_errors import LIMIT_SETTING, brain_error, status_error
from reachy_mind.brains.claude.cost import AnswerCost, cost
from reachy_mind.brains.claude.tool_functions import ToolFunctions, mcp_name, usable_tools
from reachy_mind.brains.daily_cost import DailyCost
from reachy_mind.config.language_model_settings import AnthropicSettings
from reachy_mind.tools.schemas import parameters

RETRIES = 2
CACHE_CONTROL = {"type": "ephemeral"}


class MessagesApiBrain:
    """Uses one HTTP client for all turns."""

    name = "claude"

    def __init__(self, settings: AnthropicSettings, model: str, daily_cost: DailyCost) -> None:
        self._settings, self._model, self._daily_cost = settings, model, daily_cost
        local = settings.url is not None and is_loopback(urlsplit(settings.url).hostname)
        self._client = anthropic.AsyncAnthropic(
            api_key=settings.api_key.get_secret_value() if settings.api_key else "none",
            base_url=settings.url or "https://api.anthropic.com",
            max_retries=RETRIES,
            timeout=settings.timeout_s,
            # The key goes to its own host and nowhere else.
            http_client=anthropic.DefaultAsyncHttpxClient(trust_env=not local, follow_redirects=False),
        )

    async def aclose(self) -> None:
        await self._client.close()

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        messages = prompt.history(turn)
        if messages:  # the history is the same next time: cache it
            last = messages[-1]
            last["content"] = [{"type": "text", "text": last["content"], "cache_control": CACHE_CONTROL}]
        messages.append({"role": "user", "content": prompt.user_message(turn)})
        calls: list[Called] = []
        tools = ToolFunctions(turn, calls.append)
        done = Done()
        for _ in range(self._settings.steps):
            self._daily_cost.require(0.0, LIMIT_SETTING)
            answer: Message | None = None
            async with contextlib.aclosing(self._stream_answer(turn, messages)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Said):
                        yield piece
                    else:
                        answer = piece
            assert answer is not None  # otherwise _stream_answer has raised
            done = self._add_usage(done, answer)
            tool_uses = [block for block in answer.content if block.type == "tool_use"]
            if answer.stop_reason == "refusal":
                raise brain_error("refused")
            if not tool_uses:
                if not any(block.type == "text" and block.text.strip() for block in answer.content) and not calls:
                    raise brain_error("nonsense", f"nothing was said: {answer.stop_reason}")
                yield done
                return
            results = []
            for call in tool_uses:
                text, is_error = await tools.call(call.name, call.input)
                yield calls[-1]
                result = {"type": "tool_result", "tool_use_id": call.id, "content": text, "is_error": is_error}
                results.append(result)
            content = [block.model_dump(include=_RETURNED_FIELDS, exclude_none=True) for block in answer.content]
            messages += [{"role": "assistant", "content": content}, {"role": "user", "content": results}]
        raise brain_error("too_many_steps", f"{self._settings.steps} answers")

    def _add_usage(self, done: Done, answer: Message) -> Done:
        usage = answer.usage
        cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
        tokens_in = done.tokens_in + usage.input_tokens + cached
        return Done(done.cost_usd + cost(usage, self._settings), tokens_in, done.tokens_out + usage.output_tokens)

    async def _stream_answer(self, turn: Turn, messages: list[dict[str, Any]]) -> AsyncGenerator[Said | Message, None]:
        """Text as it arrives, then the whole message. Its cost counts however it ends. Raises BrainUnavailable."""
        request: dict[str, Any] = {
            "model": self._model,
            "max_tokens": self._settings.most_tokens,
            "system": [{"type": "text", "text": prompt.system(turn), "cache_control": CACHE_CONTROL}],
            "tools": [
                {"name": mcp_name(tool), "description": tool.description, "input_schema": parameters(tool)}
                for tool in usable_tools(turn)
            ],
            "messages": messages,
        }
        answer_cost = AnswerCost(len(json.dumps(request)))
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                stack = contextlib.AsyncExitStack()
                stream = await stack.enter_async_context(self._client.messages.stream(**request))
            async with stack:
                events, arguments = aiter(stream), ""
                while True:
                    async with asyncio.timeout(self._settings.timeout_s):  # per event: a slow answer may be long
                        event = await anext(events, None)
                    if event is None:
                        break
                    if event.type == "message_start":
                        answer_cost.message = stream.current_message_snapshot
                    elif event.type == "text":
                        answer_cost.characters_out += len(event.text)
                        yield Said(event.text)
                    elif event.type == "input_json":
                        answer_cost.characters_out += len(event.partial_json)
                        arguments += event.partial_json
                    elif event.type == "content_block_stop" and arguments:
                        json.loads(arguments)  # raises for arguments cut off, which the library accepts
                        arguments = ""
                answer = await stream.get_final_message()
        except (anthropic.AnthropicError, TimeoutError, ValueError, AssertionError, httpx2.HTTPError) as error:
            answer_cost.mark_failed(error)
            raise self._as_brain_error(error) from None
        finally:
            await self._daily_cost.add(answer_cost.usd(self._settings))
        if answer.stop_reason is None:
            raise brain_error("cut")
        yield answer

    def _as_brain_error(self, error: Exception) -> BrainUnavailable:
        match error:
            case TimeoutError() | anthropic.APITimeoutError():
                return brain_error("slow", f"{self._settings.timeout_s:g} s")
            case anthropic.APIConnectionError():
                return brain_error("unreachable", str(error.__cause__ or error))
            case anthropic.APIStatusError() if error.status_code != 200:
                return status_error(error.status_code, self._model, error.message)
            case anthropic.APIStatusError():  # an error event in the middle of a stream
                return status_error(529, self._model, error.message)
            case httpx2.HTTPError():
                return brain_error("cut", str(error))
        return brain_error("nonsense", f"{type(error).__name__}: {error}")


_RETURNED_FIELDS = {"type", "text", "id", "name", "input", "thinking", "signature", "data"}
"""Fields of an answer's blocks that are sent back with the next request."""
