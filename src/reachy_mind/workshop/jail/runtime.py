"""Runs one job in a worker that is locked down, and sends its result.

A failure becomes an error with a traceback of the code's own lines.
"""

from __future__ import annotations

import _thread
import ast
import asyncio
import builtins
import gc
import importlib
import inspect
import linecache
import os
import sys
import traceback
from pathlib import PurePath
from types import ModuleType, TracebackType
from typing import Any

from . import channel, entry_point, output, results

MAX_MESSAGE = 4000
MAX_TRACEBACK = 16_000
MAX_FRAMES = 20


def run(job: dict[str, Any], output_bytes: int) -> None:
    """Run the job, send its result, and wait for the end by the host.

    A process that ends by itself can lose its result: the host may fail to send an answer before it has read it.
    """
    gc.enable()
    channel.start_reader()
    output.capture(output_bytes)
    filename = PurePath(str(job["filename"])).name or "tool.py"
    try:
        message = {"ok": True, "value": _value(job, filename)}
    except BaseException as error:  # noqa: BLE001  (also SystemExit and KeyboardInterrupt)
        message = {"ok": False, "error": _described(error, filename)}
    try:
        output.flush()
        channel.send({"type": "result", **message})
    except BaseException:  # noqa: BLE001  (the code may have closed the channel)
        os._exit(1)
    forever = _thread.allocate_lock()
    forever.acquire()
    forever.acquire()


def _value(job: dict[str, Any], filename: str) -> Any:
    code = str(job["code"])
    linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
    tree = ast.parse(code, filename)
    stem = PurePath(filename).stem
    chosen = entry_point.choose(tree, stem, job.get("function"))
    module = _module(stem if chosen else "__main__", filename)
    if job.get("virtual"):
        importlib.import_module("virtual_clock").install(channel, job.get("now"))
    tools = importlib.import_module("reachy_mind.tools")
    tools.install_names(module.__dict__, job.get("tools") or [])
    exec(compile(tree, filename, "exec"), module.__dict__)  # noqa: S102  (this is what a worker is for)
    if chosen is None:
        return None
    value = entry_point.lookup(module.__dict__, chosen)(**(job.get("args") or {}))
    if inspect.isawaitable(value):
        value = asyncio.run(_awaited(value))
    return results.plain(tools.keep_named_files(results.plain(value)))


async def _awaited(value: Any) -> Any:
    return await value


def _module(name: str, filename: str) -> ModuleType:
    """Return the module that the code becomes; it never replaces one that is loaded."""
    if name != "__main__" and (name in sys.modules or not name.isidentifier()):
        name = f"tool_{name}"
    module = ModuleType(name)
    module.__file__ = filename
    module.__builtins__ = builtins  # type: ignore[attr-defined]
    sys.modules[name] = module
    return module


def _described(error: BaseException, filename: str) -> dict[str, str]:
    kind = "RESULT" if isinstance(error, results.ResultError) else type(error).__name__
    try:
        message = _message(error)
    except Exception:  # noqa: BLE001  (its own __str__ failed)
        message = "an error that can't be shown"
    return {"type": kind[:100], "message": message[:MAX_MESSAGE], "traceback": _trace(error, filename)[:MAX_TRACEBACK]}


def _message(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"the code called exit({error.code!r}); return a value instead"
    if isinstance(error, SyntaxError):
        return f"{error.msg} (line {error.lineno})"
    return str(error)


def _trace(error: BaseException, filename: str) -> str:
    """Return the traceback with the lines of the code itself, and of nothing else."""
    try:
        frames = [frame for frame in _frames(error.__traceback__) if frame.filename == filename][-MAX_FRAMES:]
        ending = traceback.format_exception_only(type(error), error)
        if not frames:
            return "".join(ending)
        return "".join(["Traceback (most recent call last):\n", *traceback.format_list(frames), *ending])
    except Exception:  # noqa: BLE001  (an exception class of the code may do anything)
        return ""


def _frames(trace: TracebackType | None) -> traceback.StackSummary:
    return traceback.extract_tb(trace)
