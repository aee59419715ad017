"""`Messages`: Claude by its plain Messages API, with a short loop of our own: words, tools, words."""

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

from reachy_mind.brains.claude import prompt
from reachy_mind.brains.claude.bill import Bill, cost
from reachy_mind.brains.claude.faults import LIMIT, by_status, failed
from reachy_mind.brains.claude.hands import Hands, label, offered
from reachy_mind.brains.spending import Spending
from reachy_mind.brains.thought import Called, Done, NoThought, Said, Thought, Turn
from reachy_mind.loopback import is_loopback
from reachy_mind.settings import Anthropic
from reachy_mind.tools.schemas import parameters

RETRIES = 2
CACHED = {"type": "ephemeral"}


class Messages:
    """One connection is kept for all turns."""

    name = "claude"

    def __init__(self, settings: Anthropic, model: str, spending: Spending) -> None:
        self._settings, self._model, self._spending = settings, model, spending
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
        if messages:  # what was said before is the same next time
            last = messages[-1]
            last["content"] = [{"type": "text", "text": last["content"], "cache_control": CACHED}]
        messages.append({"role": "user", "content": prompt.now(turn)})
        calls: list[Called] = []
        hands = Hands(turn, calls.append)
        done = Done()
        for _ in range(self._settings.steps):
            self._spending.require(0.0, LIMIT)
            answer: Message | None = None
            async with contextlib.aclosing(self._asked(turn, messages)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Said):
                        yield piece
                    else:
                        answer = piece
            assert answer is not None  # else it has raised
            done = self._summed(done, answer)
            uses = [block for block in answer.content if block.type == "tool_use"]
            if answer.stop_reason == "refusal":
                raise failed("refused")
            if not uses:
                if not any(block.type == "text" and block.text.strip() for block in answer.content) and not calls:
                    raise failed("nonsense", f"nothing was said: {answer.stop_reason}")
                yield done
                return
            results = []
            for use in uses:
                told, wrong = await hands.use(use.name, use.input)
                yield calls[-1]
                result = {"type": "tool_result", "tool_use_id": use.id, "content": told, "is_error": wrong}
                results.append(result)
            content = [block.model_dump(include=_KEPT, exclude_none=True) for block in answer.content]
            messages += [{"role": "assistant", "content": content}, {"role": "user", "content": results}]
        raise failed("circles", f"{self._settings.steps} answers")

    def _summed(self, done: Done, answer: Message) -> Done:
        usage = answer.usage
        cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
        tokens_in = done.tokens_in + usage.input_tokens + cached
        return Done(done.cost_usd + cost(usage, self._settings), tokens_in, done.tokens_out + usage.output_tokens)

    async def _asked(self, turn: Turn, messages: list[dict[str, Any]]) -> AsyncGenerator[Said | Message, None]:
        """Words as they come, then the whole message. Raises NoThought. What it took is counted, however it ends."""
        asked: dict[str, Any] = {
            "model": self._model,
            "max_tokens": self._settings.most_tokens,
            "system": [{"type": "text", "text": prompt.system(turn), "cache_control": CACHED}],
            "tools": [
                {"name": label(tool), "description": tool.description, "input_schema": parameters(tool)}
                for tool in offered(turn)
            ],
            "messages": messages,
        }
        bill = Bill(len(json.dumps(asked)))
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                stack = contextlib.AsyncExitStack()
                stream = await stack.enter_async_context(self._client.messages.stream(**asked))
            async with stack:
                events, arguments = aiter(stream), ""
                while True:
                    async with asyncio.timeout(self._settings.timeout_s):  # for each piece: a slow answer may be long
                        event = await anext(events, None)
                    if event is None:
                        break
                    if event.type == "message_start":
                        bill.message = stream.current_message_snapshot
                    elif event.type == "text":
                        bill.written += len(event.text)
                        yield Said(event.text)
                    elif event.type == "input_json":
                        bill.written += len(event.partial_json)
                        arguments += event.partial_json
                    elif event.type == "content_block_stop" and arguments:
                        json.loads(arguments)  # the library takes what was cut off for all there is
                        arguments = ""
                answer = await stream.get_final_message()
        except (anthropic.AnthropicError, TimeoutError, ValueError, AssertionError, httpx2.HTTPError) as error:
            bill.failed(error)
            raise self._wrong(error) from None
        finally:
            await self._spending.add(bill.usd(self._settings))
        if answer.stop_reason is None:
            raise failed("cut")
        yield answer

    def _wrong(self, error: Exception) -> NoThought:
        match error:
            case TimeoutError() | anthropic.APITimeoutError():
                return failed("slow", f"{self._settings.timeout_s:g} s")
            case anthropic.APIConnectionError():
                return failed("unreachable", str(error.__cause__ or error))
            case anthropic.APIStatusError() if error.status_code != 200:
                return by_status(error.status_code, self._model, error.message)
            case anthropic.APIStatusError():  # said in the middle of an answer
                return by_status(529, self._model, error.message)
            case httpx2.HTTPError():
                return failed("cut", str(error))
        return failed("nonsense", f"{type(error).__name__}: {error}")


_KEPT = {"type", "text", "id", "name", "input", "thinking", "signature", "data"}
"""What of an answer goes back with the next question."""
