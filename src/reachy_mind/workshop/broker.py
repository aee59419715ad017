"""`Broker`: answers the calls of sandboxed code, on the host. Everything that comes from inside is hostile.

The methods are a fixed table: tools by name, the robot SDK (`tools.sdk`), HTTP, artefacts. A call needs a capability of
the run and passes the toolbox's gate as any other: permissions, confirmation by a person, limits, audit. Nothing that
the code sends can confirm anything. What was called is recorded here, whatever the code says of itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from reachy_mind import log
from reachy_mind.errors import InvalidParameter, MindError, NotReady, TooMany
from reachy_mind.tools.definition import ToolError
from reachy_mind.tools.registry import Registry
from reachy_mind.tools.sdk import arguments
from reachy_mind.tools.sdk.media_calls import MediaCalls
from reachy_mind.tools.sdk.method import Method
from reachy_mind.tools.sdk.orders import MovementOrders, data_of
from reachy_mind.tools.sdk.robot_calls import RobotCalls
from reachy_mind.tools.sdk.sight_calls import SightCalls
from reachy_mind.tools.toolbox import Denied
from reachy_mind.workshop.written_speech import written

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context
    from reachy_mind.workshop.artifacts import Artifacts
    from reachy_mind.workshop.capabilities import Capabilities
    from reachy_mind.workshop.http_broker import HttpBroker

MAX_WAITING = 64
"""Calls of one run that may wait for their answers at a time."""
LASTING = frozenset(("time.set_timer", "time.set_reminder", "memory.store_memory", "memory.update_user_profile"))
MAX_LASTING = 10
"""Calls of a run that leave something behind: a timer, a reminder, a memory."""
CHEAP_SHARE = 0.1
"""A call that only reads what is known already counts so much of a call for the rate."""
BURST_S = 2.0
MAX_TOOL_VALUES = 2000
"""Values in the arguments of a tool: checking each of very many takes the host long."""
DENIED_CODES = frozenset({"PERMISSION_DENIED", "NOT_CONFIRMED"})
MAX_SHOWN_CHARS, MAX_SHOWN_ITEMS, MAX_SHOWN_DEPTH = 200, 20, 4

_log = log.get(__name__)


class CallBudget(Protocol):
    """How many calls a run may make: in all, a second, and refused ones."""

    @property
    def calls(self) -> int: ...
    @property
    def calls_per_s(self) -> float: ...
    @property
    def refused(self) -> int: ...


class CallsExhausted(MindError):
    """The run has used up its calls: it has to end."""

    code = "BUDGET_EXCEEDED"


@dataclass(frozen=True)
class CallRecord:
    """One call of the code, as the host saw it. `status`: ok, error or denied."""

    name: str
    args: dict[str, Any]
    status: str

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "args": self.args, "status": self.status}


class Broker:
    """One per run. Created in the task of the run, which a stop of the robot cancels; `close` it at every end."""

    def __init__(
        self,
        ctx: Context,
        capabilities: Capabilities,
        budget: CallBudget,
        *,
        registry: Registry,
        files: Artifacts,
        http: HttpBroker,
        name: str = "workshop.run",
    ) -> None:
        if ctx.hold is None:
            raise NotReady("there is no call of the gate to run in", hint="a run is a tool call")
        self._ctx, self._capabilities, self._budget, self._registry = ctx, capabilities, budget, registry
        self._orders = MovementOrders(ctx, ctx.hold, name)
        self._robot, self._media = RobotCalls(self._orders), MediaCalls(self._orders)
        sight = SightCalls(self._orders)
        self._files, self._http = files, http
        own = [
            Method("tools.call", ("name", "args"), self._call_tool),
            Method("http.request", http.PARAMETERS, http.request),
            Method("artifact.keep", ("name", "data"), self._keep),
        ]
        self._methods: Mapping[str, Method] = {
            **self._robot.methods,
            **self._media.methods,
            **sight.methods,
            **{method.name: method for method in own},
        }
        self.record: list[CallRecord] = []
        self.refused = 0
        self._count = self._waiting = self._lasting = 0
        self._clock = asyncio.get_running_loop().time
        self._allowance, self._counted_at = BURST_S * budget.calls_per_s, self._clock()
        self._closed = False

    async def call(self, method: Any, args: Any) -> Any:
        """Answer one call. Raises a MindError; CallsExhausted means that the run has to end."""
        found = self._methods.get(method) if isinstance(method, str) else None
        shown = _name_of(method, args)
        status = "error"
        try:
            self._admit()
            if found is None:
                raise Denied(f"there is no method {shown!r}", hint="see docs/tools.md for what sandboxed code sees")
            if not isinstance(args, dict):
                raise InvalidParameter(f"{shown}: arguments are an object")
            if lacking := self._capabilities.missing(found.needs):
                raise Denied(f"{shown} is not allowed: {lacking}", hint=_allow(found.needs))
            await self._pace(found)
            self._waiting += 1
            try:
                value = await found.run(args)
            finally:
                self._waiting -= 1
            status = "ok"
        except CallsExhausted:
            raise
        except MindError as error:
            status = "denied" if error.code in DENIED_CODES else "error"
            self._refuse(error)
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it sent must not end the run on our side
            self.refused += 1
            _log.warning(
                "a call of sandboxed code failed", method=shown, error=f"{type(error).__name__}: {error}"[:200]
            )
            raise ToolError("TOOL_FAILED", f"{shown} failed: {type(error).__name__}"[:200]) from None
        finally:
            self.record.append(CallRecord(shown, _shown_arguments(method, args), status))
        return value

    async def close(self) -> None:
        """End of the run: what it moved holds still, its lease, streams and devices are given back. Idempotent."""
        if self._closed:
            return
        self._closed = True
        assert self._ctx.hold is not None
        # The robot first; one that fails does not keep the others from being given back.
        for give_back in (self._orders.close, self._robot.close, self._media.close, self._ctx.hold.release):
            try:
                await give_back()
            except Exception as error:  # noqa: BLE001 -- devices of any kind
                _log.warning("the end of a run was not clean", reason=f"{type(error).__name__}: {error}"[:200])

    # Limits

    def _admit(self) -> None:
        """Count the call. Raises CallsExhausted, TooMany."""
        self._count += 1
        if self._closed:
            raise CallsExhausted("the run has ended")
        if self._count > self._budget.calls:
            raise CallsExhausted(f"more than {self._budget.calls} calls", hint="call less often")
        if self.refused >= self._budget.refused:
            raise CallsExhausted(f"{self.refused} calls were refused", hint="see the record of its calls")
        if self._waiting >= MAX_WAITING:
            raise TooMany(f"{self._waiting} calls wait for an answer", hint="await some of them first")

    def _refuse(self, error: MindError) -> None:
        if error.code in DENIED_CODES or isinstance(error, InvalidParameter | TooMany):
            self.refused += 1

    async def _pace(self, method: Method) -> None:
        """Wait until the rate of calls allows another one."""
        rate, cost = self._budget.calls_per_s, CHEAP_SHARE if method.cheap else 1.0
        now = self._clock()
        self._allowance = min(self._allowance + (now - self._counted_at) * rate, BURST_S * rate)
        self._counted_at = now
        self._allowance -= cost
        if self._allowance < 0:
            await asyncio.sleep(-self._allowance / rate)

    # Methods

    async def _call_tool(self, args: Mapping[str, Any]) -> Any:
        """A nested call through the gate, for the same caller."""
        name = arguments.text("name", args.get("name"), 200)
        given = args.get("args", {})
        if not isinstance(given, dict) or not all(isinstance(key, str) for key in given):
            raise InvalidParameter(f"{name}: arguments are an object")
        if _more_values(given, MAX_TOOL_VALUES) < 0:
            raise InvalidParameter(f"{name}: arguments of more than {MAX_TOOL_VALUES} values", hint="pass less")
        tool, alias = self._registry.find(name)
        if reason := self._capabilities.covers(tool):
            raise Denied(f"{tool.name} may not be called: {reason}", hint="reachy-mind workshop run --allow")
        if tool.qualified in LASTING:
            self._lasting += 1
            if self._lasting > MAX_LASTING:
                limit = f"at most {MAX_LASTING} timers, reminders and memories in a run"
                raise TooMany(f"{tool.name}: too much that outlives the run", hint=limit)
        if tool.supports_background and given.get("background"):
            raise InvalidParameter(f"{tool.name}: no background task outlives a run", hint="leave out 'background'")
        if tool.moves:
            await self._orders.lend()
        tracking = self._robot.tracking
        try:
            outcome = await self._ctx.call(alias.name if alias else tool.qualified, **given)
        finally:
            self._robot.note_tracking(before=tracking)
        instead = await written(self._ctx, tool.qualified, given, outcome)
        return data_of(tool.name, outcome) if instead is None else instead

    async def _keep(self, args: Mapping[str, Any]) -> str:
        name = arguments.text("name", args.get("name"), 255)
        data = args.get("data")
        if not isinstance(data, bytes | bytearray):
            raise InvalidParameter("data is the content of a file", hint="bytes")
        return str(await asyncio.to_thread(self._files.keep, name, bytes(data)))


def _more_values(value: Any, left: int) -> int:
    """How many of `left` values remain after those of `value`; negative when there are not enough."""
    left -= 1
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        if left < 0:
            break
        left = _more_values(one, left)
    return left


def _allow(needed: tuple[str, ...]) -> str:
    return f"reachy-mind workshop run --allow {','.join(needed)}"


def _name_of(method: Any, args: Any) -> str:
    """The name for the record: of a tool its bare name, else the method's."""
    if method == "tools.call" and isinstance(args, dict) and isinstance(args.get("name"), str):
        return _printable(args["name"][:100])
    return _printable(method[:100]) if isinstance(method, str) else f"a method of type {type(method).__name__}"


def _printable(text: str) -> str:
    """Without lone surrogates, which can't be written or sent."""
    return text.encode("utf-8", "replace").decode()


def _shown_arguments(method: Any, args: Any) -> dict[str, Any]:
    given = args.get("args") if method == "tools.call" and isinstance(args, dict) else args
    shown = _shown(given, 0)
    return shown if isinstance(shown, dict) else {}


def _shown(value: Any, depth: int) -> Any:  # noqa: PLR0911 -- one per type
    """A value for people and reports: short, finite, plain."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else "a large number"
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if isinstance(value, str):
        return _printable(value if len(value) <= MAX_SHOWN_CHARS else f"{value[:MAX_SHOWN_CHARS]}...")
    if isinstance(value, bytes | bytearray):
        return f"{len(value)} bytes"
    if isinstance(value, np.ndarray):
        return f"array {'x'.join(map(str, value.shape))}"
    if depth < MAX_SHOWN_DEPTH and isinstance(value, dict):
        items = list(value.items())[:MAX_SHOWN_ITEMS]
        return {_printable(str(key)[:MAX_SHOWN_CHARS]): _shown(one, depth + 1) for key, one in items}
    if depth < MAX_SHOWN_DEPTH and isinstance(value, list | tuple):
        return [_shown(one, depth + 1) for one in value[:MAX_SHOWN_ITEMS]]
    return f"a {type(value).__name__}"
