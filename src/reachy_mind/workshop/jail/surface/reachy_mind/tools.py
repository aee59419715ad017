"""The robot's tools for sandboxed code.

    from reachy_mind import tools

    seen = await tools.call("detect_objects")
    tools.keep("photo.jpg")

Every call passes the host's gate: permissions, confirmation by a person, limits, audit. Every tool that the code may
use is also a function of its own name: `await nod(times=2)`.
"""

from __future__ import annotations

import asyncio
import builtins
import importlib
import keyword
import os
import sys
import tempfile
from collections.abc import Callable, MutableMapping
from pathlib import PurePath
from typing import Any

MAX_PATH_CHARS = 512
MAX_FILES = 64
MAX_DEPTH = 12
MAIN_TEXTS = ("description", "message")
"""Fields of a tool's data that hold its main text, the first of them that is there."""

_parameters: dict[str, tuple[str, ...]] = {}
_kept: dict[str, str] = {}


class ToolError(Exception):
    """A call that was refused or failed: a stable `code`, a sentence, and a `hint`."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(f"{code}: {message}" + (f" ({hint})" if hint else ""))
        self.code, self.message, self.hint = code, message, hint


class ToolData(dict[str, Any]):
    """The data of a tool. Where a text is expected, it is its main text: `str()`, `split`, `in`, `+`."""

    @property
    def text(self) -> str:
        """The main text; empty without one."""
        return next((value for name in MAIN_TEXTS if isinstance(value := self.get(name), str)), "")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(str, name):
            raise AttributeError(f"the data of a tool has no {name!r}: it has {', '.join(self) or 'nothing'}")
        return getattr(self.text, name)

    def __getitem__(self, key: Any) -> Any:
        return self.text[key] if isinstance(key, (slice, int)) else super().__getitem__(key)

    def __missing__(self, key: Any) -> Any:
        """A main text by the other of its names."""
        if key in MAIN_TEXTS and self.text:
            return self.text
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or (isinstance(key, str) and key in self.text)

    def __str__(self) -> str:
        return self.text or super().__repr__()

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __add__(self, other: str) -> str:
        return self.text + other

    def __radd__(self, other: str) -> str:
        return other + self.text


async def call(name: str, /, **args: Any) -> Any:
    """Call a tool and return its data. Raises ToolError."""
    return _data(await ask_host("tools.call", {"name": name, "args": args}))


async def ask_host(method: str, args: dict[str, Any]) -> Any:
    """The host's answer to any of its methods. Raises ToolError."""
    try:
        return await _channel().acall(method, args)
    except Exception as error:  # noqa: BLE001 -- raised again
        raise _tool_error(error) from None


def call_and_wait(name: str, /, **args: Any) -> Any:
    """`call` for code that is no coroutine."""
    try:
        return _data(_channel().call("tools.call", {"name": name, "args": args}))
    except Exception as error:  # noqa: BLE001
        raise _tool_error(error) from None


def names() -> list[str]:
    """The names of the tools that this code may call."""
    return sorted(_parameters)


def keep(path: str | os.PathLike[str]) -> str:
    """Keep a file of this run as an artefact. Returns where the host keeps it. Raises ToolError, OSError."""
    file = os.fspath(path)
    with open(file, "rb") as opened:
        content = opened.read()
    try:
        kept = str(_channel().call("artifact.keep", {"name": os.path.basename(file), "data": content}))
    except Exception as error:  # noqa: BLE001
        raise _tool_error(error) from None
    _kept[file] = kept
    return kept


def install_names(namespace: MutableMapping[str, Any], tools: list[dict[str, Any]]) -> None:
    """Put a function for every tool into the globals of a module; names of Python's own stay Python's."""
    for tool in tools:
        name = tool["name"]
        _parameters[name] = tuple(tool.get("parameters", ()))
        if name.isidentifier() and not keyword.iskeyword(name) and not hasattr(builtins, name):
            namespace[name] = _function(name, _parameters[name])


def keep_named_files(result: Any) -> Any:
    """The result with every text that names a file of this run replaced by the artefact that the host keeps."""
    return _with_artefacts(result, 0)


def _with_artefacts(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        return value
    if isinstance(value, dict):
        return {key: _with_artefacts(one, depth + 1) for key, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_with_artefacts(one, depth + 1) for one in value]
    if isinstance(value, (str, PurePath)) and _names_a_file(str(value)):
        return _artefact(str(value))
    return value


def _names_a_file(text: str) -> bool:
    """Whether a text is the path of a regular file of this run: one in its folder or in the temp folder."""
    if not 0 < len(text) <= MAX_PATH_CHARS or not text.isprintable():
        return False
    places = {os.getcwd(), tempfile.gettempdir(), "/tmp"}  # noqa: S108
    whole = os.path.abspath(text)
    inside = any(whole.startswith(place.rstrip("/") + "/") for place in places)
    return inside and os.path.isfile(text) and not os.path.islink(text)


def _artefact(file: str) -> str:
    """Where the file is kept; the text as it is, with a line of output, when it can't be."""
    if file not in _kept:
        try:
            if len(_kept) >= MAX_FILES:
                raise ToolError("TOO_MANY", f"at most {MAX_FILES} files are kept")
            keep(file)
        except (ToolError, OSError) as error:
            sys.stderr.write(f"{file} was not kept: {error}\n")
            return file
    return _kept[file]


def _function(name: str, parameters: tuple[str, ...]) -> Callable[..., Any]:
    def tool(*given: Any, **args: Any) -> Any:
        if len(given) > len(parameters):
            raise TypeError(f"{name} takes {len(parameters)} arguments, and {len(given)} were given")
        named = dict(zip(parameters, given, strict=False))
        if twice := sorted(named.keys() & args.keys()):
            raise TypeError(f"{name} got {twice[0]} twice")
        try:
            asyncio.get_running_loop()
        except RuntimeError:  # no coroutine calls it
            return call_and_wait(name, **named, **args)
        return call(name, **named, **args)

    tool.__name__ = tool.__qualname__ = name
    tool.__doc__ = f"The robot's tool {name}({', '.join(parameters)})."
    return tool


def _data(value: Any) -> Any:
    return ToolData(value) if isinstance(value, dict) else value


def _tool_error(error: Exception) -> Exception:
    code, message = getattr(error, "code", None), getattr(error, "message", None)
    if not isinstance(code, str) or not isinstance(message, str):
        return error
    return ToolError(code, message, str(getattr(error, "hint", "") or ""))


def _channel() -> Any:
    """The worker's channel to its host; only the sandbox has one."""
    try:
        return importlib.import_module("channel")
    except ModuleNotFoundError:
        return importlib.import_module("jail.channel")
