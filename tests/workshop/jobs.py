"""Running a piece of code in a sandbox, as the host does, with a host that answers a few calls."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reachy_mind.errors import MindError
from reachy_mind.workshop.run_budget import RunBudget, Usage
from reachy_mind.workshop.sandbox import Sandbox
from reachy_mind.workshop.sandbox_worker import SandboxWorker

WALL_S = 20.0


@dataclass
class Outcome:
    """How a run ended."""

    result: Any = None
    error: dict[str, str] | None = None
    """What the code raised."""
    ended: MindError | None = None
    """Why the host ended the run."""
    timed_out: bool = False
    output: str = ""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    usage: Usage = field(default_factory=lambda: Usage(0.0, 0.0))
    pid: int = 0

    @property
    def raised(self) -> str:
        return self.error["type"] if self.error else ""


def job(code: str, filename: str = "tool.py", function: str | None = None, **args: Any) -> dict[str, Any]:
    return {
        "type": "job",
        "code": code,
        "filename": filename,
        "function": function,
        "args": args,
        "tools": [{"name": "nod", "parameters": ["times", "speed"]}],
        "virtual": False,
        "now": 0.0,
    }


async def serve(worker: SandboxWorker, outcome: Outcome) -> None:
    """Answer the worker until its result: `echo` returns its arguments, other methods are refused."""
    while True:
        message = await worker.receive()
        match message["type"]:
            case "log":
                outcome.output += message["text"]
            case "result":
                outcome.result, outcome.error = message.get("value"), message.get("error")
                return
            case "call":
                outcome.calls.append((message["method"], message["args"]))
                reply: dict[str, Any] = {"ok": True, "value": message["args"]}
                if message["method"] not in {"echo", "tools.call"}:
                    reply = {"ok": False, "error": {"code": "DENIED", "message": "not allowed", "hint": "ask"}}
                await worker.send({"type": "reply", "id": message["id"], "now": 1.0, **reply})


async def run(
    sandbox: Sandbox,
    code: str,
    *,
    filename: str = "tool.py",
    function: str | None = None,
    wall_s: float = WALL_S,
    budget: dict[str, Any] | None = None,
    **args: Any,
) -> Outcome:
    """Run code to its end, whatever it is."""
    outcome = Outcome()
    worker = await sandbox.worker(replace(RunBudget(), **budget) if budget else None)
    outcome.pid = worker.pid
    try:
        async with asyncio.timeout(wall_s):
            await worker.send(job(code, filename, function, **args))
            await serve(worker, outcome)
    except TimeoutError:
        outcome.timed_out = True
    except MindError as error:
        outcome.ended = error
    finally:
        outcome.usage = await worker.end()
    return outcome


def descriptors() -> int:
    """How many descriptors this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))


def gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()
