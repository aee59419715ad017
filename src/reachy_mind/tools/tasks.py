"""`Tasks`: tools that go on beside the conversation. Each is known by its id, can be asked about and cancelled.

A task is written down when it starts and when it ends, so that one cut short by a crash is known afterwards. Progress
is told as it comes; it is kept in memory. There are at most `most` at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal
from uuid import uuid4

from reachy_mind import log
from reachy_mind.database import Database
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.events import Announced, Bus, TaskChanged
from reachy_mind.tools.definition import Outcome

MOST = 8
REMEMBERED = 200
State = Literal["running", "done", "failed", "cancelled", "interrupted"]

_log = log.get(__name__)


class TooMany(MindError):
    """There is no room for another one now."""

    code = "BUSY"


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


Work = Callable[["Handle"], Awaitable[Outcome]]


class Handle:
    """What a running task tells about itself."""

    def __init__(self, tasks: Tasks, task_id: str) -> None:
        self.task_id = task_id
        self._tasks = tasks

    def progress(self, share: float, message: str = "") -> None:
        self._tasks.told(self.task_id, share, message)


class Tasks:
    """All of them. Use as `async with Tasks(...)`: at the end those that still run are cancelled and waited for."""

    def __init__(self, database: Database, bus: Bus, *, most: int = MOST, recover: bool = True) -> None:
        self._database, self._bus, self._most, self._recover = database, bus, most, recover
        self._tasks: dict[str, Task] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self.cut_short: list[Task] = []
        """Those that were running when the program died last time."""

    async def __aenter__(self) -> Tasks:
        running = await self._database.rows("SELECT id FROM tasks WHERE state = 'running'")
        if self._recover:
            await self._database.execute(
                "UPDATE tasks SET state = 'interrupted', ended_at = ? WHERE state = 'running'", (time.time(),)
            )
        rows = await self._database.rows("SELECT * FROM tasks ORDER BY started_at DESC LIMIT ?", (REMEMBERED,))
        for row in reversed(rows):
            result = json.loads(row.pop("result") or "null")
            self._tasks[row["id"]] = Task(**row, result=result)
        self.cut_short = [self._tasks[row["id"]] for row in running if row["id"] in self._tasks]
        return self

    async def __aexit__(self, *_: object) -> None:
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def start(self, tool: str, description: str, conversation: str, work: Work) -> Task:
        """Begin. Raises TooMany, or NotReady where nothing may outlast a call."""
        if not self._most:
            raise NotReady(
                "nothing can run in the background here",
                hint="this mind is here only for a moment; start one that stays: reachy-mind run",
            )
        if len(self._running) >= self._most:
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
        while len(self._tasks) > REMEMBERED and self._tasks[next(iter(self._tasks))].state != "running":
            del self._tasks[next(iter(self._tasks))]
        self._running[task.id] = asyncio.create_task(self._run(task.id, work), name=f"task {tool}")
        self._tell(task)
        return task

    async def _run(self, task_id: str, work: Work) -> None:
        state: State = "cancelled"
        result: Any = None
        try:
            outcome = await work(Handle(self, task_id))
            state = "done" if outcome.status == "ok" else "cancelled" if outcome.status == "cancelled" else "failed"
            result = outcome.data if outcome.status == "ok" else outcome.error
        except asyncio.CancelledError:
            pass  # the state says so, and nobody waits for this task's own result
        except Exception as error:  # noqa: BLE001 -- whatever it was, the task has ended and says so
            _log.exception("a background task failed", task=task_id)
            state, result = "failed", {"code": "ERROR", "message": str(error), "hint": ""}
        finally:
            self._running.pop(task_id, None)
        task = replace(self._tasks[task_id], state=state, result=result, ended_at=time.time())
        if state == "done":
            task = replace(task, progress=1.0)
        self._tasks[task_id] = task
        with contextlib.suppress(MindError):
            await self._database.execute(
                "UPDATE tasks SET state = ?, progress = ?, message = ?, result = ?, ended_at = ? WHERE id = ?",
                (state, task.progress, task.message, json.dumps(result, default=str), task.ended_at, task_id),
            )
        self._tell(task)
        self._bus.publish(Announced(text=_ending(task), about=f"task {task_id}", conversation=task.conversation))

    def told(self, task_id: str, share: float, message: str) -> None:
        task = self._tasks.get(task_id)
        if task is not None and task.state == "running":
            self._tasks[task_id] = replace(task, progress=min(max(share, 0.0), 1.0), message=message[:200])
            self._tell(self._tasks[task_id])

    def get(self, task_id: str) -> Task:
        """Raises InvalidParameter for an id nobody knows."""
        try:
            return self._tasks[task_id]
        except KeyError:
            raise InvalidParameter(f"no task {task_id[:40]!r}", hint="task_status lists them") from None

    def all(self) -> list[Task]:
        """Newest first."""
        return list(reversed(self._tasks.values()))

    async def cancel(self, task_id: str) -> Task:
        """End it; returns when it has ended. One that has ended already stays as it is."""
        self.get(task_id)
        running = self._running.get(task_id)
        if running is not None:
            running.cancel()
            await asyncio.wait([running])
        return self._tasks[task_id]

    def _tell(self, task: Task) -> None:
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


def _ending(task: Task) -> str:
    match task.state:
        case "done":
            said = task.result.get("message") if isinstance(task.result, dict) else None
            return str(said) if said else f"{task.description} is done."
        case "cancelled":
            return f"{task.description} was cancelled."
        case _:
            why = task.result.get("message", "") if isinstance(task.result, dict) else ""
            return f"{task.description} failed{': ' + why if why else ''}."
