"""`Toolbox`: the one gate. Every action, from any brain, page, program or generated tool, is a `call` of it.

    name -> arguments checked -> permission -> a person's yes where it takes one -> run -> audit -> event

There is no second path. `stop` alone acts first and is written down afterwards. A call never raises for what a tool or
a caller did wrong: that is its outcome. Only a cancelled caller sees CancelledError, and then so did the tool.
"""

from __future__ import annotations

import asyncio
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
from reachy_mind.tools.body import Body, around
from reachy_mind.tools.confirmations import Confirmations
from reachy_mind.tools.context import Caller, Parts, Report
from reachy_mind.tools.definition import Outcome, Tier, Tool
from reachy_mind.tools.output import plain, text
from reachy_mind.tools.permissions import STOP, Permissions
from reachy_mind.tools.registry import Registry
from reachy_mind.tools.request import Request
from reachy_mind.tools.runner import Runner
from reachy_mind.tools.tasks import Handle

REMEMBERED_CALLS = 2000
DEEPEST_CALL = 5
CUT_SHORT = {"code": "CANCELLED", "message": "the call was cut short", "hint": "ask for it again"}

_log = log.get(__name__)


class Denied(MindError):
    """This is not allowed."""

    code = "PERMISSION_DENIED"


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
        self._runner = Runner(parts, self._body, self.call)
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
        report: Report | None = None,
    ) -> Outcome:
        """Do it, if it may be done. The same `call_id` again is the same call: it is not done twice.

        `report` is told how far the tool has got, where it tells.
        """
        caller, given = caller or Caller(), args if args is not None else {}
        if call_id is None:
            return await self._whole(name, given, caller, uuid4().hex, depth, report)
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
        task = self._running[call_id] = asyncio.create_task(self._whole(name, given, caller, call_id, depth, report))
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()
            del self._running[call_id]
            cut = Outcome("cancelled", error=CUT_SHORT, call_id=call_id)
            future.set_result(cut if task.cancelled() or not task.done() else task.result())
        return future.result()

    def forget(self, call_id: str) -> None:
        """A call that ended and that nobody will make again under its id: its outcome need not be kept."""
        if call_id not in self._running:
            self._calls.pop(call_id, None)

    def cancel(self, call_id: str) -> bool:
        """End a call that is under way; whether there was one."""
        task = self._running.get(call_id)
        return task is not None and task.cancel()

    async def _whole(
        self, name: str, given: Any, caller: Caller, call_id: str, depth: int, report: Report | None
    ) -> Outcome:
        """From a name to an outcome that was written down."""
        request = Request(name, given, caller, call_id, depth, self._body.stops, report)
        try:
            outcome = await self._gated(request)
        except MindError as error:
            status = "denied" if error.code in ("PERMISSION_DENIED", "NOT_CONFIRMED") else "error"
            outcome = Outcome(status, error=error.as_dict())  # type: ignore[arg-type]
        except asyncio.CancelledError:
            await asyncio.shield(self._ended(request, Outcome("cancelled")))
            raise
        return await self._ended(request, outcome)

    async def _gated(self, request: Request) -> Outcome:
        tool, alias = self.registry.find(request.name)
        request.verdict = self.permissions.verdict(tool, self.registry.other_names(tool))
        if tool.qualified == STOP and tool.source == "built-in":
            request.tool = tool
            return await self._stop(request, tool)
        wanted = request.read(tool, alias)
        self._require(request, tool)
        request.arguments = tool.check(wanted)
        by = ""
        if request.verdict.tier is Tier.CONFIRM:
            by = await self._confirmed(request, tool)
            # A minute may have passed: what was forbidden meanwhile is.
            now = self.permissions.verdict(tool, self.registry.other_names(tool))
            if now.tier is Tier.FORBIDDEN:
                request.verdict = now
                self._require(request, tool)
        await self.audit.decided(request.call_id, tool.qualified, request.tier, request.caller, text(request.asked), by)
        self.parts.bus.publish(
            ToolStarted(
                call_id=request.call_id,
                tool=tool.qualified,
                arguments=request.asked,
                notice=request.verdict.tier is Tier.NOTIFY,
                conversation=request.caller.conversation,
            )
        )
        if request.background:
            return await self._started(request, tool)
        return await self._runner.run(request, tool)

    async def _stop(self, request: Request, tool: Tool) -> Outcome:
        """Acts first, whatever else was said with it."""
        self._body.halt()
        if self.on_stop is not None:
            self.on_stop(request.caller)
        return await self._runner.run(request, tool)

    def _require(self, request: Request, tool: Tool) -> None:
        if request.verdict.tier is Tier.FORBIDDEN:
            why = request.verdict.reason
            raise Denied(f"{tool.name} is forbidden: {why}", hint="a person can change permissions.yaml")
        if tool.wait:
            raise NotReady(f"{tool.name} can't be used yet", hint=tool.wait)
        if request.depth > DEEPEST_CALL:
            raise InvalidParameter(f"tools call one another {request.depth} deep", hint="does one of them call itself?")

    async def _confirmed(self, request: Request, tool: Tool) -> str:
        """Who said yes."""
        await self.audit.asked(request.call_id, tool.qualified, request.tier, request.caller, text(request.asked))
        return await self.confirmations.ask(
            call_id=request.call_id,
            tool=tool.qualified,
            arguments=request.asked,
            consequence=tool.description.splitlines()[0],
            reason=request.verdict.reason,
            conversation=request.caller.conversation,
        )

    async def _started(self, request: Request, tool: Tool) -> Outcome:
        """Begin it beside the conversation."""
        tasks = self.parts.tasks
        if tasks is None:
            raise NotReady("nothing can run in the background here", hint="leave out 'background'")
        beside = replace(request, caller=replace(request.caller, kind="background"))

        async def work(handle: Handle) -> Outcome:
            began = time.monotonic()
            around.set(None)  # it outlives the call it was started from
            try:
                outcome = await self._runner.run(beside, tool, handle)
            except MindError as error:
                outcome = Outcome("error", error=error.as_dict())
            took = (time.monotonic() - began) * 1000
            outcome = replace(outcome, call_id=request.call_id, tier=request.tier, duration_ms=took)
            await self.audit.ended(tool, beside.caller, outcome, "", text(outcome.error or outcome.data))
            return outcome

        task = await tasks.start(tool.qualified, tool.name.replace("_", " "), request.caller.conversation, work)
        told = f"{task.description} has started; I'll tell you when it is done."
        return Outcome("started", {"task_id": task.id, "message": told})

    async def _ended(self, request: Request, outcome: Outcome) -> Outcome:
        took = (time.monotonic() - request.began) * 1000
        outcome = replace(outcome, tier=request.tier, duration_ms=took, call_id=request.call_id)
        said = text(outcome.data if outcome.error is None else outcome.error)
        try:
            await self.audit.ended(request.about, request.caller, outcome, text(request.asked), said)
        except MindError as error:
            # It has happened: not to say so would be the greater lie. But no new call passes without an audit.
            _log.error("a call could not be written to the audit", call=request.call_id, reason=error.message)
        self.parts.bus.publish(
            ToolCalled(
                call_id=request.call_id,
                tool=request.about,
                arguments=request.asked,
                status=outcome.status,
                tier=outcome.tier,
                duration_ms=took,
                caller=request.caller.kind,
                channel=request.caller.channel,
                conversation=request.caller.conversation,
                error=outcome.error,
            )
        )
        return outcome
