"""The surface packages of the sandbox in this process: their channel is a broker here, as the worker's is one there."""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from reachy_mind import workshop
from reachy_mind.errors import MindError
from reachy_mind.workshop.broker import Broker

SURFACE = Path(workshop.__file__).parent / "jail" / "surface"


class CallFailed(Exception):
    """As the worker's channel raises it."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


class Channel(ModuleType):
    """`channel` for code in another thread: each call is one of the broker's."""

    def __init__(self, broker: Broker) -> None:
        super().__init__("channel")
        self._broker, self._loop = broker, asyncio.get_running_loop()

    def call(self, method: str, args: dict[str, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(self._answered(method, args), self._loop).result(60)

    async def acall(self, method: str, args: dict[str, Any]) -> Any:
        return await asyncio.to_thread(self.call, method, args)

    async def _answered(self, method: str, args: dict[str, Any]) -> Any:
        try:
            return await self._broker.call(method, args)
        except MindError as error:
            raise CallFailed(**error.as_dict()) from None


def load(name: str, file: str) -> ModuleType:
    """A module of the sandbox's surface under a name of its own."""
    spec = importlib.util.spec_from_file_location(name, SURFACE / file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class SurfacePackages:
    """The packages that sandboxed code imports, for code of a test that runs in another thread."""

    def __init__(self) -> None:
        self.tools = load("surface_tools", "reachy_mind/tools.py")
        self.requests = load("surface_requests", "requests/__init__.py")

    def find(self, name: str, *more: Any) -> ModuleType:
        """`import` as the sandbox has it."""
        if name.partition(".")[0] == "reachy_mini":
            return importlib.import_module(f"reachy_mind.tools.sdk.{name}")
        if name == "reachy_mind":
            package = ModuleType(name)
            package.__dict__["tools"] = self.tools
            return package
        return self.requests if name == "requests" else builtins.__import__(name, *more)

    def run(self, code: str, function: str, offered: list[dict[str, Any]], **args: Any) -> Any:
        """Run a function of a file as the worker does: bare tool names, and files that its result names are kept."""
        space: dict[str, Any] = {"__name__": "tool", "__builtins__": vars(builtins) | {"__import__": self.find}}
        self.tools.install_names(space, offered)
        exec(compile(code, "tool.py", "exec"), space)  # noqa: S102 -- our own text
        value = space[function](**args)
        return self.tools.keep_named_files(asyncio.run(value) if asyncio.iscoroutine(value) else value)


@contextlib.contextmanager
def connected(broker: Broker) -> Iterator[SurfacePackages]:
    """The packages, with a channel to this broker."""
    sys.modules["channel"] = Channel(broker)
    try:
        yield SurfacePackages()
    finally:
        for name in ("channel", "surface_tools", "surface_requests", "surface_requests.exceptions"):
            sys.modules.pop(name, None)
