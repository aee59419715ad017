"""`Runner`: runs a tool with a timeout, a limit of concurrent and waiting calls, and a limit on its result.

The rate of requests per client is limited before the gate, in `access.rate_limits`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from typing import Any, Protocol

from reachy_mind import log
from reachy_mind.errors import MindError, TooMany
from reachy_mind.tools.acts import Act
from reachy_mind.tools.body_lock import BodyLock, Hold, current_hold
from reachy_mind.tools.context import Caller, Context, Parts
from reachy_mind.tools.definition import Outcome, Tool, ToolError
from reachy_mind.tools.gate_request import GateRequest
from reachy_mind.tools.permissions import STOP
from reachy_mind.tools.result_limits import plain
from reachy_mind.tools.tasks import TaskHandle

MAX_CONCURRENT_CALLS, MAX_WAITING_CALLS = 64, 2000
BACKGROUND_TIMEOUT_S = 3600.0
CANCEL_TIMEOUT_S = 1.0
"""How long a cancelled tool may take to end."""

_log = log.get(__name__)


class Gate(Protocol):
    """What a running tool needs of the gate."""

    async def call(
        self, name: str, args: dict[str, Any] | None = None, *, caller: Caller | None = None, depth: int = 0
    ) -> Outcome:
        """Call another tool."""

    async def recheck(self, request: GateRequest, tool: Tool) -> None:
        """Check a call again after it has waited for the body. Raises Denied, NotConfirmed."""

    async def permit(self, request: GateRequest, tool: Tool, acts: Iterable[Act]) -> None:
        """Check acts of a running call. Raises Denied, NotConfirmed."""


class Runner:
    """Runs calls that passed the gate."""

    def __init__(self, parts: Parts, body: BodyLock, gate: Gate) -> None:
        self._parts, self._body, self._gate = parts, body, gate
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_CALLS)
        self._waiting = 0

    async def run(self, request: GateRequest, tool: Tool, handle: TaskHandle | None = None) -> Outcome:
        """Run a call; with a `handle`, as a background task. Raises the tool's MindError, and TooMany."""
        if self._waiting >= MAX_WAITING_CALLS:
            raise TooMany(f"{self._waiting} calls are waiting", hint="try again in a moment")
        caller, depth = request.caller, request.depth

        async def call(name: str, /, **args: Any) -> Outcome:
            return await self._gate.call(name, args, caller=caller, depth=depth + 1)

        ctx = Context(
            request.call_id,
            caller,
            self._parts,
            call,
            lambda acts: self._gate.permit(request, tool, acts),
            report=handle.progress if handle else request.report,
            background=handle is not None,
        )
        self._waiting += 1
        try:
            # A stop never waits, and a nested call runs in the slot of the outer one.
            exempt = tool.qualified == STOP or depth or handle
            async with contextlib.nullcontext() if exempt else self._slots:
                limit = max(BACKGROUND_TIMEOUT_S, tool.timeout_s) if handle else tool.timeout_s
                return await self._run_with_timeout(request, tool, ctx, limit)
        finally:
            self._waiting -= 1
            ctx.stopped.set()

    async def _run_with_timeout(self, request: GateRequest, tool: Tool, ctx: Context, timeout: float) -> Outcome:
        running = asyncio.current_task()
        preempted = False

        def preempt() -> None:
            nonlocal preempted
            preempted = True
            work.cancel()

        async def run_tool() -> Any:
            hold = ctx.hold = Hold(self._body, ctx.caller, preempt, request.stops)
            current_hold.set(hold)
            try:
                if tool.moves:
                    await hold.take()
                    await self._gate.recheck(request, tool)
                return await tool.run(ctx, request.arguments)
            except SystemExit as error:  # it would end the event loop, and with it the mind
                raise ToolError("TOOL_FAILED", f"{tool.name} tried to exit ({error.code})") from None
            finally:
                await hold.release()

        work = asyncio.ensure_future(run_tool())
        try:
            done, _ = await asyncio.wait([work], timeout=timeout)
            if not done:
                await _cancel(work)
                raise ToolError("TIMEOUT", f"{tool.name} took longer than {timeout:g} s", hint="try it with less to do")
            data = plain(work.result())
            if request.learned and isinstance(data, dict):
                data["learned"] = {**request.learned, **data.get("learned", {})}
            return Outcome("ok", data)
        except asyncio.CancelledError:
            if running is not None and running.cancelling():
                await _cancel(work)
                raise
            why = "it was stopped, or a newer command came" if preempted else "it cancelled itself"
            error = {"code": "CANCELLED", "message": f"{tool.name} was cancelled: {why}", "hint": ""}
            return Outcome("cancelled", error=error)
        except MindError:
            raise
        except Exception as error:  # noqa: BLE001 -- a tool may raise anything
            _log.warning("a tool failed", tool=tool.qualified, error=f"{type(error).__name__}: {error}"[:500])
            message = f"{tool.name} failed: {type(error).__name__}: {error}"[:500]
            return Outcome("error", error={"code": "TOOL_FAILED", "message": message, "hint": f"from {tool.source}"})


async def _cancel(work: asyncio.Future[Any]) -> None:
    """Cancel a tool and wait a moment. A tool that does not end is abandoned and logged."""
    work.cancel()
    done, _ = await asyncio.wait([work], timeout=CANCEL_TIMEOUT_S)
    if not done:
        _log.error("a tool does not end when it is cancelled", tool=str(work)[:200])
