"""Chat routes: one answer, server-sent events, the chat socket, and the history of conversations."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reachy_mind.access.authorization import principal_of, require_scope, scope_of
from reachy_mind.access.rate_limits import RateLimit
from reachy_mind.conversation.chat_session import ChatSession
from reachy_mind.conversation.turns import LONGEST_TEXT
from reachy_mind.conversation.wire import (
    ChatAnswer,
    ErrorFrame,
    TurnFrame,
    chat_answer,
    chat_frame,
    error_frame,
    turn_frame,
)
from reachy_mind.errors import InvalidParameter, MindError, TooMany
from reachy_mind.memory.conversations import TurnRecord
from reachy_mind.mind import Mind
from reachy_mind.profiles.profile import UnknownProfile
from reachy_mind.server.not_found import NotFound, as_not_found
from reachy_mind.server.websocket_frames import receive_frame
from reachy_mind.tools.context import Caller

LONGEST_FRAME = 64 << 10
FRAMES = "say, stop, interrupt, confirm or new"
FRAMES_PER_S, FRAMES_AT_ONCE = 20.0, 60.0
Offset = Annotated[int, Query(ge=0, le=1 << 40)]
Limit = Annotated[int, Query(ge=1, le=500)]


class ChatMessage(BaseModel):
    """The body of `POST /chat`: what a person says."""

    model_config = ConfigDict(extra="forbid")

    message: str = Field(min_length=1, max_length=LONGEST_TEXT)
    session_id: str | None = Field(None, max_length=64)
    profile: str | None = Field(None, max_length=64)
    person: str = Field("", max_length=64)
    context: dict[str, Any] = Field(default_factory=dict)
    stream: bool = False


class ChatControl(BaseModel):
    """A frame from the client on the chat socket."""

    model_config = ConfigDict(extra="forbid")

    type: str = "say"
    message: str = Field("", max_length=LONGEST_TEXT)
    session_id: str | None = Field(None, max_length=64)
    id: str = ""
    approve: bool = False


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")

    @routes.post("/chat", response_model=None)
    async def chat(message: ChatMessage, request: Request) -> ChatAnswer | StreamingResponse:
        if message.profile not in (None, mind.profile.name):
            require_scope(request.scope, scope_of("POST", "/api/v1/profiles/{name}/activate"))
            await _switch_profile(mind, message)
        if message.stream:
            events = _server_sent_events(mind, message, principal_of(request.scope).scopes)
            return StreamingResponse(events, media_type="text/event-stream")
        return chat_answer(
            await mind.ask(
                message.message,
                conversation=message.session_id,
                person=message.person,
                context=message.context,
                scopes=principal_of(request.scope).scopes,
            )
        )

    @routes.websocket("/ws/chat")
    async def socket(websocket: WebSocket, session_id: str | None = None, channel: bool = True) -> None:
        """Frames in, `wire.ChatFrame`s out. `channel=false`: there is no person who could be asked."""
        await websocket.accept()
        rate_limit = RateLimit(FRAMES_PER_S, FRAMES_AT_ONCE)
        principal = principal_of(websocket.scope)
        async with ChatSession(
            mind,
            "chat socket",
            conversation=session_id,
            channel=channel and principal.may("confirm"),
            scopes=principal.scopes,
        ) as session:
            writer = asyncio.create_task(_write(websocket, session))
            try:
                while True:
                    if error := await _handle(session, await receive_frame(websocket), rate_limit):
                        await websocket.send_text(json.dumps(error))
            except (WebSocketDisconnect, RuntimeError):
                return
            finally:
                writer.cancel()
                with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                    await writer

    @routes.get("/session")
    async def sessions(offset: Offset = 0, limit: Limit = 50) -> dict[str, Any]:
        rows, total = await mind.conversations.listed(limit=limit, offset=offset)
        return {"sessions": [_session(row) for row in rows], "total": total}

    @routes.get("/session/{session_id}")
    async def session(session_id: str) -> dict[str, Any]:
        with as_not_found("they are listed at /api/v1/session"):
            return _session(await mind.conversations.get(session_id))

    @routes.get("/session/{session_id}/history")
    async def history(session_id: str, offset: Offset = 0, limit: Limit = 50) -> dict[str, Any]:
        turns, total = await _turns(mind, session_id, limit=limit, offset=offset)
        return {"messages": [message for turn in turns for message in _messages(turn)], "total": total}

    @routes.delete("/session/{session_id}")
    async def forget(session_id: str) -> dict[str, Any]:
        if await mind.conversations.delete(session_id):
            return {"deleted": session_id}
        raise NotFound("no such conversation", hint="they are listed at /api/v1/session")

    return routes


async def _switch_profile(mind: Mind, message: ChatMessage) -> None:
    try:
        await mind.act("mind.set_personality", {"name": message.profile}, Caller("person", "rest", message.person))
    except MindError as error:
        if error.code != UnknownProfile.code:
            raise
        raise InvalidParameter(error.message, hint=error.hint) from None  # it is a field of the message that is wrong


async def _turns(mind: Mind, session_id: str, *, limit: int, offset: int = 0) -> tuple[list[TurnRecord], int]:
    with as_not_found("they are listed at /api/v1/session"):
        return await mind.conversations.turns(session_id, limit=limit, offset=offset)


async def _server_sent_events(mind: Mind, message: ChatMessage, scopes: frozenset[str]) -> AsyncIterator[str]:
    """The events of a turn; a reader that leaves interrupts it."""
    turn = mind.stream(
        message.message,
        conversation=message.session_id,
        person=message.person,
        context=message.context,
        scopes=scopes,
    )
    try:
        async with contextlib.aclosing(turn) as events:
            async for event in events:
                if frame := turn_frame(event):
                    yield _server_sent_event(frame)
    except MindError as error:
        yield _server_sent_event(error_frame(error))


def _server_sent_event(frame: TurnFrame) -> str:
    return f"event: {frame['type']}\ndata: {json.dumps(frame)}\n\n"


async def _write(websocket: WebSocket, session: ChatSession) -> None:
    async for event in session.events():
        if frame := chat_frame(event):
            await websocket.send_text(json.dumps(frame))


async def _handle(session: ChatSession, frame: str | bytes, rate_limit: RateLimit) -> ErrorFrame | None:
    """One frame of the client: plain text is something said; JSON may also stop, interrupt, answer a question, or begin
    a new conversation. Returns what is wrong with it; an error about a confirmation has its `id`: no turn ended."""
    confirmation = ""
    try:
        if isinstance(frame, bytes):
            raise InvalidParameter("a binary frame", hint="frames are text")
        if len(frame) > LONGEST_FRAME:
            raise InvalidParameter("the frame is too long", hint=f"at most {LONGEST_FRAME} characters")
        is_json = frame.lstrip().startswith("{")
        control = ChatControl.model_validate_json(frame) if is_json else ChatControl.model_validate({"message": frame})
        if control.type not in ("interrupt", "stop") and not rate_limit.allows():
            raise TooMany("too many frames", hint=f"at most {FRAMES_PER_S:g} a second")
        if control.session_id:
            session.conversation = control.session_id
        match control.type:
            case "say":
                session.say(control.message)
            case "interrupt":
                await session.interrupt()
            case "stop":
                session.stop()
            case "new":
                session.conversation = None
            case "confirm":
                confirmation = control.id[:64]
                session.answer(control.id, approved=control.approve)
            case other:
                raise InvalidParameter(f"no such frame: {other[:40]!r}", hint=FRAMES)
    except ValidationError as error:
        first = error.errors()[0]
        return error_frame(InvalidParameter(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", hint=FRAMES))
    except MindError as error:
        return error_frame(error, confirmation)
    return None


def _session(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "session_id": row["id"],
        "person": row["person"],
        "profile": row["profile"],
        "created_at": _time(row["created_at"]),
        "updated_at": _time(row["updated_at"]),
        "message_count": row["messages"],
        "active_agent": row["agent"],
    }


def _messages(turn: TurnRecord) -> list[dict[str, Any]]:
    said = {"role": "user", "content": turn.said, "timestamp": _time(turn.started_at), "agent": None}
    reply = {
        "role": "assistant",
        "turn_id": turn.id,
        "content": turn.reply,
        "timestamp": _time(turn.ended_at or turn.started_at),
        "agent": turn.agent or turn.brain,
        "brain": turn.brain,
        "tools": asdict(turn)["tools"],
        "state": turn.state,
        "error": turn.error or None,
    }
    return [said, reply] if turn.said else [reply]


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
