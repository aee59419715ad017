"""Limits of a program that runs in the sandbox, how it ended, and what it changed in its working copy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from reachy_mind.errors import MindError

Ending = Literal["exited", "killed", "timeout", "memory", "output"]
MB = 1 << 20


class ProgramMissing(MindError):
    """The sandbox has no program of this name."""

    code = "PROGRAM_MISSING"


class SandboxFailed(MindError):
    """The sandbox of a program did not start, or ended before it."""

    code = "SANDBOX_FAILED"


@dataclass(frozen=True)
class ProgramLimits:
    """What a program may use; memory and CPU time for each of its processes, memory also together."""

    memory_mb: int = 2048
    files_mb: int = 1024
    """Of everything it writes, in memory."""
    files: int = 200_000
    tasks: int = 256
    """Processes and threads."""
    output_mb: int = 16
    content_mb: int = 32
    """Of changed files that are read back."""
    content_file_mb: int = 4
    differences: int = 2000


@dataclass(frozen=True)
class ProgramChange:
    """A path that the program changed: `kind` is new, changed, deleted or other. `content`: where it was read back."""

    path: str
    kind: str
    size: int = 0
    content: bytes | None = None


@dataclass(frozen=True)
class ProgramResult:
    """`status`: the exit status, negative for a signal; `output`: its end, and its beginning where it is long."""

    status: int
    ending: Ending
    output: bytes
    cut: bool
    seconds: float
    changes: tuple[ProgramChange, ...] = ()
    more_changes: bool = False
    layers: Mapping[str, str] = field(default_factory=dict)
    working_copy: str = ""

    @property
    def succeeded(self) -> bool:
        return self.ending == "exited" and self.status == 0
