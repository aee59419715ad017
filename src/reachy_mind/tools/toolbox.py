"""`Toolbox`: the one gate. Every action, from any brain, page, program or generated tool, is a `call` of it.

    name -> arguments checked -> permission -> a person's yes where it takes one -> run -> audit -> event

There is no second path. `stop` alone acts first and is written down afterwards. A call never raises for what a tool or
a caller did wrong: that is its outcome. Only a cancelled caller sees CancelledError, and then so did the tool.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

from reachy_mind import log
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.events import ToolCalled, ToolStarted
from reachy_mind.tools import forks
from reachy_mind.tools.audit import Audit
from reachy_mind.tools.body import Body, Hold, around
from reachy_mind.tools.confirmations import Confirmations
from reachy_mind.tools.context import Caller, Context, Parts
from reachy_mind.tools.definition import Outcome, Tier, Tool, ToolError
from reachy_mind.tools.output import plain, text
from reachy_mind.tools.permissions import STOP, Permissions, Verdict
from reachy_mind.tools.registry import Registry
from reachy_mind.tools.tasks import Handle, TooMany

MOST_AT_ONCE, MOST_WAITING = 64, 2000
REMEMBERED_CALLS = 2000
DEEPEST_CALL = 5
LONGEST_BACKGROUND_S = 3600.0

CUT_SHORT = {"code": "CANCELLED", "message": "the call was cut short", "hint": "ask for it again"}

_log = log.get(__name__)


class Denied(MindError):
    """This is not allowed."""

    code = "PERMISSION_DENIED"


class TimedOutTool(MindError):
    code = "TIMEOUT"


class Toolbox:
    """Tools, who may call them, and what they were called for."""

    def __init__(
        self,
        registry: Registry,
        permissions: Permissions,
        confirmations: Confirmations,
        audit: Audit,
        parts: Parts,
    ) -> None:
        self.registry, self.permissions, self.confirmations, self.audit = registry, permissions, confirmations, audit
        self.parts = parts
        self._body = Body()
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)
        self._waiting = 0
        self._calls: OrderedDict[str, tuple[str, asyncio.Future[Outcome]]] = OrderedDict()
        self._running: dict[str, asyncio.Task[Any]] = {}
        self.on_stop: Callable[[Caller], None] | None = None
        """Told of every stop, before it is written down."""
        forks.guard(asyncio.get_running_loop())

    async def call(
        self,
        name: str,
        args: dict[str, Any] | None = None,
        *,
        caller: Caller | None = None,
        call_id: str | None = None,
        depth: int = 0,
    ) -> Outcome:
        """Do it, if it may be done. The same `call_id` again is the same call: it is not done twice."""
        caller, given = caller or Caller(), args if args is not None else {}
        if call_id is None:
            return await self._call(name, given, caller, uuid4().hex, depth)
        asked = f"{name} {text(plain(given))}"
        if call_id in self._calls:
            before, future = self._calls[call_id]
            if before != asked:
                error = InvalidParameter("this call id was used for another call", hint="a new id for every call")
                return Outcome("error", error=error.as_dict(), call_id=call_id)
            return await asyncio.shield(future)
        future = asyncio.get_running_loop().create_future()
        self._calls[call_id] = asked, future
        while len(self._calls) > REMEMBERED_CALLS:
            self._calls.popitem(last=False)
        task = self._running[call_id] = asyncio.create_task(self._call(name, given, caller, call_id, depth))
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()
            del self._running[call_id]
            cut = Outcome("cancelled", error=CUT_SHORT, call_id=call_id)
            future.set_result(cut if task.cancelled() or not task.done() else task.result())
        return future.result()

    def cancel(self, call_id: str) -> bool:
        """End a call that is under way; whether there was one."""
        task = self._running.get(call_id)
        return task is not None and task.cancel()

    async def _call(self, name: str, given: dict[str, Any], caller: Caller, call_id: str, depth: int) -> Outcome:
        """From a name to an outcome that was written down."""
        began, stops = time.monotonic(), self._body.stops
        tool: Tool | str = name[:100]
        asked: dict[str, Any] = {}
        verdict = Verdict(Tier.CONFIRM, "")
        by, background = "", False
        try:
            tool, alias = self.registry.find(name)
            verdict = self.permissions.verdict(tool, self.registry.other_names(tool))
            if not isinstance(given, dict):
                raise InvalidParameter(f"{tool.name}: arguments are a JSON object", hint="such as {}")
            wanted = alias.translated(given) if alias else dict(given)
            asked = plain(wanted)
            if tool.supports_background and "background" not in tool.schema.get("properties", {}):
                background = _flag(wanted.pop("background", False))
            if tool.qualified == STOP:
                self._body.halt()
                if self.on_stop is not None:
                    self.on_stop(caller)
                outcome = await self._run(tool, tool.check(wanted), caller, call_id, depth, stops)
                outcome = replace(outcome, tier=int(verdict.tier))
            else:
                self._require(tool, verdict, depth)
                arguments = tool.check(wanted)
                if verdict.tier is Tier.CONFIRM:
                    by = await self._confirmed(tool, asked, verdict, caller, call_id)
                await self.audit.decided(call_id, tool.qualified, int(verdict.tier), caller, text(asked), by)
                self._tell_start(tool, asked, verdict, caller, call_id)
                if background:
                    outcome = await self._started(tool, arguments, caller, call_id, depth, stops)
                else:
                    outcome = await self._run(tool, arguments, caller, call_id, depth, stops)
        except MindError as error:
            status = "denied" if error.code in ("PERMISSION_DENIED", "NOT_CONFIRMED") else "error"
            outcome = Outcome(status, error=error.as_dict())  # type: ignore[arg-type]
        except asyncio.CancelledError:
            await asyncio.shield(self._ended(tool, asked, Outcome("cancelled"), verdict, caller, call_id, began))
            raise
        return await self._ended(tool, asked, outcome, verdict, caller, call_id, began)

    def _require(self, tool: Tool, verdict: Verdict, depth: int) -> None:
        if verdict.tier is Tier.FORBIDDEN:
            raise Denied(f"{tool.name} is forbidden: {verdict.reason}", hint="a person can change permissions.yaml")
        if tool.wait:
            raise NotReady(f"{tool.name} can't be used yet", hint=tool.wait)
        if depth > DEEPEST_CALL:
            raise InvalidParameter(f"tools call one another {depth} deep", hint="does one of them call itself?")

    async def _confirmed(
        self, tool: Tool, asked: dict[str, Any], verdict: Verdict, caller: Caller, call_id: str
    ) -> str:
        await self.audit.asked(call_id, tool.qualified, int(verdict.tier), caller, text(asked))
        return await self.confirmations.ask(
            call_id=call_id,
            tool=tool.qualified,
            arguments=asked,
            consequence=tool.description.splitlines()[0],
            reason=verdict.reason,
            conversation=caller.conversation,
        )

    def _tell_start(self, tool: Tool, asked: dict[str, Any], verdict: Verdict, caller: Caller, call_id: str) -> None:
        self.parts.bus.publish(
            ToolStarted(
                call_id=call_id,
                tool=tool.qualified,
                arguments=asked,
                notice=verdict.tier is Tier.NOTIFY,
                conversation=caller.conversation,
            )
        )

    async def _started(
        self, tool: Tool, arguments: dict[str, Any], caller: Caller, call_id: str, depth: int, stops: int
    ) -> Outcome:
        """Begin it beside the conversation."""
        tasks = self.parts.tasks
        if tasks is None:
            raise NotReady("nothing can run in the background here", hint="leave out 'background'")
        beside = replace(caller, kind="background")

        async def work(handle: Handle) -> Outcome:
            began = time.monotonic()
            around.set(None)  # it outlives the call it was started from
            try:
                outcome = await self._run(tool, arguments, beside, call_id, depth, stops, handle=handle)
            except MindError as error:
                outcome = Outcome("error", error=error.as_dict())
            outcome = replace(outcome, call_id=call_id, duration_ms=(time.monotonic() - began) * 1000)
            await self.audit.ended(tool, beside, outcome, "", text(outcome.error or outcome.data))
            return outcome

        task = await tasks.start(tool.qualified, tool.name.replace("_", " "), caller.conversation, work)
        told = f"{task.description} has started; I'll tell you when it is done."
        return Outcome("started", {"task_id": task.id, "message": told})

    async def _run(
        self,
        tool: Tool,
        arguments: dict[str, Any],
        caller: Caller,
        call_id: str,
        depth: int,
        stops: int,
        handle: Handle | None = None,
    ) -> Outcome:
        """The tool itself: bounded in time, in number and in what it returns, whatever it does."""
        if self._waiting >= MOST_WAITING:
            raise TooMany(f"{self._waiting} calls are waiting", hint="try again in a moment")
        ctx = Context(
            call_id,
            caller,
            self.parts,
            lambda name, **args: self.call(name, args, caller=caller, depth=depth + 1),
            report=handle.progress if handle else None,
            background=handle is not None,
        )
        timeout = LONGEST_BACKGROUND_S if handle else tool.timeout_s
        self._waiting += 1
        try:
            # A stop never queues, and a tool called by another holds a place already.
            slot = contextlib.nullcontext() if tool.qualified == STOP or depth or handle else self._slots
            async with slot:
                return await self._guarded(tool, arguments, ctx, timeout, stops)
        finally:
            self._waiting -= 1
            ctx.stopped.set()

    async def _guarded(
        self, tool: Tool, arguments: dict[str, Any], ctx: Context, timeout: float, stops: int
    ) -> Outcome:
        running = asyncio.current_task()
        gave_way = False

        def give_way() -> None:
            nonlocal gave_way
            gave_way = True
            work.cancel()

        async def whole() -> Any:
            hold = ctx.hold = Hold(self._body, ctx.caller, give_way, stops)
            around.set(hold)
            try:
                if tool.moves:
                    await hold.take()
                return await tool.run(ctx, arguments)
            except SystemExit as error:  # it would end the event loop, and with it the mind
                raise ToolError("TOOL_FAILED", f"{tool.name} tried to exit ({error.code})") from None
            finally:
                await hold.release()

        work = asyncio.ensure_future(whole())
        try:
            done, _ = await asyncio.wait([work], timeout=timeout)
            if not done:
                await _end(work)
                raise TimedOutTool(f"{tool.name} took longer than {timeout:g} s", hint="try it with less to do")
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

    async def _ended(
        self,
        tool: Tool | str,
        asked: dict[str, Any],
        outcome: Outcome,
        verdict: Verdict,
        caller: Caller,
        call_id: str,
        began: float,
    ) -> Outcome:
        took = (time.monotonic() - began) * 1000
        outcome = replace(outcome, tier=int(verdict.tier), duration_ms=took, call_id=call_id)
        said = text(outcome.data if outcome.error is None else outcome.error)
        try:
            await self.audit.ended(tool, caller, outcome, text(asked), said)
        except MindError as error:
            # It has happened: not to say so would be the greater lie. But no new call passes without an audit.
            _log.error("a call could not be written to the audit", call=call_id, reason=error.message)
        self.parts.bus.publish(
            ToolCalled(
                call_id=call_id,
                tool=tool if isinstance(tool, str) else tool.qualified,
                arguments=asked,
                status=outcome.status,
                tier=outcome.tier,
                duration_ms=took,
                caller=caller.kind,
                channel=caller.channel,
                conversation=caller.conversation,
                error=outcome.error,
            )
        )
        return outcome


async def _end(work: asyncio.Future[Any]) -> None:
    """Cancel and wait a little; a tool that will not end is left behind, and said so."""
    work.cancel()
    done, _ = await asyncio.wait([work], timeout=1.0)
    if not done:
        _log.error("a tool does not end when it is cancelled", tool=str(work)[:200])


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidParameter("background is true or false")
    return value
