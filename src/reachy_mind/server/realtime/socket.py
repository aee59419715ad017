"""The WebSocket `/v1/realtime`: who may come in, and how many at once."""

from __future__ import annotations

import contextlib

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from reachy_mind import log
from reachy_mind.access.authorization import principal_of
from reachy_mind.errors import MindError
from reachy_mind.mind import Mind
from reachy_mind.server.realtime.call import RealtimeCall
from reachy_mind.server.realtime.dialect import wants_beta

MOST_CALLS = 4
"""Each runs voice activity detection all the time, which takes a twentieth of a processor core."""
TRY_LATER = 1013
PROTOCOL = "realtime"

_log = log.get(__name__)


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/v1")
    calls: set[RealtimeCall] = set()

    @routes.websocket("/realtime")
    async def realtime(websocket: WebSocket) -> None:
        """A spoken conversation in OpenAI's Realtime protocol: see docs/other-programs.md."""
        offered = websocket.scope.get("subprotocols", [])
        await websocket.accept(subprotocol=PROTOCOL if PROTOCOL in offered else None)
        principal = principal_of(websocket.scope)
        if len(calls) >= MOST_CALLS:
            message = f"{MOST_CALLS} Realtime clients are connected; try again later"
            await _refuse(websocket, "session_limit_reached", message)
            return
        call = RealtimeCall(
            mind,
            websocket,
            scopes=principal.scopes,
            confirms=principal.may("confirm"),
            beta=wants_beta(dict(websocket.scope["headers"])),
        )
        calls.add(call)
        try:
            await call.run()
        except MindError as error:
            await _refuse(websocket, error.code, error.message)
        except (WebSocketDisconnect, RuntimeError):
            pass  # the client has left
        finally:
            calls.discard(call)

    return routes


async def _refuse(websocket: WebSocket, code: str, message: str) -> None:
    _log.info("a Realtime client was refused", reason=message)
    error = {"type": "server_error", "code": code, "message": message, "param": None, "event_id": None}
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        await websocket.send_json({"type": "error", "event_id": "event_refused", "error": error})
        await websocket.close(TRY_LATER, message[:100])
