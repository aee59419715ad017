"""`converse`: MCP over a socket of ours, for a client that started `reachy-mind mcp`: a message a frame."""

from __future__ import annotations

import contextlib
from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.shared.message import SessionMessage
from starlette.websockets import WebSocket, WebSocketDisconnect


async def converse(server: Server[Any], socket: WebSocket) -> None:
    """Until either side has left; what was under way for it is cancelled."""
    hears, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    says, said = anyio.create_memory_object_stream[SessionMessage](0)

    async def listen() -> None:
        async with hears:
            with contextlib.suppress(WebSocketDisconnect, anyio.BrokenResourceError):
                while True:
                    line = await socket.receive_text()
                    try:
                        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                    except ValueError as error:
                        await hears.send(error)
                    else:
                        await hears.send(SessionMessage(message))
        scope.cancel()

    async def speak() -> None:
        async with said:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                async for message in said:
                    await socket.send_text(message.message.model_dump_json(by_alias=True, exclude_unset=True))

    async with anyio.create_task_group() as group:
        scope = group.cancel_scope
        group.start_soon(listen)
        group.start_soon(speak)
        await server.run(heard, says, server.create_initialization_options())
        scope.cancel()
