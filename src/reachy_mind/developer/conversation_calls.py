"""`ConversationCalls`: what was done in repositories in each conversation, for "undo that" and "why did it fail?"."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from reachy_mind.errors import MindError

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context
    from reachy_mind.tools.definition import Tool

MOST_CONVERSATIONS, MOST_CALLS = 200, 20


@dataclass(frozen=True)
class PastCall:
    """A call that has ended: what it said, and whether it did what was asked."""

    tool: str
    args: Mapping[str, Any]
    message: str
    succeeded: bool


class ConversationCalls:
    """The last calls of each conversation."""

    def __init__(self) -> None:
        self._calls: OrderedDict[str, deque[PastCall]] = OrderedDict()

    def recording(self, tool: Tool) -> Tool:
        """The tool, whose calls are noted."""

        async def run(ctx: Context, given: dict[str, Any]) -> Any:
            try:
                data = await tool.run(ctx, given)
            except MindError as error:
                self._note(ctx.caller.conversation, PastCall(tool.name, given, error.message, succeeded=False))
                raise
            self._note(ctx.caller.conversation, _ended(tool.name, given, data))
            return data

        return replace(tool, run=run)

    def last(self, conversation: str, tools: Iterable[str], *, succeeded: bool = False) -> PastCall | None:
        """The last call of one of these tools; with `succeeded` the last that did what was asked."""
        return next((call for call in self.of(conversation, tools) if call.succeeded or not succeeded), None)

    def of(self, conversation: str, tools: Iterable[str]) -> Iterator[PastCall]:
        """The calls of these tools, the last one first."""
        wanted = frozenset(tools)
        return (call for call in reversed(tuple(self._calls.get(conversation, ()))) if call.tool in wanted)

    def _note(self, conversation: str, call: PastCall) -> None:
        self._calls.setdefault(conversation, deque(maxlen=MOST_CALLS)).append(call)
        self._calls.move_to_end(conversation)
        while len(self._calls) > MOST_CONVERSATIONS:
            self._calls.popitem(last=False)


def _ended(tool: str, args: Mapping[str, Any], data: Any) -> PastCall:
    about = data if isinstance(data, dict) else {}
    return PastCall(tool, args, str(about.get("message", "")), succeeded=bool(about.get("succeeded", True)))
