"""`serve_websocket`: the MCP transport of `reachy-mind mcp`: JSON-RPC over a WebSocket, one message per frame."""

from __future__ import annotations

import contextlib
from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.shared.message import SessionMessage
from starlette.websockets import WebSocket, WebSocketDisconnect


async def serve_websocket(server: Server[Any], socket: WebSocket) -> None:
    """Serve a client until either side closes; calls that still run are cancelled."""
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)

    async def receive() -> None:
        async with to_server:
            with contextlib.suppress(WebSocketDisconnect, anyio.BrokenResourceError):
                while True:
                    line = await socket.receive_text()
                    try:
                        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                    except ValueError as error:
                        await to_server.send(error)
                    else:
                        await to_server.send(SessionMessage(message))
        scope.cancel()

    async def send() -> None:
        async with from_server:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                async for message in from_server:
                    await socket.send_text(message.message.model_dump_json(by_alias=True, exclude_unset=True))

    async with anyio.create_task_group() as group:
        scope = group.cancel_scope
        group.start_soon(receive)
        group.start_soon(send)
        await server.run(from_client, to_client, server.create_initialization_options())
        scope.cancel()
