"""`Remote`: one MCP server that is not ours, whose tools the mind may use, and the connection to it.

What it says of itself is untrusted: its descriptions are cut and marked, its results are data of bounded size, its
tools ask a person unless a rule names them. A task owns the connection, begins it again when it breaks, and never
keeps anybody waiting but who calls a tool of it.
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
from reachy_mind.ending import ended
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.mcp.book import Source
from reachy_mind.tools.context import Context
from reachy_mind.tools.definition import NAME, REMOTE, Tool, ToolError

CONNECT_S = 20.0
CALL_S = 60.0
LOOK_AGAIN_S = 60.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
MOST_TOOLS, MOST_PAGES = 64, 10
LONGEST_DESCRIPTION, LARGEST_SCHEMA, LARGEST_ARGUMENTS = 600, 16_000, 64_000
LONGEST_TEXT = 20_000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")

State = Literal["connecting", "connected", "lost", "ended"]

_log = log.get(__name__)


class Remote:
    """Use as an async context manager, which returns at once. `changed` is told its tools whenever they change."""

    def __init__(self, source: Source, changed: Callable[[Remote, list[Tool]], None]) -> None:
        self.source, self._changed = source, changed
        self.state: State = "connecting"
        self.trouble = ""
        self.refused: dict[str, str] = {}
        self.tools: list[str] = []
        self._client: Client | None = None
        self._broken, self._closing = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Remote:
        self._task = asyncio.create_task(self._keep(), name=f"mcp {self.source.name}")
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._closing.set()  # the library may make another error of a cancellation: then the task goes by this
        await ended(self._task)
        self.state = "ended"

    def described(self) -> dict[str, Any]:
        """How it is, for people."""
        return {"name": self.source.name, "state": self.state, "trouble": self.trouble, "tools": self.tools} | {
            "refused": self.refused
        }

    async def _keep(self) -> None:
        pause = FIRST_PAUSE_S
        while not self._closing.is_set():
            try:
                async with self._connected() as client:
                    pause = FIRST_PAUSE_S
                    await self._stay(client)
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001 -- whatever is wrong with it is wrong with it alone
                self._lost(error)
            finally:
                self._client = None
            self.state = "lost"
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._closing.wait()
            pause = min(pause * 2, LONGEST_PAUSE_S)

    def _lost(self, error: BaseException) -> None:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        message = error.message if isinstance(error, MindError) else f"{type(error).__name__}: {error}"
        if message != self.trouble:  # once, not every time it is tried again
            _log.warning("an MCP server can't be used", server=self.source.name, reason=message[:300])
        self.trouble = _clean(message, 300)

    @contextlib.asynccontextmanager
    async def _connected(self) -> AsyncIterator[Client]:
        """Raises ConfigError, or what the library raises."""
        environment, headers = self.source.values()
        info = types.Implementation(name="reachy-mind", version=__version__)
        async with contextlib.AsyncExitStack() as stack:
            if self.source.url:
                http = httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(CONNECT_S, read=CALL_S))
                await stack.enter_async_context(http)
                transport = streamable_http_client(self.source.url, http_client=http)
            else:
                program, *arguments = self.source.command
                # Its complaints have nowhere to go that could not be filled by it.
                nowhere = stack.enter_context(os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
                started = StdioServerParameters(command=program, args=arguments, env=environment)
                transport = stdio_client(started, errlog=nowhere)
            async with asyncio.timeout(CONNECT_S):
                client = await stack.enter_async_context(Client(transport, client_info=info))
            yield client

    async def _stay(self, client: Client) -> None:
        """Until it breaks; what it offers is looked at now and then."""
        self._broken.clear()
        known: list[types.Tool] = []
        while True:
            async with asyncio.timeout(CONNECT_S):
                listed = await _listed(client)
            if self._client is None or listed != known:
                known = listed
                self._client, self.state, self.trouble = client, "connected", ""
                self._changed(self, self._taken(listed))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN_S):
                    await self._broken.wait()
                    raise NotReady("the connection broke")

    def _taken(self, listed: list[types.Tool]) -> list[Tool]:
        """Its tools as ours; what can't be one of ours is left out, with the reason."""
        self.refused, found = {}, dict[str, Tool]()
        for offered in listed:
            name = re.sub(r"[^a-z0-9]+", "_", offered.name.lower()).strip("_")
            if not NAME.fullmatch(name) or name in found:
                self.refused[_clean(offered.name, 64)] = "its name can't be used" if name not in found else "twice"
            elif len(json.dumps(offered.input_schema)) > LARGEST_SCHEMA:
                self.refused[name] = f"its parameters take more than {LARGEST_SCHEMA} characters"
            else:
                found[name] = self._tool(name, offered)
        self.tools = list(found)
        return list(found.values())

    def _tool(self, name: str, offered: types.Tool) -> Tool:
        said = _clean(offered.description or "", LONGEST_DESCRIPTION) or "no description"
        # One line: what a person is asked about is the first one.
        description = f"A tool of the MCP server {self.source.name}, which says of it (not checked): {said!r}"

        def check(given: dict[str, Any]) -> dict[str, Any]:
            if len(json.dumps(given, default=str)) > LARGEST_ARGUMENTS:
                raise InvalidParameter(f"{name}: these arguments are too long", hint="say it in fewer words")
            return given

        async def run(_: Context, given: dict[str, Any]) -> Any:
            return await self._called(offered.name, given)

        schema = offered.input_schema | {"type": "object"}
        source = REMOTE + self.source.name
        return Tool(name, self.source.name, description, schema, check, run, timeout_s=CALL_S + 5, source=source)

    async def _called(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        client = self._client
        if client is None:
            why = self.trouble or "it is starting"
            raise NotReady(f"the MCP server {self.source.name} is not connected: {why}", hint="try again in a moment")
        try:
            async with asyncio.timeout(CALL_S):
                answer = await client.call_tool(name, given)
        except TimeoutError:
            raise ToolError("TIMEOUT", f"{self.source.name} did not answer within {CALL_S:g} s") from None
        except MCPError as error:
            if error.code in (types.CONNECTION_CLOSED, types.REQUEST_TIMEOUT):
                self._broken.set()
            raise ToolError("TOOL_FAILED", f"{self.source.name} answered: {_clean(error.message, 500)}") from None
        except Exception as error:  # a closed stream, a broken pipe: whatever the library found
            self._broken.set()
            raise NotReady(f"the MCP server {self.source.name} is gone: {error}", hint="it is tried again") from error
        said = _said(answer)
        if answer.is_error:
            raise ToolError("TOOL_FAILED", f"{self.source.name} answered: {said[:500] or 'an error'}")
        told: dict[str, Any] = {"server": self.source.name, "untrusted": True, "text": said}
        if answer.structured_content is not None and len(json.dumps(answer.structured_content)) <= LONGEST_TEXT:
            told["content"] = answer.structured_content
        return told | _picture(answer)


async def _listed(client: Client) -> list[types.Tool]:
    found: list[types.Tool] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        found += page.tools
        cursor = page.next_cursor
        if cursor is None or len(found) >= MOST_TOOLS:
            break
    return found[:MOST_TOOLS]


def _said(answer: types.CallToolResult) -> str:
    parts = [block.text if isinstance(block, types.TextContent) else f"({block.type})" for block in answer.content]
    return _clean("\n".join(part[:LONGEST_TEXT] for part in parts), LONGEST_TEXT, lines=True)


def _picture(answer: types.CallToolResult) -> dict[str, str]:
    for block in answer.content:
        if isinstance(block, types.ImageContent):
            return {"image": block.data, "mime": block.mime_type}
    return {}


def _clean(text: str, most: int, *, lines: bool = False) -> str:
    """Without what could not be seen, and no longer than that."""
    seen = _CONTROL.sub("", text[: most * 2])
    seen = seen if lines else " ".join(seen.split())
    return seen if len(seen) <= most else f"{seen[:most]}..."
