"""Typed errors: what went wrong, a code for programs, a hint for people.

Every error that reaches a user is a `MindError`. The command line prints it as one `error:` and one `hint:` line,
the server and the tools answer with `as_dict()`.
"""

from __future__ import annotations


class MindError(Exception):
    """An error with a stable `code`, a sentence saying what failed and why, and a `hint` saying what to do."""

    code = "ERROR"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def as_dict(self) -> dict[str, str]:
        return {"code": self.code, "message": self.message, "hint": self.hint}


class ConfigError(MindError):
    """A setting is unknown, malformed or out of range."""

    code = "CONFIG_INVALID"


class InvalidParameter(MindError):
    """A caller passed a value that can't be used."""

    code = "INVALID_PARAMETER"


class OutOfReach(InvalidParameter):
    """The robot has no joint positions for this pose."""

    code = "OUT_OF_REACH"


class MoveInvalid(InvalidParameter):
    """A file is no recorded move, or none that a robot should play."""

    code = "MOVE_INVALID"


class NotReady(MindError):
    """A part that is needed is not there yet, or not any more."""

    code = "NOT_READY"


class HardwareError(MindError):
    """The robot (or its daemon) did not do what was asked."""

    code = "HARDWARE_ERROR"


class Cancelled(HardwareError):
    """A movement was ended before its end: by a stop, or by another one."""

    code = "CANCELLED"


class LinkLost(NotReady):
    """There is no connection to the robot's daemon, or a device of its has gone."""

    code = "LINK_LOST"


class VersionMismatch(HardwareError):
    """The daemon speaks another version of the protocol."""

    code = "VERSION_MISMATCH"


class RobotBusy(HardwareError):
    """Another app holds the robot."""

    code = "ROBOT_BUSY"


class AlreadyRunning(MindError):
    """A mind already owns this data folder."""

    code = "ALREADY_RUNNING"


class PortTaken(MindError):
    """Another program listens where we want to."""

    code = "PORT_TAKEN"


class TimedOut(MindError):
    """Something took longer than it was allowed to."""

    code = "TIMEOUT"


class Busy(MindError):
    """A service has too much to do just now."""

    code = "BUSY"


class BadAnswer(MindError):
    """A service answered with something that can't be used."""

    code = "BAD_ANSWER"


class AssetError(MindError):
    """A catalogue asset is missing, can't be fetched or can't be unpacked."""

    code = "ASSET_UNAVAILABLE"


class HashMismatch(AssetError):
    """A downloaded file is not the file the catalogue names."""

    code = "HASH_MISMATCH"


class MissingExtra(MindError):
    """An optional part of the package is not installed."""

    code = "MISSING_EXTRA"

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs the '{extra}' extra, which is not installed",
            hint=f"pip install 'reachy-mind[{extra}]'",
        )


class WorkerError(MindError):
    """A worker process died or could not start."""

    code = "WORKER_FAILED"
