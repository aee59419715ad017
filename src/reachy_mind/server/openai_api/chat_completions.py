"""`/v1/chat/completions`: one turn of the mind for a client of the OpenAI API.

The robot's own tools are run by the mind, through the gate, while it answers. A function that the client declares is
returned as a call, and the turn ends there; with its result the client asks again, and the turn is taken anew, in which
what was done before is not repeated.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from reachy_mind.access.authorization import principal_of
from reachy_mind.access.error_body import COMPATIBLE, error_body
from reachy_mind.brains.brain import Called, Said, ToolCall
from reachy_mind.conversation.client_side import ClientSide
from reachy_mind.conversation.client_turn import ClientCall, ClientEvent, ClientTurn
from reachy_mind.conversation.events import TurnEvent
from reachy_mind.conversation.response import Response
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.mind import Mind
from reachy_mind.server.openai_api.catalogue import MIND
from reachy_mind.server.openai_api.messages import (
    ChatRequest,
    ClientConversation,
    as_json,
    choice_of,
    declared_tools,
    talk_of,
)
from reachy_mind.tools.client_tools import ClientTools, DeclaredTool, Perform, outcome_data
from reachy_mind.tools.definition import Outcome, ToolError

MOST_OPEN_CALLS = 512
"""Calls of which we know what was done before them."""


class ChatCompletions:
    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._before: OrderedDict[str, tuple[ToolCall, ...]] = OrderedDict()
        """What was done in a turn up to a call of the client, and the call itself last, by its id."""

    async def events(self, wanted: ChatRequest, scopes: frozenset[str]) -> AsyncGenerator[ClientEvent, None]:
        """The events of a turn; its last is the response, or a call for the client. Raises MindError."""
        if (wanted.response_format or {}).get("type", "text") != "text":
            raise InvalidParameter("response_format can only be text", hint="ask for JSON in the message")
        talk, chosen = talk_of(wanted.messages), choice_of(wanted.tool_choice)
        declared = declared_tools(wanted.tools, wanted.tool_choice) if chosen != "none" else ()
        side = ClientSide(talk.instructions, None, tuple(talk.past), self._done(talk), acts=chosen != "none")
        turn = ClientTurn(lambda perform: self._take(wanted, talk, side, declared, perform, scopes))
        done = list(side.done)
        try:
            async with contextlib.aclosing(turn.events()) as events:
                async for event in events:
                    if isinstance(event, Called):
                        done.append(event.call)
                    yield event
                    if isinstance(event, ClientCall):
                        self._remember(event, done)
                        return
        finally:
            await turn.aclose()

    def _take(
        self,
        wanted: ChatRequest,
        talk: ClientConversation,
        side: ClientSide,
        declared: tuple[DeclaredTool, ...],
        perform: Perform,
        scopes: frozenset[str],
    ) -> AsyncGenerator[TurnEvent, None]:
        tools = ClientTools(declared, perform, self._mind.toolbox.registry)
        conversation = _conversation(talk, wanted.user or "")
        return self._mind.stream(talk.said, conversation=conversation, scopes=scopes, client=replace(side, tools=tools))

    def _done(self, talk: ClientConversation) -> tuple[ToolCall, ...]:
        """What was done in the turn that goes on with these results. Raises InvalidParameter."""
        done: list[ToolCall] = []
        for call_id, result in talk.results.items():
            if call_id not in self._before:
                raise InvalidParameter(
                    f"no call with the id {call_id[:40]!r} is open here", hint="ask again from the user's message on"
                )
            *earlier, call = self._before[call_id]
            done = [*earlier, replace(call, outcome=_outcome(result))]
        return tuple(done)

    def _remember(self, call: ClientCall, done: list[ToolCall]) -> None:
        made = ToolCall(call.request.tool, call.request.given, Outcome("ok"))
        self._before[call.call_id] = (*done, made)
        while len(self._before) > MOST_OPEN_CALLS:
            self._before.popitem(last=False)


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/v1", include_in_schema=False)
    chats = ChatCompletions(mind)

    @routes.post("/chat/completions", response_model=None)
    async def chat_completions(wanted: ChatRequest, request: Request) -> dict[str, Any] | StreamingResponse:
        events = chats.events(wanted, principal_of(request.scope).scopes)
        if not wanted.stream:
            return await _completion(events)
        first = await anext(events)  # what is wrong with the request is told with a status
        return StreamingResponse(_stream(first, events, wanted), media_type="text/event-stream")

    return routes


async def _completion(events: AsyncGenerator[ClientEvent, None]) -> dict[str, Any]:
    words: list[str] = []
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
    choice: dict[str, Any] = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    about: dict[str, Any] = {}
    async with contextlib.aclosing(events):
        async for event in events:
            match event:
                case Said(text):
                    words.append(text)
                case ClientCall():
                    message["tool_calls"] = [_call(event)]
                    choice["finish_reason"] = "tool_calls"
                case Response():
                    _require_answered(event)
                    about = _about(event)
    message["content"] = "".join(words).strip() or (None if "tool_calls" in message else "")
    return _envelope("chat.completion", f"chatcmpl-{uuid4().hex}") | {"choices": [choice]} | (about or _about(None))


async def _stream(
    first: ClientEvent, events: AsyncGenerator[ClientEvent, None], wanted: ChatRequest
) -> AsyncGenerator[str, None]:
    envelope = _envelope("chat.completion.chunk", f"chatcmpl-{uuid4().hex}")
    try:
        yield _chunk(envelope, {"role": "assistant", "content": ""})
        async with contextlib.aclosing(_chain(first, events)) as chained:
            async for event in chained:
                match event:
                    case Said(text) if text:
                        yield _chunk(envelope, {"content": text})
                    case ClientCall():
                        yield _chunk(envelope, {"tool_calls": [{"index": 0} | _call(event)]})
                        yield _chunk(envelope, {}, "tool_calls")
                        about = _about(None)
                    case Response():
                        _require_answered(event)
                        about = _about(event)
                        yield _chunk(envelope | {"reachy_mind": about["reachy_mind"]}, {}, "stop")
        if wanted.includes_usage:
            yield _event(envelope | {"choices": [], "usage": about["usage"]})
        yield "data: [DONE]\n\n"
    except MindError as error:
        yield _event(error_body(error, 500, COMPATIBLE))


async def _chain(first: ClientEvent, rest: AsyncGenerator[ClientEvent, None]) -> AsyncGenerator[ClientEvent, None]:
    async with contextlib.aclosing(rest):
        yield first
        async for event in rest:
            yield event


def _require_answered(response: Response) -> None:
    """Raises ToolError with why there is no answer."""
    if response.error is not None:
        raise ToolError(response.error["code"], response.error["message"], hint=response.error["hint"])


def _envelope(kind: str, name: str) -> dict[str, Any]:
    return {"id": name, "object": kind, "created": int(time.time()), "model": MIND, "system_fingerprint": None}


def _about(response: Response | None) -> dict[str, Any]:
    """Usage, and what is only ours: the tools that were run, the brain and the conversation."""
    tokens_in, tokens_out = (response.tokens_in, response.tokens_out) if response is not None else (0, 0)
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}
    if response is None:
        return {"usage": usage}
    tools = [call.as_dict() for call in response.tool_calls]
    ours = {"tools": tools, "brain": response.brain, "session_id": response.conversation}
    return {"usage": usage, "reachy_mind": ours}


def _call(call: ClientCall) -> dict[str, Any]:
    function = {"name": call.request.name, "arguments": as_json(call.request.arguments)}
    return {"id": call.call_id, "type": "function", "function": function}


def _chunk(envelope: dict[str, Any], delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return _event(envelope | {"choices": [choice]})


def _event(content: dict[str, Any]) -> str:
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n"


def _outcome(result: Any) -> Outcome:
    """A result of the client's tool; a failure is told in it."""
    try:
        return Outcome("ok", outcome_data(result))
    except MindError as error:
        return Outcome("ok", {"message": f"It did not work: {error.message}", "failed": True})


def _conversation(talk: ClientConversation, user: str) -> str:
    """The same for all requests of one talk: clients send no id, but all that was said."""
    digest = hashlib.sha256(json.dumps([talk.instructions, talk.opening, user]).encode()).hexdigest()
    return f"openai-{digest[:24]}"
