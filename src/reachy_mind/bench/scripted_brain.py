"""`Scripted`: a brain that executes the script of a case, to see that a right plan passes and a wrong one does not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import zip_longest
from typing import Any

from reachy_mind.bench.task_cases import Case, tasks
from reachy_mind.brains.brain import Called, Done, Said, Thought, ToolCall, Turn


def every_case() -> Iterator[tuple[int, Case]]:
    """The first case of each task, then the second of each."""
    for row in zip_longest(*([(each.task, case) for case in each.cases] for each in tasks())):
        yield from (each for each in row if each is not None)


class Scripted:
    """Executes the script of the case, turn by turn; without `right`, the script of the previous case."""

    def __init__(self, *, right: bool = True) -> None:
        self.name = "scripted" if right else "scripted wrongly"
        self._right = right
        self._last = next(reversed(list(every_case())))[1]
        self._turns: Iterator[Any] = iter(())
        self._made = ""

    def take(self, case: Case) -> None:
        """Set the next case."""
        self._last, before = case, self._last
        self._turns = iter((case if self._right else before).script)

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        found = ""
        for tool, args in next(self._turns, ()):
            name = self._made if tool == "$made" else tool
            given = {key: found if value == "$result" else value for key, value in args.items()}
            outcome = await turn.call(name, given)
            yield Called(ToolCall(name, given, outcome))
            if outcome.error is not None:
                yield Said(f"{outcome.error['message']} ")
                continue
            self._made = str(outcome.data.get("tool_name", self._made))
            if name != "speak":
                found = str(outcome.data.get("message", ""))
                yield Said(f"{found} ")
        yield Done()
