"""Routes to talk with the mind: one answer, a stream of it, a socket, and what was said before."""

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

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.memory.conversations import Record
from reachy_mind.mind import Mind
from reachy_mind.profiles.profile import UnknownProfile
from reachy_mind.response import Response
from reachy_mind.server.dialogue import Dialogue, described
from reachy_mind.server.frames import NotFound, frame_of, looked_up
from reachy_mind.server.limits import Pace
from reachy_mind.server.visitors import demand, scope_of, visitor_of
from reachy_mind.tools.context import Caller
from reachy_mind.tools.tasks import TooMany
from reachy_mind.turns import LONGEST_TEXT

LONGEST_FRAME = 64 << 10
FRAMES = "say, stop, interrupt, confirm or new"
FRAMES_PER_S, FRAMES_AT_ONCE = 20.0, 60.0
Offset = Annotated[int, Query(ge=0, le=1 << 40)]
Limit = Annotated[int, Query(ge=1, le=500)]


class Message(BaseModel):
    """Something a person says."""

    model_config = ConfigDict(extra="forbid")

    message: str = Field(min_length=1, max_length=LONGEST_TEXT)
    session_id: str | None = Field(None, max_length=64)
    profile: str | None = Field(None, max_length=64)
    person: str = Field("", max_length=64)
    context: dict[str, Any] = Field(default_factory=dict)
    stream: bool = False


class Control(BaseModel):
    """A frame on the chat socket."""

    model_config = ConfigDict(extra="forbid")

    type: str = "say"
    message: str = Field("", max_length=LONGEST_TEXT)
    session_id: str | None = Field(None, max_length=64)
    id: str = ""
    approve: bool = False


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")

    @routes.post("/chat", response_model=None)
    async def chat(said: Message, request: Request) -> dict[str, Any] | StreamingResponse:
        if said.profile not in (None, mind.profile.name):
            demand(request.scope, scope_of("POST", "/api/v1/profiles/{name}/activate"))
            await _become(mind, said)
        if said.stream:
            return StreamingResponse(_as_events(mind, said), media_type="text/event-stream")
        return answered(
            await mind.ask(said.message, conversation=said.session_id, person=said.person, context=said.context)
        )

    @routes.websocket("/ws/chat")
    async def socket(websocket: WebSocket, session_id: str | None = None, channel: bool = True) -> None:
        """Frames in, events out, as `dialogue` has them. `channel=false`: there is no person who could be asked."""
        await websocket.accept()
        pace = Pace(FRAMES_PER_S, FRAMES_AT_ONCE)
        channel = channel and visitor_of(websocket.scope).may("confirm")
        async with Dialogue(mind, "chat socket", conversation=session_id, channel=channel) as dialogue:
            writer = asyncio.create_task(_write(websocket, dialogue))
            try:
                while True:
                    await _obey(dialogue, websocket, await frame_of(websocket), pace)
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
        with looked_up("they are listed at /api/v1/session"):
            return _session(await mind.conversations.about(session_id))

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


async def _become(mind: Mind, said: Message) -> None:
    try:
        await mind.act("mind.set_personality", {"name": said.profile}, Caller("person", "rest", said.person))
    except MindError as error:
        if error.code != UnknownProfile.code:
            raise
        raise InvalidParameter(error.message, hint=error.hint) from None  # a word of the message is wrong


async def _turns(mind: Mind, session_id: str, *, limit: int, offset: int = 0) -> tuple[list[Record], int]:
    with looked_up("they are listed at /api/v1/session"):
        return await mind.conversations.turns(session_id, limit=limit, offset=offset)


def answered(response: Response) -> dict[str, Any]:
    """A response in the words of the API."""
    return {
        "response": response.text,
        "session_id": response.conversation,
        "agent_used": response.agent or response.brain,
        "tools_called": [call.as_dict() for call in response.tool_calls],
        "trace_id": response.turn,
        "latency_ms": round(response.latency_ms, 2),
        "duration_ms": round(response.duration_ms, 2),
        "cost_usd": response.cost_usd,
        "error": response.error,
    } | {key: told for key, told in response.thinking().items() if key != "agent"}


async def _as_events(mind: Mind, said: Message) -> AsyncIterator[str]:
    """Server-sent events; a reader that leaves cuts the turn short."""
    asked = mind.stream(said.message, conversation=said.session_id, person=said.person, context=said.context)
    try:
        async with contextlib.aclosing(asked) as thoughts:
            async for thought in thoughts:
                if told := described(thought):
                    yield f"event: {told['type']}\ndata: {json.dumps(told)}\n\n"
    except MindError as error:
        yield f"event: error\ndata: {json.dumps({'type': 'error', **error.as_dict()})}\n\n"


async def _write(websocket: WebSocket, dialogue: Dialogue) -> None:
    async for told in dialogue.events():
        await websocket.send_text(json.dumps(told))


async def _obey(dialogue: Dialogue, websocket: WebSocket, frame: str | bytes, pace: Pace) -> None:
    """One frame: plain text is something said; JSON may also stop, interrupt, answer a question, begin a new talk.

    What is wrong with a frame is told at once. The error of an answer to a question names it (`id`): no turn ended.
    """
    about: dict[str, str] = {}
    try:
        if isinstance(frame, bytes):
            raise InvalidParameter("a binary frame", hint="frames are text")
        if len(frame) > LONGEST_FRAME:
            raise InvalidParameter("the frame is too long", hint=f"at most {LONGEST_FRAME} characters")
        structured = frame.lstrip().startswith("{")
        control = Control.model_validate_json(frame) if structured else Control.model_validate({"message": frame})
        if control.type not in ("interrupt", "stop") and not pace.allows():
            raise TooMany("too many frames", hint=f"at most {FRAMES_PER_S:g} a second")
        if control.session_id:
            dialogue.conversation = control.session_id
        match control.type:
            case "say":
                dialogue.say(control.message)
            case "interrupt":
                await dialogue.interrupt()
            case "stop":
                dialogue.stop()
            case "new":
                dialogue.conversation = None
            case "confirm":
                about = {"id": control.id[:64]}
                dialogue.answer(control.id, approved=control.approve)
            case other:
                raise InvalidParameter(f"no such frame: {other[:40]!r}", hint=FRAMES)
    except ValidationError as error:
        first = error.errors()[0]
        wrong = InvalidParameter(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", hint=FRAMES)
        await websocket.send_text(json.dumps({"type": "error", **wrong.as_dict()}))
    except MindError as error:
        await websocket.send_text(json.dumps({"type": "error", **error.as_dict(), **about}))


def _session(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "session_id": row["id"],
        "person": row["person"],
        "profile": row["profile"],
        "created_at": _time(row["created_at"]),
        "updated_at": _time(row["updated_at"]),
        "message_count": row["turns"],
        "active_agent": row["brain"],
    }


def _messages(turn: Record) -> list[dict[str, Any]]:
    told = asdict(turn)
    said = {"role": "user", "content": turn.said, "timestamp": _time(turn.started_at), "agent": None}
    reply = {
        "role": "assistant",
        "content": turn.reply,
        "timestamp": _time(turn.ended_at or turn.started_at),
        "agent": turn.brain,
        "tools": told["tools"],
        "state": turn.state,
        "error": turn.error or None,
    }
    return [said, reply] if turn.said else [reply]


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
