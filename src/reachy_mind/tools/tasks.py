"""`Tasks`: background tasks, that is tools that run beside the conversation. Each has an id and can be cancelled.

Start and end of a task are stored on disk, so that a task interrupted by a crash is known afterwards. Progress is
published and kept in memory. At most `max_running` run at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal
from uuid import uuid4

from reachy_mind import log
from reachy_mind.errors import InvalidParameter, MindError, NotReady, TooMany
from reachy_mind.events import Bus, TaskChanged
from reachy_mind.storage.database import Database
from reachy_mind.tools.announcements import Announcements
from reachy_mind.tools.definition import Outcome

MAX_RUNNING = 8
MAX_REMEMBERED = 200
MAX_SUMMARY_CHARS = 240
"""Of what is said aloud when a task has ended."""
_SENTENCE_END = re.compile(r"[.!?](?=\s)")
State = Literal["running", "done", "failed", "cancelled", "interrupted"]

_log = log.get(__name__)


@dataclass(frozen=True)
class Task:
    id: str
    tool: str
    description: str
    conversation: str
    state: State
    progress: float
    message: str
    started_at: float
    ended_at: float | None = None
    result: Any = None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


Work = Callable[["TaskHandle"], Awaitable[Outcome]]


class TaskHandle:
    """Passed to a running task, to report its progress."""

    def __init__(self, tasks: Tasks, task_id: str) -> None:
        self.task_id = task_id
        self._tasks = tasks

    def progress(self, share: float, message: str = "") -> None:
        self._tasks.report_progress(self.task_id, share, message)


class Tasks:
    """All background tasks. Use as `async with Tasks(...)`: at the end, running tasks are cancelled."""

    def __init__(self, database: Database, bus: Bus, *, max_running: int = MAX_RUNNING, recover: bool = True) -> None:
        self._database, self._bus, self._max_running, self._recover = database, bus, max_running, recover
        self._announcements = Announcements(database, bus)
        self._tasks: dict[str, Task] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self.interrupted: list[Task] = []
        """Tasks that a crash interrupted."""

    async def __aenter__(self) -> Tasks:
        running = await self._database.rows("SELECT id FROM tasks WHERE state = 'running'")
        if self._recover:
            await self._database.execute(
                "UPDATE tasks SET state = 'interrupted', ended_at = ? WHERE state = 'running'", (time.time(),)
            )
        rows = await self._database.rows("SELECT * FROM tasks ORDER BY started_at DESC LIMIT ?", (MAX_REMEMBERED,))
        for row in reversed(rows):
            result = json.loads(row.pop("result") or "null")
            self._tasks[row["id"]] = Task(**row, result=result)
        self.interrupted = [self._tasks[row["id"]] for row in running if row["id"] in self._tasks]
        return self

    async def __aexit__(self, *_: object) -> None:
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def start(self, tool: str, description: str, conversation: str, work: Work) -> Task:
        """Start a task. Raises TooMany, or NotReady where background tasks are not allowed."""
        if not self._max_running:
            raise NotReady(
                "nothing can run in the background here",
                hint="this mind is here only for a moment; start one that stays: reachy-mind run",
            )
        if len(self._running) >= self._max_running:
            raise TooMany(
                f"{len(self._running)} tasks are running already",
                hint="wait for one to end, or cancel one: task_status",
            )
        task = Task(uuid4().hex[:12], tool, description[:200], conversation, "running", 0.0, "", time.time())
        await self._database.execute(
            "INSERT INTO tasks (id, tool, description, conversation, state, started_at) VALUES (?, ?, ?, ?, ?, ?)",
            (task.id, task.tool, task.description, task.conversation, task.state, task.started_at),
        )
        self._tasks[task.id] = task
        while len(self._tasks) > MAX_REMEMBERED and self._tasks[next(iter(self._tasks))].state != "running":
            del self._tasks[next(iter(self._tasks))]
        self._running[task.id] = asyncio.create_task(self._run(task.id, work), name=f"task {tool}")
        self._publish(task)
        return task

    async def _run(self, task_id: str, work: Work) -> None:
        state: State = "cancelled"
        result: Any = None
        try:
            outcome = await work(TaskHandle(self, task_id))
            state = "done" if outcome.status == "ok" else "cancelled" if outcome.status == "cancelled" else "failed"
            result = outcome.data if outcome.status == "ok" else outcome.error
        except asyncio.CancelledError:
            pass  # the state says so, and nothing awaits this result
        except Exception as error:  # noqa: BLE001 -- the task ends as failed, whatever the error
            _log.exception("a background task failed", task=task_id)
            state, result = "failed", {"code": "ERROR", "message": str(error), "hint": ""}
        finally:
            self._running.pop(task_id, None)
        task = replace(self._tasks[task_id], state=state, result=result, ended_at=time.time())
        if state == "done":
            task = replace(task, progress=1.0)
        self._tasks[task_id] = task
        kept = 0
        with contextlib.suppress(MindError):
            kept = await self._database.execute(
                "UPDATE tasks SET state = ?, progress = ?, message = ?, result = ?, ended_at = ? WHERE id = ?",
                (state, task.progress, task.message, json.dumps(result, default=str), task.ended_at, task_id),
            )
        self._publish(task)
        announced = self._announcements.publish(
            _announcement(task), about=f"task {task_id}", conversation=task.conversation
        )
        if kept and state != "cancelled":  # else it was erased meanwhile, or somebody knows
            with contextlib.suppress(MindError):
                await self._announcements.store(announced)

    def report_progress(self, task_id: str, share: float, message: str) -> None:
        task = self._tasks.get(task_id)
        if task is not None and task.state == "running":
            self._tasks[task_id] = replace(task, progress=min(max(share, 0.0), 1.0), message=message[:200])
            self._publish(self._tasks[task_id])

    def get(self, task_id: str) -> Task:
        """Raises InvalidParameter for an unknown id."""
        try:
            return self._tasks[task_id]
        except KeyError:
            raise InvalidParameter(f"no task {task_id[:40]!r}", hint="task_status lists them") from None

    async def drop_erased(self) -> None:
        """Drop the ended tasks that are no longer in the database."""
        there = {row["id"] for row in await self._database.rows("SELECT id FROM tasks")}
        for task_id in self._tasks.keys() - there - self._running.keys():
            del self._tasks[task_id]

    def all(self) -> list[Task]:
        """Newest first."""
        return list(reversed(self._tasks.values()))

    async def cancel(self, task_id: str) -> Task:
        """Cancel a task and wait for its end. An ended task stays as it is."""
        self.get(task_id)
        running = self._running.get(task_id)
        if running is not None:
            running.cancel()
            await asyncio.wait([running])
        return self._tasks[task_id]

    def _publish(self, task: Task) -> None:
        self._bus.publish(
            TaskChanged(
                task_id=task.id,
                tool=task.tool,
                state=task.state,
                progress=task.progress,
                message=task.message,
                conversation=task.conversation,
            )
        )


def _announcement(task: Task) -> str:
    match task.state:
        case "done":
            said = task.result.get("message") if isinstance(task.result, dict) else None
            return summary(str(said)) if said else f"{task.description} is done."
        case "cancelled":
            return f"{task.description} was cancelled."
        case _:
            why = task.result.get("message", "") if isinstance(task.result, dict) else ""
            return f"{task.description} failed{': ' + summary(str(why)).rstrip('.') if why else ''}."


def summary(text: str) -> str:
    """What a result says, to be said aloud: on one line, and cut after a sentence where it is long."""
    line = " ".join(text.split())
    if len(line) <= MAX_SUMMARY_CHARS:
        return line
    ends = [found.end() for found in _SENTENCE_END.finditer(line[: MAX_SUMMARY_CHARS + 1])]
    return line[: ends[-1]].rstrip() if ends else f"{line[: MAX_SUMMARY_CHARS - 1].rstrip()}\u2026"
