"""`Runner`: the tool itself, bounded in time, in number and in what it returns, whatever it does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.tools.body import Body, Hold, around
from reachy_mind.tools.context import Context, Parts
from reachy_mind.tools.definition import Outcome, Tool, ToolError
from reachy_mind.tools.output import plain
from reachy_mind.tools.permissions import STOP
from reachy_mind.tools.request import Request
from reachy_mind.tools.tasks import Handle, TooMany

MOST_AT_ONCE, MOST_WAITING = 64, 2000
LONGEST_BACKGROUND_S = 3600.0

_log = log.get(__name__)


class Runner:
    """Runs what the gate has let through. `call` is the gate, for tools that call others."""

    def __init__(self, parts: Parts, body: Body, call: Callable[..., Awaitable[Outcome]]) -> None:
        self._parts, self._body, self._call = parts, body, call
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)
        self._waiting = 0

    async def run(self, request: Request, tool: Tool, handle: Handle | None = None) -> Outcome:
        """With a handle it runs beside the conversation. Raises what the tool raised as a MindError, and TooMany."""
        if self._waiting >= MOST_WAITING:
            raise TooMany(f"{self._waiting} calls are waiting", hint="try again in a moment")
        caller, depth = request.caller, request.depth
        ctx = Context(
            request.call_id,
            caller,
            self._parts,
            lambda name, **args: self._call(name, args, caller=caller, depth=depth + 1),
            report=handle.progress if handle else request.report,
            background=handle is not None,
        )
        self._waiting += 1
        try:
            # A stop never queues, and a tool called by another holds a place already.
            free = tool.qualified == STOP or depth or handle
            async with contextlib.nullcontext() if free else self._slots:
                return await self._guarded(request, tool, ctx, LONGEST_BACKGROUND_S if handle else tool.timeout_s)
        finally:
            self._waiting -= 1
            ctx.stopped.set()

    async def _guarded(self, request: Request, tool: Tool, ctx: Context, timeout: float) -> Outcome:
        running = asyncio.current_task()
        gave_way = False

        def give_way() -> None:
            nonlocal gave_way
            gave_way = True
            work.cancel()

        async def whole() -> Any:
            hold = ctx.hold = Hold(self._body, ctx.caller, give_way, request.stops)
            around.set(hold)
            try:
                if tool.moves:
                    await hold.take()
                return await tool.run(ctx, request.arguments)
            except SystemExit as error:  # it would end the event loop, and with it the mind
                raise ToolError("TOOL_FAILED", f"{tool.name} tried to exit ({error.code})") from None
            finally:
                await hold.release()

        work = asyncio.ensure_future(whole())
        try:
            done, _ = await asyncio.wait([work], timeout=timeout)
            if not done:
                await _end(work)
                raise ToolError("TIMEOUT", f"{tool.name} took longer than {timeout:g} s", hint="try it with less to do")
            return Outcome("ok", plain(work.result()))
        except asyncio.CancelledError:
            if running is not None and running.cancelling():
                await _end(work)
                raise
            why = "it was stopped, or a newer command came" if gave_way else "it cancelled itself"
            error = {"code": "CANCELLED", "message": f"{tool.name} was cancelled: {why}", "hint": ""}
            return Outcome("cancelled", error=error)
        except MindError:
            raise
        except Exception as error:  # noqa: BLE001 -- tools raise what they like
            _log.warning("a tool failed", tool=tool.qualified, error=f"{type(error).__name__}: {error}"[:500])
            message = f"{tool.name} failed: {type(error).__name__}: {error}"[:500]
            return Outcome("error", error={"code": "TOOL_FAILED", "message": message, "hint": f"from {tool.source}"})


async def _end(work: asyncio.Future[Any]) -> None:
    """Cancel and wait a little; a tool that will not end is left behind, and said so."""
    work.cancel()
    done, _ = await asyncio.wait([work], timeout=1.0)
    if not done:
        _log.error("a tool does not end when it is cancelled", tool=str(work)[:200])
