"""What one run of untrusted code may use, what it used, and the errors that end it."""

from __future__ import annotations

from dataclasses import dataclass

from reachy_mind.errors import MindError


@dataclass(frozen=True)
class RunBudget:
    """Limits of one run. Memory, CPU and files are enforced by the kernel, the others by the host."""

    wall_s: float = 10.0
    cpu_s: float = 10.0
    memory_mb: int = 512
    output_bytes: int = 65536
    files_mb: int = 32
    files: int = 1024
    file_mb: int = 16
    sent_mb: int = 16
    """Everything that the worker sends to the host. A short frame counts as 1 KB."""
    calls: int = 5000
    calls_per_s: int = 100
    refused: int = 200


@dataclass(frozen=True)
class Usage:
    """What a worker used until it ended."""

    cpu_ms: float
    max_rss_mb: float


class WorkerEnded(MindError):
    """The process of the code ended before its result."""

    code = "WORKER_ENDED"

    def __init__(self, message: str, *, hint: str = "", code: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.code = code or type(self).code


class BudgetExceeded(MindError):
    """The code used more than its budget."""

    code = "BUDGET_EXCEEDED"


class ProtocolError(MindError):
    """The code sent something that is not a message."""

    code = "PROTOCOL_ERROR"
