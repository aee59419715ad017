"""The seam between the SDK and the robot: `call(method, args) -> value`, and `acall` for coroutines.

In the sandbox every call is one message over the worker's channel. A program that hosts the SDK in its own process
connects a transport of its own (`connect`), or gives one to `ReachyMini`.
"""

from __future__ import annotations

import importlib
from typing import Any, Protocol


class RobotCallError(RuntimeError):
    """A call that the host refused or that failed: a stable `code`, a sentence, and a `hint`."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.code, self.message, self.hint = code, message, hint


class InvalidArgument(RobotCallError, ValueError):
    """A value that the robot can't use."""


INVALID_CODES = frozenset({"INVALID_PARAMETER", "OUT_OF_REACH"})


class Transport(Protocol):
    """What carries the calls."""

    def call(self, method: str, args: dict[str, Any]) -> Any:
        """Call, and wait for the value."""

    async def acall(self, method: str, args: dict[str, Any]) -> Any:
        """Call, and await the value."""


class ChannelTransport:
    """The worker's channel to its host."""

    def call(self, method: str, args: dict[str, Any]) -> Any:
        try:
            return _channel().call(method, args)
        except Exception as error:  # noqa: BLE001 -- raised again
            raise as_call_error(error) from None

    async def acall(self, method: str, args: dict[str, Any]) -> Any:
        try:
            return await _channel().acall(method, args)
        except Exception as error:  # noqa: BLE001 -- raised again
            raise as_call_error(error) from None


def as_call_error(error: Exception) -> Exception:
    """The error of a refused call; any other error as it is."""
    code, message = getattr(error, "code", None), getattr(error, "message", None)
    if not isinstance(code, str) or not isinstance(message, str):
        return error
    kind = InvalidArgument if code in INVALID_CODES else RobotCallError
    return kind(code, message, str(getattr(error, "hint", "") or ""))


def _channel() -> Any:
    """The worker's channel to its host; only the sandbox has one."""
    try:
        return importlib.import_module("channel")
    except ModuleNotFoundError:
        return importlib.import_module("jail.channel")


_default: Transport = ChannelTransport()


def connect(transport: Transport) -> None:
    """Use this transport from now on, wherever none is given."""
    global _default  # noqa: PLW0603 -- one seam for the whole package
    _default = transport


def default() -> Transport:
    """The transport of objects that were given none."""
    return _default
