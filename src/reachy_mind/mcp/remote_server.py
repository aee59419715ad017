"""`RemoteServer`: the connection to one external MCP server, whose tools the mind may use.

Everything the server sends is untrusted: descriptions are truncated and marked, results are data of limited size, and
its tools need a person's confirmation unless a rule names them. A task owns the connection and reconnects with backoff;
only callers of its tools ever wait for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
from collections.abc import AsyncIterator, Callable
from typing import Any, Literal

import httpx2
import mcp_types as types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from mcp import Client, StdioServerParameters, stdio_client
from reachy_mind import __version__, log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.mcp.config_file import McpServerEntry
from reachy_mind.mcp.response_limit import HEADERS, limit_response
from reachy_mind.tools.context import Context
from reachy_mind.tools.definition import NAME, REMOTE, Tool, ToolError

CONNECT_TIMEOUT_S = 20.0
CALL_TIMEOUT_S = 60.0
TOOL_REFRESH_S = 60.0
FIRST_BACKOFF_S, MAX_BACKOFF_S = 1.0, 60.0
MAX_TOOLS, MAX_PAGES = 64, 10
MAX_DESCRIPTION, MAX_SCHEMA, MAX_ARGUMENTS = 600, 16_000, 64_000
"""Characters; schema and arguments as JSON."""
MAX_TEXT = 20_000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")

State = Literal["connecting", "connected", "lost", "ended"]

_log = log.get(__name__)


class RemoteServer:
    """Use as an async context manager, which does not wait for the server.

    `on_tools` is called with the server's tools whenever they change.
    """

    def __init__(self, source: McpServerEntry, on_tools: Callable[[RemoteServer, list[Tool]], None]) -> None:
        self.source, self._on_tools = source, on_tools
        self.state: State = "connecting"
        self.trouble = ""
        self.refused: dict[str, str] = {}
        self.tools: list[str] = []
        self._client: Client | None = None
        self._broken, self._closing = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> RemoteServer:
        self._task = asyncio.create_task(self._stay_connected(), name=f"mcp {self.source.name}")
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._closing.set()  # the library may turn a cancellation into another error: then the loop ends by this
        await cancel_and_wait(self._task)
        self.state = "ended"

    def status(self) -> dict[str, Any]:
        """The state of the connection, for people."""
        return {"name": self.source.name, "state": self.state, "trouble": self.trouble, "tools": self.tools} | {
            "refused": self.refused
        }

    async def _stay_connected(self) -> None:
        backoff_s = FIRST_BACKOFF_S
        while not self._closing.is_set():
            try:
                async with self._connect() as client:
                    backoff_s = FIRST_BACKOFF_S
                    await self._watch(client)
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001 -- a broken server must not affect anything else
                self._note_failure(error)
            finally:
                self._client = None
            self.state = "lost"
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(backoff_s):
                    await self._closing.wait()
            backoff_s = min(backoff_s * 2, MAX_BACKOFF_S)

    def _note_failure(self, error: BaseException) -> None:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        message = error.message if isinstance(error, MindError) else f"{type(error).__name__}: {error}"
        if message != self.trouble:  # once, not at every retry
            _log.warning("an MCP server can't be used", server=self.source.name, reason=message[:300])
        self.trouble = _clean(message, 300)

    @contextlib.asynccontextmanager
    async def _connect(self) -> AsyncIterator[Client]:
        """Raises ConfigError, or any error of the library."""
        environment, headers = self.source.values()
        info = types.Implementation(name="reachy-mind", version=__version__)
        async with contextlib.AsyncExitStack() as stack:
            if self.source.url:
                http = httpx2.AsyncClient(
                    headers=HEADERS | headers,
                    timeout=httpx2.Timeout(CONNECT_TIMEOUT_S, read=CALL_TIMEOUT_S),
                    event_hooks={"response": [limit_response]},
                )
                await stack.enter_async_context(http)
                transport = streamable_http_client(self.source.url, http_client=http)
            else:
                program, *arguments = self.source.command
                # Its stderr is discarded: it could fill any file.
                discard = stack.enter_context(os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
                started = StdioServerParameters(command=program, args=arguments, env=environment)
                transport = stdio_client(started, errlog=discard)
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                client = await stack.enter_async_context(Client(transport, client_info=info))
            yield client

    async def _watch(self, client: Client) -> None:
        """List the server's tools now and then, until the connection breaks. Raises NotReady."""
        self._broken.clear()
        known: list[types.Tool] = []
        while True:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                listed = await _list_tools(client)
            if self._client is None or listed != known:
                known = listed
                self._client, self.state, self.trouble = client, "connected", ""
                self._on_tools(self, self._accept(listed))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TOOL_REFRESH_S):
                    await self._broken.wait()
                    raise NotReady("the connection broke")

    def _accept(self, listed: list[types.Tool]) -> list[Tool]:
        """The server's tools as ours; unusable ones are in `refused`, with the reason."""
        self.refused, found = {}, dict[str, Tool]()
        for offered in listed:
            name = re.sub(r"[^a-z0-9]+", "_", offered.name.lower()).strip("_")
            if not NAME.fullmatch(name) or name in found:
                self.refused[_clean(offered.name, 64)] = "its name can't be used" if name not in found else "twice"
            elif len(json.dumps(offered.input_schema)) > MAX_SCHEMA:
                self.refused[name] = f"its parameters take more than {MAX_SCHEMA} characters"
            else:
                found[name] = self._tool(name, offered)
        self.tools = list(found)
        return list(found.values())

    def _tool(self, name: str, offered: types.Tool) -> Tool:
        stated = _clean(offered.description or "", MAX_DESCRIPTION) or "no description"
        # One line: a confirmation shows the first line only.
        description = f"A tool of the MCP server {self.source.name}, which says of it (not checked): {stated!r}"

        def check(given: dict[str, Any]) -> dict[str, Any]:
            if len(json.dumps(given, default=str)) > MAX_ARGUMENTS:
                raise InvalidParameter(f"{name}: these arguments are too long", hint="use shorter arguments")
            return given

        async def run(_: Context, given: dict[str, Any]) -> Any:
            return await self._call_tool(offered.name, given)

        schema = offered.input_schema | {"type": "object"}
        source = REMOTE + self.source.name
        return Tool(
            name, self.source.name, description, schema, check, run, timeout_s=CALL_TIMEOUT_S + 5, source=source
        )

    async def _call_tool(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        client = self._client
        if client is None:
            why = self.trouble or "it is starting"
            raise NotReady(f"the MCP server {self.source.name} is not connected: {why}", hint="try again in a moment")
        try:
            async with asyncio.timeout(CALL_TIMEOUT_S):
                answer = await client.call_tool(name, given)
        except TimeoutError:
            raise ToolError("TIMEOUT", f"{self.source.name} did not answer within {CALL_TIMEOUT_S:g} s") from None
        except MCPError as error:
            if error.code in (types.CONNECTION_CLOSED, types.REQUEST_TIMEOUT):
                self._broken.set()
            raise ToolError("TOOL_FAILED", f"{self.source.name} answered: {_clean(error.message, 500)}") from None
        except Exception as error:  # a closed stream, a broken pipe: any error of the library
            self._broken.set()
            raise NotReady(
                f"the MCP server {self.source.name} is gone: {error}", hint="reconnecting: try again in a moment"
            ) from error
        text = _text(answer)
        if answer.is_error:
            raise ToolError("TOOL_FAILED", f"{self.source.name} answered: {text[:500] or 'an error'}")
        result: dict[str, Any] = {"server": self.source.name, "untrusted": True, "text": text}
        if answer.structured_content is not None and len(json.dumps(answer.structured_content)) <= MAX_TEXT:
            result["content"] = answer.structured_content
        return result | _image(answer)


async def _list_tools(client: Client) -> list[types.Tool]:
    found: list[types.Tool] = []
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        found += page.tools
        cursor = page.next_cursor
        if cursor is None or len(found) >= MAX_TOOLS:
            break
    return found[:MAX_TOOLS]


def _text(answer: types.CallToolResult) -> str:
    parts = [block.text if isinstance(block, types.TextContent) else f"({block.type})" for block in answer.content]
    return _clean("\n".join(part[:MAX_TEXT] for part in parts), MAX_TEXT, lines=True)


def _image(answer: types.CallToolResult) -> dict[str, str]:
    for block in answer.content:
        if isinstance(block, types.ImageContent):
            return {"image": block.data, "mime": block.mime_type}
    return {}


def _clean(text: str, limit: int, *, lines: bool = False) -> str:
    """Without control and invisible characters, truncated to `limit`."""
    visible = _CONTROL.sub("", text[: limit * 2])
    visible = visible if lines else " ".join(visible.split())
    return visible if len(visible) <= limit else f"{visible[:limit]}..."
