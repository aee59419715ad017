"""`Remotes`: the MCP servers that people allowed, and their tools in the mind's registry."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

from reachy_mind import log, mcp
from reachy_mind.errors import MindError
from reachy_mind.mcp.book import Book, Source
from reachy_mind.tools.definition import REMOTE, Tool
from reachy_mind.tools.registry import Registry

if TYPE_CHECKING:
    from reachy_mind.config import Home
    from reachy_mind.mcp.remote import Remote

_log = log.get(__name__)


class Remotes:
    """Use as an async context manager, which waits for no server. A file that can't be understood is a warning."""

    def __init__(self, home: Home, registry: Registry) -> None:
        self._book, self._registry = Book(home), registry
        self._running: dict[str, tuple[Source, contextlib.AsyncExitStack, Remote]] = {}
        self._changing = asyncio.Lock()
        self.trouble = ""

    async def __aenter__(self) -> Self:
        try:
            await self.reload()
        except MindError as error:
            self.trouble = error.message
            _log.warning("MCP servers are left out", reason=error.message)
        return self

    async def __aexit__(self, *_: object) -> None:
        async with self._changing:
            for name in list(self._running):
                await self._end(name)

    async def reload(self) -> None:
        """Begin and end connections as the file says now. Raises ConfigError or MissingExtra; they then stay."""
        async with self._changing:
            entries = await asyncio.to_thread(self._book.read)
            wanted = {source.name: source for source in entries.servers.values() if source.enabled}
            if wanted:
                mcp.require()
                module = await asyncio.to_thread(importlib.import_module, "reachy_mind.mcp.remote")
            for name, (source, _, _) in list(self._running.items()):
                if wanted.get(name) != source:
                    await self._end(name)
            for name, source in wanted.items():
                if name not in self._running:
                    stack = contextlib.AsyncExitStack()
                    remote = await stack.enter_async_context(module.Remote(source, self._changed))
                    self._running[name] = source, stack, remote
            self.trouble = ""

    def described(self) -> list[dict[str, Any]]:
        return [remote.described() for _, _, remote in self._running.values()]

    async def _end(self, name: str) -> None:
        _, stack, _ = self._running.pop(name)
        self._registry.remove_source(REMOTE + name)
        await stack.aclose()

    def _changed(self, remote: Remote, tools: Iterable[Tool]) -> None:
        if remote.source.name not in self._running:
            return  # it was taken away while it answered
        self._registry.remove_source(REMOTE + remote.source.name)
        for tool in tools:
            if not self._registry.add(tool):
                _log.info("a tool keeps its full name only", tool=tool.qualified, reason="the short one is taken")
