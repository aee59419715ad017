"""`Toolbox`: the one gate. Every action, from any brain, page, program or generated tool, is a `call` of it.

    find tool -> validate arguments -> permission tier -> confirmation if needed -> run -> audit -> event

There is no second path. `stop` alone acts first and is audited afterwards. A call does not raise for errors of a tool
or a caller: its `Outcome` has them. Only a cancelled caller sees CancelledError, and then so did the tool.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Literal
from uuid import uuid4

from reachy_mind import log
from reachy_mind.access.authorization import current_principal
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.events import ToolCalled, ToolStarted
from reachy_mind.tools import fork_guard
from reachy_mind.tools.act_table import acts_of, has_scope
from reachy_mind.tools.acts import Act, Scope
from reachy_mind.tools.audit import Audit
from reachy_mind.tools.body_lock import BodyLock, Hold, current_hold
from reachy_mind.tools.confirmations import Confirmations
from reachy_mind.tools.context import Caller, Parts, Report
from reachy_mind.tools.decisions import Decisions
from reachy_mind.tools.definition import Alias, Outcome, Tier, Tool
from reachy_mind.tools.gate_request import GateRequest
from reachy_mind.tools.permissions import STOP, Permissions, TierDecision
from reachy_mind.tools.registry import Registry, UnknownTool
from reachy_mind.tools.result_limits import plain, text
from reachy_mind.tools.runner import Runner
from reachy_mind.tools.tasks import TaskHandle

MAX_REMEMBERED_CALLS = 2000
"""Outcomes kept by call id, so that a repeated request is not done twice."""
USED_ID = InvalidParameter("this call id was used for another call", hint="a new id for every call")
MAX_CALL_DEPTH = 5
CANCELLED = {"code": "CANCELLED", "message": "the call was cut short", "hint": "ask for it again"}

_log = log.get(__name__)


class Denied(MindError):
    """This is not allowed."""

    code = "PERMISSION_DENIED"


class Toolbox:
    """The registered tools behind permissions, confirmations and audit."""

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
        self._body = BodyLock()
        self.decisions = Decisions(registry, permissions, parts)
        self._runner = Runner(parts, self._body, self)
        self._calls: OrderedDict[str, tuple[str, asyncio.Future[Outcome]]] = OrderedDict()
        self._running: dict[str, asyncio.Task[Any]] = {}
        self.on_stop: Callable[[Caller], None] | None = None
        """Called at every stop, before the audit is written."""
        fork_guard.guard(asyncio.get_running_loop())

    async def call(
        self,
        name: str,
        args: dict[str, Any] | None = None,
        *,
        caller: Caller | None = None,
        call_id: str | None = None,
        depth: int = 0,
        report: Report | None = None,
        tool: Tool | None = None,
    ) -> Outcome:
        """Call a tool, if permissions allow. A repeated `call_id` is the same call: it runs once.

        `report` receives the progress that the tool reports. `tool` serves the call instead of the registered one: it
        is that tool carried out by a client, or one that a client declared (`ClientTools`).
        """
        caller, given = caller or Caller(), args if args is not None else {}
        if call_id is None:
            return await self._call_once(name, given, caller, uuid4().hex, depth, report, tool)
        fingerprint = f"{name} {text(plain(given))}"
        if call_id in self._calls:
            before, future = self._calls[call_id]
            if before != fingerprint:
                return Outcome("error", error=USED_ID.as_dict(), call_id=call_id)
            return await asyncio.shield(future)
        future = asyncio.get_running_loop().create_future()
        self._calls[call_id] = fingerprint, future
        while len(self._calls) > MAX_REMEMBERED_CALLS:
            self._calls.popitem(last=False)
        task = self._running[call_id] = asyncio.create_task(
            self._call_once(name, given, caller, call_id, depth, report, tool)
        )
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()
            del self._running[call_id]
            cut = Outcome("cancelled", error=CANCELLED, call_id=call_id)
            future.set_result(cut if task.cancelled() or not task.done() else task.result())
        return future.result()

    async def call_once(
        self, name: str, args: dict[str, Any], *, caller: Caller, call_id: str | None = None
    ) -> Outcome:
        """As `call`, but an id that was used before a crash or a restart of the mind is the same call, too. For clients
        that choose ids which nobody else has."""
        if call_id is not None and call_id not in self._calls:
            before = await self._earlier(name, call_id)
            if before is not None:
                return before
        return await self.call(name, args, caller=caller, call_id=call_id)

    async def _earlier(self, name: str, call_id: str) -> Outcome | None:
        """The outcome of a call that an earlier run of the mind has recorded. A stop waits for no database."""
        with contextlib.suppress(UnknownTool):
            name = self.registry.find(name)[0].qualified
        if name == STOP:
            return None
        try:
            found = await self.audit.outcome(call_id)
        except MindError:  # the gate says what is wrong with the audit
            return None
        if found is None:
            return None
        tool, outcome = found
        return outcome if tool == name else Outcome("error", error=USED_ID.as_dict(), call_id=call_id)

    async def refuse(self, name: str, args: Any, error: MindError, *, caller: Caller | None = None) -> Outcome:
        """Record a call that was refused before it came to the gate, and return its outcome."""
        request = GateRequest(name, args, _with_principal(caller or Caller()), uuid4().hex, 0, self._body.stops)
        request.plain_arguments = plain(args) if isinstance(args, dict) else {}
        with contextlib.suppress(UnknownTool):
            request.tool, _ = self.registry.find(name)
        return await self._record(request, Outcome(_status_of(error), error=error.as_dict()))

    def hold(self, caller: Caller, preempt: Callable[[], object]) -> Hold:
        """A hold on the body for a caller outside of a tool call; the caller releases it. `preempt`: see `BodyLock`."""
        return Hold(self._body, caller, preempt, self._body.stops)

    @property
    def busy(self) -> bool:
        """Whether there is something to stop: a call that moves the robot, or a background task."""
        tasks = self.parts.tasks
        return self._body.held or (tasks is not None and any(task.state == "running" for task in tasks.all()))

    def forget(self, call_id: str) -> None:
        """Drop the outcome of an ended call whose id will not be used again."""
        if call_id not in self._running:
            self._calls.pop(call_id, None)

    async def forget_ended(self) -> None:
        """Drop the outcomes of all ended calls."""
        for call_id in self._calls.keys() - self._running.keys():
            del self._calls[call_id]

    def cancel(self, call_id: str) -> bool:
        """Cancel a running call. Returns whether there was one."""
        task = self._running.get(call_id)
        return task is not None and task.cancel()

    async def _call_once(
        self,
        name: str,
        given: Any,
        caller: Caller,
        call_id: str,
        depth: int,
        report: Report | None,
        serving: Tool | None = None,
    ) -> Outcome:
        """Pass a request through the gate, and record its outcome."""
        request = GateRequest(name, given, _with_principal(caller), call_id, depth, self._body.stops, report, serving)
        try:
            outcome = await self._pass_gate(request)
        except MindError as error:
            outcome = Outcome(_status_of(error), error=error.as_dict())
        except asyncio.CancelledError:
            await asyncio.shield(self._record(request, Outcome("cancelled")))
            raise
        return await self._record(request, outcome)

    async def _pass_gate(self, request: GateRequest) -> Outcome:
        tool, alias = self._find(request)
        request.decision = self.decisions.tool(tool)
        if tool.qualified == STOP and tool.source == "built-in":
            request.tool = tool
            return await self._stop(request, tool)
        given = request.bind(tool, alias)
        self._require_scope(request, acts_of(tool).scope, tool.name)
        self._require_allowed(request, tool)
        request.learn(self.parts.tuning, given)
        request.arguments = tool.check(given | request.learned)
        request.decision = await self._decide(request, tool)
        self._require_allowed(request, tool)
        by = ""
        if request.decision.tier is Tier.CONFIRM:
            by = await self._confirm(request, tool)
            # The rules, or the robot, may have changed while a person was asked.
            now = await self._decide(request, tool)
            if now.tier is Tier.FORBIDDEN:
                request.decision = now
                self._require_allowed(request, tool)
        await self.audit.record_decision(
            request.call_id, tool.qualified, request.tier, request.caller, text(request.plain_arguments), by
        )
        self.parts.bus.publish(
            ToolStarted(
                call_id=request.call_id,
                tool=tool.qualified,
                arguments=request.plain_arguments,
                notice=request.decision.tier is Tier.NOTIFY,
                conversation=request.caller.conversation,
            )
        )
        if request.background:
            return await self._start_in_background(request, tool)
        return await self._runner.run(request, tool)

    def _find(self, request: GateRequest) -> tuple[Tool, Alias | None]:
        """The tool of a call, and the alias that led to it. Raises UnknownTool."""
        if request.serving is None:
            return self.registry.find(request.name)
        alias = None
        with contextlib.suppress(UnknownTool):  # of a tool that only the client has
            _, alias = self.registry.find(request.name)
        return request.serving, alias

    async def _decide(self, request: GateRequest, tool: Tool) -> TierDecision:
        """The tier of the call with its arguments. Raises Denied when its caller lacks the scope of an act."""
        acts = await self.decisions.performed(tool, request.arguments, request.caller)
        for act in acts:
            self._require_scope(request, act.scope, f"{tool.name}: {act.what}: that")
        return await self.decisions.with_meaning(tool, request.arguments, request.caller, acts)

    async def recheck(self, request: GateRequest, tool: Tool) -> None:
        """Check a call again after it has waited for the body: the robot may sleep now, or the rules have changed.

        Raises Denied, NotConfirmed.
        """
        now = await self._decide(request, tool)
        if now.tier > max(request.decision.tier, Tier.NOTIFY):
            request.decision = now
            self._require_allowed(request, tool)
            await self._confirm(request, tool)

    async def permit(self, request: GateRequest, tool: Tool, acts: Iterable[Act]) -> None:
        """Check acts of a running call that its table entry can't tell; each is asked about once.

        Raises Denied, NotConfirmed.
        """
        new = set(acts) - request.permitted
        found = self.decisions.acts(new)
        if found.tier > Tier.NOTIFY:
            request.decision = found
            self._require_allowed(request, tool)
            await self._confirm(request, tool)
        request.permitted |= new

    async def _stop(self, request: GateRequest, tool: Tool) -> Outcome:
        """Stop first, whatever the arguments are."""
        self._body.halt()
        if self.on_stop is not None:
            self.on_stop(request.caller)
        return await self._runner.run(request, tool)

    def _require_scope(self, request: GateRequest, needed: Scope, what: str) -> None:
        if not has_scope(request.caller.scopes, needed):
            raise Denied(
                f"{what} needs the scope {needed}, which this caller lacks",
                hint=f"a token or login with the scope {needed}: reachy-mind token new NAME --scope {needed}",
            )

    def _require_allowed(self, request: GateRequest, tool: Tool) -> None:
        if request.decision.tier is Tier.FORBIDDEN:
            why = request.decision.reason
            raise Denied(f"{tool.name} is forbidden: {why}", hint="a person can change permissions.yaml")
        if tool.not_ready_reason:
            raise NotReady(f"{tool.name} can't be used yet", hint=tool.not_ready_reason)
        if request.depth > MAX_CALL_DEPTH:
            raise InvalidParameter(f"tools call one another {request.depth} deep", hint="does one of them call itself?")

    async def _confirm(self, request: GateRequest, tool: Tool) -> str:
        """Ask a person. Returns the name of the person who said yes."""
        await self.audit.record_question(
            request.call_id, tool.qualified, request.tier, request.caller, text(request.plain_arguments)
        )
        default = tool.description.splitlines()[0]
        consequence = await tool.question(request.arguments) if tool.question is not None else default
        return await self.confirmations.ask(
            call_id=request.call_id,
            tool=tool.qualified,
            arguments=request.plain_arguments,
            consequence=consequence,
            reason=request.decision.reason,
            conversation=request.caller.conversation,
        )

    async def _start_in_background(self, request: GateRequest, tool: Tool) -> Outcome:
        """Start the tool as a background task."""
        tasks = self.parts.tasks
        if tasks is None:
            raise NotReady("nothing can run in the background here", hint="leave out 'background'")
        background = replace(request, caller=replace(request.caller, kind="background"))

        async def work(handle: TaskHandle) -> Outcome:
            began = time.monotonic()
            current_hold.set(None)  # it outlives the call it was started from
            try:
                outcome = await self._runner.run(background, tool, handle)
            except MindError as error:
                outcome = Outcome("error", error=error.as_dict())
            took = (time.monotonic() - began) * 1000
            outcome = replace(outcome, call_id=request.call_id, tier=request.tier, duration_ms=took)
            await self.audit.record_end(tool, background.caller, outcome, "", text(outcome.error or outcome.data))
            return outcome

        task = await tasks.start(tool.qualified, tool.name.replace("_", " "), request.caller.conversation, work)
        message = f"{task.description} has started; I'll tell you when it is done."
        return Outcome("started", {"task_id": task.id, "message": message})

    async def _record(self, request: GateRequest, outcome: Outcome) -> Outcome:
        took = (time.monotonic() - request.started_at) * 1000
        outcome = replace(outcome, tier=request.tier, duration_ms=took, call_id=request.call_id)
        result = text(outcome.data if outcome.error is None else outcome.error)
        try:
            await self.audit.record_end(
                request.tool_name, request.caller, outcome, text(request.plain_arguments), result
            )
        except MindError as error:
            # The call has happened, so its outcome is returned. A new call fails without an audit.
            _log.error("a call could not be written to the audit", call=request.call_id, reason=error.message)
        self.parts.bus.publish(
            ToolCalled(
                call_id=request.call_id,
                tool=request.tool_name,
                arguments=request.plain_arguments,
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


def _status_of(error: MindError) -> Literal["denied", "error"]:
    return "denied" if error.code in ("PERMISSION_DENIED", "NOT_CONFIRMED") else "error"


def _with_principal(caller: Caller) -> Caller:
    """The caller with the token or login of the request it came with."""
    return caller if caller.principal else replace(caller, principal=current_principal().label)
