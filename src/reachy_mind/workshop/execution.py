"""`execute`: one run of untrusted code: a fresh worker gets the job, its calls go to the broker, its end is reported.

    worker -> call{id, method, args}, log{text}, result{ok, value | error}
    host   -> job{...}, reply{id, ok, value | error, now}

The worker is killed after the run, whatever happened, and the broker releases the robot. What the worker sends is
data: a result is a claim, output is text.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from reachy_mind import log
from reachy_mind.errors import InvalidParameter, MindError, TimedOut
from reachy_mind.tools.result_limits import plain
from reachy_mind.workshop.artifacts import Artifacts
from reachy_mind.workshop.broker import Broker, CallsExhausted
from reachy_mind.workshop.jail import codec, frames
from reachy_mind.workshop.run_budget import BudgetExceeded, RunBudget, Usage, WorkerEnded
from reachy_mind.workshop.run_report import RunReport, RunRequest
from reachy_mind.workshop.sandbox import Sandbox
from reachy_mind.workshop.sandbox_worker import SandboxWorker

MAX_PENDING_CALLS = 32
"""Calls of one worker that are answered at the same time; further ones wait unread."""
MAX_RESULT_CHARACTERS = 1_000_000
MAX_MESSAGE = 2000
CUT = "\n[output cut]\n"

_log = log.get(__name__)


class Clock(Protocol):
    """The clock of a run."""

    def now(self) -> float:
        """Real seconds, monotonic."""

    def timeout(self, seconds: float) -> contextlib.AbstractAsyncContextManager[Any]:
        """Raises TimeoutError after so many real seconds."""

    def shown(self) -> float:
        """The time that code sees, in seconds since the epoch."""


class RealTime:
    """The machine's own clock."""

    def now(self) -> float:
        return time.monotonic()

    def timeout(self, seconds: float) -> contextlib.AbstractAsyncContextManager[Any]:
        return asyncio.timeout(seconds)

    def shown(self) -> float:
        return time.time()


class Output:
    """What the code printed, up to a limit."""

    def __init__(self, limit: int) -> None:
        self._left, self._cut = limit, False
        self._pieces: list[str] = []

    def add(self, text: object) -> None:
        piece = str(text)[: max(self._left, 0)]
        self._left -= len(piece)
        if piece:
            self._pieces.append(piece)
        if len(piece) < len(str(text)) and not self._cut:
            self._cut = True
            self._pieces.append(CUT)

    @property
    def text(self) -> str:
        # A lone surrogate can't be encoded, stored or sent.
        return "".join(self._pieces).encode("utf-8", "replace").decode("utf-8")


class Execution:
    """One run in one worker."""

    def __init__(self, worker: SandboxWorker, broker: Broker, budget: RunBudget, clock: Clock) -> None:
        self._worker, self._broker, self._clock = worker, broker, clock
        self._slots = asyncio.Semaphore(MAX_PENDING_CALLS)
        self._answers: set[asyncio.Task[None]] = set()
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.output = Output(budget.output_bytes)

    async def result(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """Send the job and serve the worker until its result message. Raises WorkerEnded, BudgetExceeded and others."""
        serving = asyncio.ensure_future(self._serve(job))
        try:
            waited: list[asyncio.Future[Any]] = [serving, self._failed]
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if self._failed.done():
                self._failed.result()
            return await serving
        finally:
            for task in (serving, *self._answers):
                task.cancel()
            await asyncio.gather(serving, *self._answers, return_exceptions=True)
            if not self._failed.cancel():
                self._failed.exception()  # seen: a later failure of the same run adds nothing

    async def _serve(self, job: Mapping[str, Any]) -> dict[str, Any]:
        await self._worker.send(dict(job))
        while True:
            message = await self._worker.receive()
            kind = message.get("type")
            match kind if isinstance(kind, str) else None:
                case "call":
                    await self._slots.acquire()
                    answer = asyncio.create_task(self._answer(message), name="workshop call")
                    self._answers.add(answer)
                    answer.add_done_callback(self._answered)
                case "log":
                    self.output.add(message.get("text", ""))
                case "result":
                    return message
                case other:
                    raise WorkerEnded(f"the code sent an unknown message ({str(other)[:40]!r})", code="FORGED_MESSAGE")

    async def _answer(self, message: Mapping[str, Any]) -> None:
        call_id, method, args = message.get("id"), message.get("method"), message.get("args")
        if not isinstance(call_id, int) or not isinstance(method, str) or not isinstance(args, dict):
            raise WorkerEnded("the code sent a malformed call", code="FORGED_MESSAGE")
        try:
            value = await self._broker.call(method, args)
            reply: dict[str, Any] = {"ok": True, "value": value}
        except (BudgetExceeded, CallsExhausted, WorkerEnded):
            raise
        except MindError as error:
            reply = {"ok": False, "error": error.as_dict()}
        await self._worker.send({"type": "reply", "id": call_id, "now": self._clock.shown(), **reply})

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._answers.discard(task)
        self._slots.release()
        if task.cancelled() or (error := task.exception()) is None:
            return
        if not self._failed.done():
            self._failed.set_exception(error)


async def execute(
    sandbox: Sandbox,
    request: RunRequest,
    broker: Broker,
    files: Artifacts,
    *,
    tools: Sequence[Mapping[str, Any]],
    budget: RunBudget,
    clock: Clock | None = None,
) -> RunReport:
    """Run a file in a fresh worker. Does not raise for what the code does; raises when no worker can be had."""
    clock = clock or RealTime()
    _require_sendable(_job(request, tools, clock.shown()))
    worker = await sandbox.worker(budget)
    began, shown = clock.now(), clock.shown()
    execution = Execution(worker, broker, budget, clock)
    message: dict[str, Any] | None = None
    killed: MindError | None = None
    usage = Usage(0.0, 0.0)
    try:
        async with clock.timeout(request.timeout_s):
            message = await execution.result(_job(request, tools, shown))
    except TimeoutError:
        killed = TimedOut(f"it ran longer than {request.timeout_s:g} s", hint="--timeout S, or less to do")
    except MindError as error:
        killed = error
    except Exception as error:  # noqa: BLE001 -- whatever the code sent: it was run, and the report has to say so
        _log.exception("a run failed on the host's side")
        killed = WorkerEnded(f"the host could not go on with it: {type(error).__name__}", code="PROTOCOL_ERROR")
    finally:
        # First the code, so that it can ask for nothing more; then the robot, which holds still.
        usage = await asyncio.shield(_ended(worker, broker))
    report = RunReport(
        "killed" if killed else "ok",
        output=execution.output.text,
        error=killed.as_dict() if killed else None,
        calls=tuple(record.as_dict() for record in broker.record),
        isolation=sandbox.profile.name,
        wall_ms=(clock.now() - began) * 1000,
        cpu_ms=usage.cpu_ms,
        max_rss_mb=usage.max_rss_mb,
        artifacts=tuple(str(file) for file in files.files),
        virtual_s=clock.shown() - shown if request.virtual_time else None,
    )
    return report if message is None else _with_result(report, message)


def _job(request: RunRequest, tools: Sequence[Mapping[str, Any]], now: float) -> dict[str, Any]:
    return {
        "type": "job",
        "code": request.code,
        "filename": request.filename,
        "function": request.function or None,
        "args": request.args,
        "tools": [dict(tool) for tool in tools],
        "virtual": request.virtual_time,
        "now": now,
    }


def _require_sendable(job: Mapping[str, Any]) -> None:
    """Raises InvalidParameter for arguments that a worker would not take."""
    try:
        text, blob = codec.encode(job)
        frames.pack(text, blob)
        codec.decode(text, blob)
    except (codec.CodecError, frames.FrameError) as error:
        raise InvalidParameter(f"the code and its arguments can't be passed on: {error}", hint="pass less") from None


async def _ended(worker: SandboxWorker, broker: Broker) -> Usage:
    usage = await worker.end()
    try:
        await broker.close()
    except MindError as error:
        _log.warning("the robot could not be released", reason=error.message)
    return usage


def _with_result(report: RunReport, message: Mapping[str, Any]) -> RunReport:
    """The report with the claim of the code."""
    if message.get("ok") is True:
        return replace(report, status="ok", result=plain(message.get("value"), MAX_RESULT_CHARACTERS))
    error = message.get("error")
    error = error if isinstance(error, dict) else {}
    kind, words = str(error.get("type", "Error"))[:100], str(error.get("message", ""))[:MAX_MESSAGE]
    trace = str(error.get("traceback", ""))[:MAX_MESSAGE]
    return replace(
        report,
        status="error",
        output=report.output + trace,
        error={
            "code": _code(kind),
            "message": f"{kind}: {words}" if words else kind,
            "hint": next((line.strip() for line in reversed(trace.splitlines()) if line.startswith("  File")), ""),
        },
    )


def _code(kind: str) -> str:
    syntax = dict.fromkeys(("SyntaxError", "IndentationError", "TabError"), "INVALID_CODE")
    return {**syntax, "MemoryError": "MEMORY_LIMIT", "RESULT": "INVALID_RESULT"}.get(kind, "TOOL_FAILED")
