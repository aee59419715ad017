"""`RunRequest` and `RunReport`: what to run in the sandbox, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from reachy_mind.errors import InvalidParameter, MindError

MAX_CODE_BYTES = 256_000
MAX_TIMEOUT_S = 3600.0
"""For code that somebody runs as it is."""
MAX_TOOL_TIMEOUT_S = 90_000.0
"""For a tool that a person approved: a day, and time to start."""
DEFAULT_TIMEOUT_S = 10.0
MAX_REPORTED_CALLS = 1000

Status = Literal["ok", "error", "killed", "refused"]


@dataclass(frozen=True)
class RunRequest:
    """One file to run. `function`: its entry point; empty: found by name, else the first public function."""

    code: str
    filename: str = "tool.py"
    args: dict[str, Any] = field(default_factory=dict)
    allow: str = ""
    """Capabilities, separated by commas."""
    timeout_s: float = DEFAULT_TIMEOUT_S
    isolation: str = "auto"
    virtual_time: bool = False
    function: str = ""

    def __post_init__(self) -> None:
        if len(self.code.encode("utf-8", "replace")) > MAX_CODE_BYTES:
            raise InvalidParameter("the file is too large", hint=f"at most {MAX_CODE_BYTES // 1000} kB of code")
        if not 0 < self.timeout_s <= MAX_TOOL_TIMEOUT_S:
            raise InvalidParameter(f"a timeout of {self.timeout_s} s", hint=f"at most {MAX_TOOL_TIMEOUT_S:g} s")

    def as_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "filename": self.filename,
            "args": self.args,
            "allow": self.allow,
            "timeout_s": self.timeout_s,
            "isolation": self.isolation,
            "virtual_time": self.virtual_time,
            "function": self.function,
        }


@dataclass(frozen=True)
class RunReport:
    """How a run ended. `result` and `output` come from untrusted code; everything else is the host's own record."""

    status: Status
    result: Any = None
    output: str = ""
    error: dict[str, str] | None = None
    calls: tuple[dict[str, Any], ...] = ()
    isolation: str = ""
    wall_ms: float = 0.0
    cpu_ms: float = 0.0
    max_rss_mb: float = 0.0
    artifacts: tuple[str, ...] = ()
    """Files that the result names, copied to the data folder."""
    virtual_s: float | None = None
    """Seconds of virtual time; None in real time."""

    @classmethod
    def refused(cls, error: MindError, isolation: str = "") -> RunReport:
        """The code was not run."""
        return cls("refused", error=error.as_dict(), isolation=isolation)

    @property
    def calls_by_name(self) -> dict[str, dict[str, int]]:
        """How often each call ended how. It stays short, however many calls there were."""
        counts: dict[str, dict[str, int]] = {}
        for call in self.calls:
            ends = counts.setdefault(call["name"], {})
            ends[call["status"]] = ends.get(call["status"], 0) + 1
        return counts

    def as_dict(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "result": self.result,
            "output": self.output,
            "error": self.error,
            "calls": list(self.calls[:MAX_REPORTED_CALLS]),
            "isolation": self.isolation,
            "wall_ms": round(self.wall_ms, 2),
            "cpu_ms": round(self.cpu_ms, 2),
            "max_rss_mb": round(self.max_rss_mb, 2),
            "artifacts": list(self.artifacts),
            "calls_omitted": max(len(self.calls) - MAX_REPORTED_CALLS, 0),
            "virtual_s": None if self.virtual_s is None else round(self.virtual_s, 3),
        }
