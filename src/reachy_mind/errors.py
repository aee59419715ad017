"""Typed errors: a message, a stable code for programs, and a hint for people.

Every error that reaches a user is a `MindError`. The command line prints it as one `error:` and one `hint:` line,
the server and the tools return `as_dict()`.
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
    """A file is not a recorded move, or not one that a robot should play."""

    code = "MOVE_INVALID"


class NotReady(MindError):
    """A needed part is not available yet, or no longer."""

    code = "NOT_READY"


class HardwareError(MindError):
    """The robot (or its daemon) did not do what was asked."""

    code = "HARDWARE_ERROR"


class Cancelled(HardwareError):
    """A movement was cancelled, by a stop or by another movement."""

    code = "CANCELLED"


class LinkLost(NotReady):
    """The connection to the robot's daemon, or to one of its devices, is lost."""

    code = "LINK_LOST"


class VersionMismatch(HardwareError):
    """The daemon speaks another version of the protocol."""

    code = "VERSION_MISMATCH"


class RobotBusy(HardwareError):
    """Another app has the robot's lock."""

    code = "ROBOT_BUSY"


class AlreadyRunning(MindError):
    """A mind already owns this data folder."""

    code = "ALREADY_RUNNING"


class PortTaken(MindError):
    """Another program uses the port."""

    code = "PORT_TAKEN"


class TimedOut(MindError):
    """An operation exceeded its timeout."""

    code = "TIMEOUT"


class Busy(MindError):
    """A service is overloaded."""

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


class TooMany(MindError):
    """A limit is reached; try again later."""

    code = "BUSY"
