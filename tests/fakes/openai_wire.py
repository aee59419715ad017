"""Requests and answers of OpenAI's two ways to ask a model, as they are on the wire, checked by its package's types."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

Kind = Literal["busy", "broken", "refused", "no model", "cut", "malformed", "nonsense", "hangs", "slow", "redirects"]


@dataclass(frozen=True)
class Answer:
    """Words, then calls: (name, arguments) each, arguments a dict or any text a model may write in its place."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any] | str], ...] = ()
    tokens: tuple[int, int] | None = (100, 10)
    """Read and written; None: a server that does not count."""
    cached: int = 0


@dataclass(frozen=True)
class Fault:
    """The way an answer fails. `after`: seconds a busy server asks for; `words`: said before the end."""

    kind: Kind
    after: float = 0.0
    words: str = "Well, I think"


Step = Answer | Fault


def say(text: str, **about: Any) -> Answer:
    return Answer(text, **about)


def use(name: str, *, text: str = "", **args: Any) -> Answer:
    return Answer(text, ((name, args),))


def hand_to(agent: str, reason: str = "it is theirs") -> Answer:
    return Answer("", ((f"transfer_to_{agent.lower()}", {"reason": reason}),))


@dataclass
class Asked:
    """One request that was asked rightly."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def system(self) -> str:
        if "instructions" in self.body:
            return str(self.body["instructions"])
        return "".join(str(m["content"]) for m in self.body["messages"] if m["role"] in ("system", "developer"))

    @property
    def tools(self) -> list[str]:
        return [tool.get("name") or tool["function"]["name"] for tool in self.body.get("tools", ())]

    @property
    def items(self) -> list[dict[str, Any]]:
        """What was said so far, the oldest first, without the system's words."""
        if "input" in self.body:
            return list(self.body["input"])
        return [message for message in self.body["messages"] if message["role"] not in ("system", "developer")]

    @property
    def said(self) -> str:
        """The last words of a person."""
        return next(str(item["content"]) for item in reversed(self.items) if item.get("role") == "user")

    @property
    def result(self) -> str:
        """What the last tool answered, if that was the last thing."""
        last = self.items[-1]
        return str(last.get("output") or (last["content"] if last.get("role") == "tool" else ""))


_numbers = itertools.count(1)


@dataclass
class Made:
    """An answer as the wire has it, checked by the package's types."""

    asked: Asked
    answer: Answer
    created: int = field(default_factory=lambda: int(time.time()))
    number: int = field(default_factory=lambda: next(_numbers))
    """No two calls of a run may have the same name."""

    def pieces(self) -> Iterator[dict[str, Any]]:
        chat = self.asked.path.endswith("completions")
        for piece in self._chunks() if chat else self._events():
            types().piece(chat).validate_python(piece)
            yield piece

    def whole(self) -> dict[str, Any]:
        chat = self.asked.path.endswith("completions")
        made = self._completion() if chat else self._response("completed")
        types().whole(chat).model_validate(made)
        return made

    @property
    def _words(self) -> list[str]:
        """As models write: a word at a time, spaces first."""
        parts = self.answer.text.split(" ")
        return [part if place == 0 else f" {part}" for place, part in enumerate(parts)] if self.answer.text else []

    def _calls(self) -> list[tuple[str, str, str]]:
        return [
            (f"call_{self.number}_{place}", name, args if isinstance(args, str) else json.dumps(args))
            for place, (name, args) in enumerate(self.answer.calls)
        ]

    def _usage(self) -> dict[str, Any] | None:
        if self.answer.tokens is None:
            return None
        read, written = self.answer.tokens
        about = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        return about | {"prompt_tokens_details": {"cached_tokens": self.answer.cached}}

    def _chunks(self) -> Iterator[dict[str, Any]]:
        about = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": self.created}
        about |= {"model": self.asked.body["model"]}

        def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
            return about | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

        yield chunk({"role": "assistant", "content": ""})
        for word in self._words:
            yield chunk({"content": word})
        for place, (call_id, name, arguments) in enumerate(self._calls()):
            function = {"name": name, "arguments": ""}
            yield chunk({"tool_calls": [{"index": place, "id": call_id, "type": "function", "function": function}]})
            for start in range(0, len(arguments), 12):
                yield chunk(
                    {"tool_calls": [{"index": place, "function": {"arguments": arguments[start : start + 12]}}]}
                )
        yield chunk({}, "tool_calls" if self.answer.calls else "stop")
        if self.asked.body.get("stream_options", {}).get("include_usage") and self.answer.tokens:
            yield about | {"choices": [], "usage": self._usage()}

    def _completion(self) -> dict[str, Any]:
        calls = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for call_id, name, arguments in self._calls()
        ]
        message: dict[str, Any] = {"role": "assistant", "content": self.answer.text or None}
        message |= {"tool_calls": calls} if calls else {}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        about = {"id": "chatcmpl-1", "object": "chat.completion", "created": self.created}
        return about | {"model": self.asked.body["model"], "choices": [choice], "usage": self._usage()}

    def _items(self) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        if self.answer.text:
            content = [{"type": "output_text", "text": self.answer.text, "annotations": []}]
            made.append(
                {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed"} | {"content": content}
            )
        for call_id, name, arguments in self._calls():
            about = {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "status": "completed"}
            made.append(about | {"name": name, "arguments": arguments})
        return made

    def _response(self, status: str) -> dict[str, Any]:
        made: dict[str, Any] = {
            "id": f"resp_{self.number}",
            "object": "response",
            "created_at": self.created,
            "model": self.asked.body["model"],
            "status": status,
            "output": self._items() if status == "completed" else [],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }
        if status == "completed" and self.answer.tokens:
            read, written = self.answer.tokens
            made["usage"] = {
                "input_tokens": read,
                "input_tokens_details": {"cached_tokens": self.answer.cached, "cache_write_tokens": 0},
                "output_tokens": written,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": read + written,
            }
        return made

    def _events(self) -> Iterator[dict[str, Any]]:
        made: list[dict[str, Any]] = [{"type": "response.created", "response": self._response("in_progress")}]
        for place, item in enumerate(self._items()):
            about = {"output_index": place, "item_id": item["id"]}
            empty = item | ({"content": []} if item["type"] == "message" else {"arguments": ""})
            made.append(
                {"type": "response.output_item.added", "output_index": place, "item": empty | {"status": "in_progress"}}
            )
            if item["type"] == "message":
                part = {"type": "output_text", "text": "", "annotations": []}
                made.append({"type": "response.content_part.added", "content_index": 0, "part": part} | about)
                made += [
                    {"type": "response.output_text.delta", "content_index": 0, "delta": word, "logprobs": []} | about
                    for word in self._words
                ]
                made.append(
                    {"type": "response.output_text.done", "content_index": 0, "text": self.answer.text, "logprobs": []}
                    | about
                )
                made.append(
                    {"type": "response.content_part.done", "content_index": 0, "part": item["content"][0]} | about
                )
            else:
                made.append({"type": "response.function_call_arguments.delta", "delta": item["arguments"]} | about)
                made.append(
                    {
                        "type": "response.function_call_arguments.done",
                        "arguments": item["arguments"],
                        "name": item["name"],
                    }
                    | about
                )
            made.append({"type": "response.output_item.done", "output_index": place, "item": item})
        made.append({"type": "response.completed", "response": self._response("completed")})
        for number, event in enumerate(made):
            yield event | {"sequence_number": number}


class _Types:
    """The openai package's own, imported when the first request comes."""

    def __init__(self) -> None:
        from openai.types import chat, responses
        from openai.types.chat import completion_create_params
        from openai.types.responses import response_create_params
        from pydantic import TypeAdapter

        self._requests = {
            (True, True): TypeAdapter(completion_create_params.CompletionCreateParamsStreaming),
            (True, False): TypeAdapter(completion_create_params.CompletionCreateParamsNonStreaming),
            (False, True): TypeAdapter(response_create_params.ResponseCreateParamsStreaming),
            (False, False): TypeAdapter(response_create_params.ResponseCreateParamsNonStreaming),
        }
        self._pieces = {True: TypeAdapter(chat.ChatCompletionChunk), False: TypeAdapter(responses.ResponseStreamEvent)}
        self._wholes: dict[bool, Any] = {True: chat.ChatCompletion, False: responses.Response}

    def request(self, chat: bool, stream: bool) -> Any:
        return self._requests[chat, stream]

    def piece(self, chat: bool) -> Any:
        return self._pieces[chat]

    def whole(self, chat: bool) -> Any:
        return self._wholes[chat]


@cache
def types() -> _Types:
    return _Types()


def checked(path: str, body: dict[str, Any]) -> None:
    """Raises ValueError, TypeError or AssertionError for what a server of this kind would refuse."""
    chat = path.endswith("completions")
    valid = types().request(chat, bool(body.get("stream"))).validate_python(body)
    for name in ("messages", "tools", "input"):  # iterables are checked as they are read
        if name in valid and not isinstance(valid[name], str):
            list(valid[name])
    items = body["messages" if chat else "input"]
    assert items, "nothing was said"
    names = [tool.get("name") or tool["function"]["name"] for tool in body.get("tools", ())]
    assert len(names) == len(set(names)), "two tools with one name"
    calls, results = _call_ids(items, chat)
    assert set(results) <= set(calls) and len(results) == len(set(results)), "a result without its call"


def _call_ids(items: list[dict[str, Any]], chat: bool) -> tuple[list[str], list[str]]:
    if chat:
        calls = [call["id"] for item in items for call in item.get("tool_calls", ())]
        return calls, [item["tool_call_id"] for item in items if item["role"] == "tool"]
    calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
    return calls, [item["call_id"] for item in items if item.get("type") == "function_call_output"]
