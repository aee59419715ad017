"""`RemoteServers`: connections to the allowed MCP servers in `mcp.yaml`, and their tools in the registry."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

from reachy_mind import log, mcp
from reachy_mind.errors import MindError
from reachy_mind.mcp.config_file import McpConfigFile, McpServerEntry, require_free
from reachy_mind.tools.definition import REMOTE, Tool
from reachy_mind.tools.registry import Registry

if TYPE_CHECKING:
    from reachy_mind.mcp.remote_server import RemoteServer
    from reachy_mind.storage.home import Home

_log = log.get(__name__)


class RemoteServers:
    """Use as an async context manager, which waits for no server. An unreadable `mcp.yaml` is a warning."""

    def __init__(self, home: Home, registry: Registry) -> None:
        self._config_file, self._registry = McpConfigFile(home), registry
        self._running: dict[str, tuple[McpServerEntry, contextlib.AsyncExitStack, RemoteServer]] = {}
        self._lock = asyncio.Lock()
        self.trouble = ""
        self.refused: dict[str, str] = {}
        """Servers that are left out because of their name, with the reason."""

    async def __aenter__(self) -> Self:
        try:
            await self.reload()
        except MindError as error:
            self.trouble = error.message
            _log.warning("MCP servers are left out", reason=error.message)
        return self

    async def __aexit__(self, *_: object) -> None:
        async with self._lock:
            for name in list(self._running):
                await self._close(name)

    async def reload(self) -> None:
        """Open and close connections to match the file. Raises ConfigError or MissingExtra; then nothing changes."""
        async with self._lock:
            entries = await asyncio.to_thread(self._config_file.read)
            wanted = self._usable(entry for entry in entries.servers.values() if entry.enabled)
            if wanted:
                mcp.require()
                module = await asyncio.to_thread(importlib.import_module, "reachy_mind.mcp.remote_server")
            for name, (source, _, _) in list(self._running.items()):
                if wanted.get(name) != source:
                    await self._close(name)
            for name, source in wanted.items():
                if name not in self._running:
                    stack = contextlib.AsyncExitStack()
                    remote = await stack.enter_async_context(module.RemoteServer(source, self._update_tools))
                    self._running[name] = source, stack, remote
            self.trouble = ""

    def _usable(self, entries: Iterable[McpServerEntry]) -> dict[str, McpServerEntry]:
        """The servers whose names are no group of other tools; `refused` has the reason for the others."""
        groups = {tool.group for tool in self._registry if not tool.remote}
        usable, self.refused = {}, {}
        for entry in entries:
            try:
                require_free(entry.name, groups)
                usable[entry.name] = entry
            except MindError as error:
                self.refused[entry.name] = error.message
                _log.warning("an MCP server is left out", server=entry.name, reason=error.message, hint=error.hint)
        return usable

    def status(self) -> list[dict[str, Any]]:
        nothing: dict[str, Any] = {"state": "refused", "tools": [], "refused": {}}
        refused = [nothing | {"name": name, "trouble": reason} for name, reason in self.refused.items()]
        return [*(remote.status() for _, _, remote in self._running.values()), *refused]

    async def _close(self, name: str) -> None:
        _, stack, _ = self._running.pop(name)
        self._registry.remove_source(REMOTE + name)
        await stack.aclose()

    def _update_tools(self, remote: RemoteServer, tools: Iterable[Tool]) -> None:
        if remote.source.name not in self._running:
            return  # it was removed meanwhile
        self._registry.remove_source(REMOTE + remote.source.name)
        for tool in tools:
            if not self._registry.add(tool):
                _log.info(
                    "a tool is available by its full name only", tool=tool.qualified, reason="the short one is taken"
                )
