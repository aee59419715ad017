"""`CaseWorkshop`: puts tools on the shelf for a case of the benchmark tasks, answers as a person would, and records."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable

from reachy_mind.bench.case_author import CaseAuthor
from reachy_mind.bench.task_cases import Case, Scene, ShelvedTool
from reachy_mind.bench.tool_checks import GROUP, EndedCall, ShelfState, ToolEvidence
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.events import ConfirmationAsked, TaskChanged, ToolCalled, ToolStarted
from reachy_mind.mind import Mind
from reachy_mind.workshop.author.sentences import sentences
from reachy_mind.workshop.draft import Draft
from reachy_mind.workshop.shelf.shelf import Shelf
from reachy_mind.workshop.shelf.versions import NewVersion

PERSON = "bench"
BACKGROUND_TIMEOUT_S = 90.0
PASSED = {"passed": True, "results": [], "errors": [], "warnings": []}

Change = Callable[[Scene], Awaitable[None]]


class CaseWorkshop:
    """The workshop of one mind, which was given `author`."""

    def __init__(self, mind: Mind, author: CaseAuthor) -> None:
        self._mind, self._author = mind, author
        self._task_ended = asyncio.Event()

    async def prepare(self, case: Case) -> None:
        """Empty the shelf, then put the tools of the case on it."""
        self._author.take(case)
        await asyncio.to_thread(self._fill, case.shelf)
        await self._mind.generated.refresh()

    def _fill(self, tools: tuple[ShelvedTool, ...]) -> None:
        shelf = self._mind.generated.shelf
        for name in shelf.names():
            shutil.rmtree(self._mind.configuration.home.shelf_folder / name)
        for tool in tools:
            for each in tool.versions:
                new = NewVersion(
                    name=tool.name,
                    code=each.code,
                    description=each.description,
                    capabilities=each.capabilities,
                    results=PASSED,
                    sentences=sentences(Draft(tool.name, each.code, each.description, "")),
                )
                shelf.approve(tool.name, shelf.add(new).sha256, PERSON, activate=True)
            shelf.activate(tool.name, tool.in_use)

    @contextlib.asynccontextmanager
    async def watching(self, case: Case, change: Change) -> AsyncIterator[ToolEvidence]:
        """Answer the questions and record the calls of a case; `change` makes the changes of its scene."""
        seen = ToolEvidence(before=await asyncio.to_thread(states, self._mind.generated.shelf))
        events = (ConfirmationAsked, ToolCalled, ToolStarted, TaskChanged)
        with self._mind.confirmations.channel(PERSON), self._mind.bus.subscribe(*events) as published:
            changing: list[asyncio.Task[None]] = []

            async def watch() -> None:
                async for event in published:
                    if isinstance(event, ToolStarted):
                        if event.tool.startswith(GROUP) and case.meanwhile is not None and not changing:
                            changing.append(asyncio.create_task(_later(case.meanwhile.after, case.meanwhile, change)))
                    elif isinstance(event, ConfirmationAsked):
                        self._answer(event, seen, approved=case.approve)
                    elif isinstance(event, ToolCalled):
                        seen.calls.append(_ended(event))
                    elif isinstance(event, TaskChanged) and event.state != "running":
                        seen.calls.append(EndedCall(_bare(event.tool), "ok" if event.state == "done" else "error"))
                        self._task_ended.set()

            watching = asyncio.create_task(watch(), name="workshop of a case")
            try:
                yield seen
            finally:
                for task in (watching, *changing):
                    await cancel_and_wait(task)
                await self._end_tasks()

    async def settle(self) -> None:
        """Wait until what runs in the background is done. Raises TimeoutError."""
        async with asyncio.timeout(BACKGROUND_TIMEOUT_S):
            while self._running():
                self._task_ended.clear()
                await self._task_ended.wait()

    async def look_again(self, seen: ToolEvidence) -> None:
        """Complete the evidence at the end of a case."""
        seen.after = await asyncio.to_thread(states, self._mind.generated.shelf)

    def _answer(self, question: ConfirmationAsked, seen: ToolEvidence, *, approved: bool) -> None:
        if question.tool == "workshop.approve_tool":
            seen.questions.append(tuple(question.arguments.get("capabilities", ())))
        self._mind.confirmations.answer(question.confirmation_id, approved=approved, by=PERSON)

    def _running(self) -> list[str]:
        return [task.id for task in self._mind.tasks.all() if task.state == "running"]

    async def _end_tasks(self) -> None:
        for task in self._running():
            await self._mind.tasks.cancel(task)


async def _later(seconds: float, scene: Scene, change: Change) -> None:
    await asyncio.sleep(seconds)
    await change(scene)


def states(shelf: Shelf) -> dict[str, ShelfState]:
    """Every tool on the shelf, as it is now."""
    found = {}
    for name in shelf.names():
        versions = shelf.versions(name)
        active = next((each for each in versions if each.state == "active"), None)
        hashes = tuple(each.sha256 for each in versions if each.passed)
        found[name] = ShelfState(
            hashes, active.number if active else None, approved=active is not None and bool(active.approved_by)
        )
    return found


def _ended(event: ToolCalled) -> EndedCall:
    spoken = str(event.arguments.get("text", "")) if event.tool == "voice.speak" else ""
    return EndedCall(_bare(event.tool), event.status, (event.error or {}).get("code", ""), spoken)


def _bare(tool: str) -> str:
    return tool if tool.startswith(GROUP) else tool.rpartition(".")[2]
