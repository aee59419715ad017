"""`BackgroundTaskManager`: the background task API of the conversation app, on top of our `Tasks`.

A task runs in a thread of its own, so that it may block without blocking the main loop or other tools.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Coroutine
from enum import Enum
from typing import Any

from reachy_mind.errors import MindError, NotReady
from reachy_mind.tools.body_lock import current_hold
from reachy_mind.tools.conversation_app.scope import Scope, current
from reachy_mind.tools.definition import Outcome, ToolError
from reachy_mind.tools.result_limits import plain
from reachy_mind.tools.runner import BACKGROUND_TIMEOUT_S
from reachy_mind.tools.tasks import Task, TaskHandle, Tasks

MAX_REMEMBERED = 200


class TaskStatus(Enum):
    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


STATUS = {"running": TaskStatus.RUNNING, "done": TaskStatus.COMPLETED, "cancelled": TaskStatus.CANCELLED}


class BackgroundTask:
    """A live view of a task."""

    def __init__(self, tasks: Tasks, task_id: str, name: str, display_name: str) -> None:
        self._tasks, self.id, self.name, self.display_name = tasks, task_id, name, display_name

    @property
    def _now(self) -> Task:
        return self._tasks.get(self.id)

    @property
    def description(self) -> str:
        return self._now.description

    @property
    def status(self) -> TaskStatus:
        return STATUS.get(self._now.state, TaskStatus.FAILED)

    @property
    def progress(self) -> float:
        return self._now.progress

    @property
    def progress_message(self) -> str:
        return self._now.message

    @property
    def started_at(self) -> float:
        return self._now.started_at

    @property
    def completed_at(self) -> float | None:
        return self._now.ended_at

    @property
    def result(self) -> Any:
        return self._now.result if self._now.state == "done" else None

    @property
    def error(self) -> str | None:
        now = self._now
        return str((now.result or {}).get("message", "")) if now.state == "failed" else None


class BackgroundTaskManager:
    """A singleton. Its methods work within a guest's call or task, from the guest's thread."""

    _instance: BackgroundTaskManager | None = None

    def __init__(self) -> None:
        self._known: dict[str, BackgroundTask] = {}

    @classmethod
    def get_instance(cls) -> BackgroundTaskManager:
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    async def start_task(
        self,
        name: str,
        description: str,
        coroutine: Coroutine[Any, Any, Any],
        with_progress: bool = False,  # noqa: ARG002 -- progress can always be reported
        display_name: str | None = None,
        **_: Any,
    ) -> BackgroundTask:
        """Raises TooMany when too many tasks run, NotReady outside of a call."""
        started = False

        async def work(handle: TaskHandle) -> Outcome:
            nonlocal started
            started = True
            self._remember(BackgroundTask(tasks, handle.task_id, name, display_name or name))
            return await _run_task(scope, name, coroutine)

        try:
            scope, tasks = _current_scope()
            begun = await _in_main_loop(
                scope, tasks.start(scope.tool, description, scope.ctx.caller.conversation, work)
            )
        except BaseException:
            if not started:
                _close_unstarted(coroutine)
            raise
        self._remember(BackgroundTask(tasks, begun.id, name, display_name or name))
        return self._known[begun.id]

    async def update_progress(self, task_id: str, progress: float, message: str | None = None) -> bool:
        scope, tasks = _current_scope()
        task = self.get_task(task_id)
        if task is None or task.status is not TaskStatus.RUNNING:
            return False
        scope.post(lambda: tasks.report_progress(task_id, float(progress), message or ""))
        return True

    async def cancel_task(self, task_id: str) -> bool:
        scope, tasks = _current_scope()
        task = self.get_task(task_id)
        if task is None or task.status is not TaskStatus.RUNNING:
            return False
        await _in_main_loop(scope, tasks.cancel(task_id))
        return True

    def get_task(self, task_id: str) -> BackgroundTask | None:
        return self._known.get(task_id)

    def get_running_tasks(self) -> list[BackgroundTask]:
        return [task for task in self.get_all_tasks(MAX_REMEMBERED) if task.status is TaskStatus.RUNNING]

    def get_all_tasks(self, limit: int = 10) -> list[BackgroundTask]:
        """Newest first."""
        found = []
        for task in reversed(list(self._known.values())):
            with contextlib.suppress(Exception):  # a task that `Tasks` no longer remembers
                _ = task.status
                found.append(task)
        return found[:limit]

    def get_status_summary(self) -> dict[str, Any]:
        tasks = self.get_all_tasks(MAX_REMEMBERED)
        counts = {status.value: sum(task.status is status for task in tasks) for status in TaskStatus}
        running = [
            {"id": task.id, "name": task.name, "description": task.description, "progress": task.progress}
            for task in tasks
            if task.status is TaskStatus.RUNNING
        ]
        return {"total": len(tasks), "counts": counts, "running": running}

    def _remember(self, task: BackgroundTask) -> None:
        self._known.setdefault(task.id, task)
        while len(self._known) > MAX_REMEMBERED:
            self._known.pop(next(iter(self._known)))


def _current_scope() -> tuple[Scope, Tasks]:
    scope = current.get()
    if scope is None or scope.ctx.parts.tasks is None:
        raise NotReady("nothing can run in the background here", hint="start it from within a tool's call")
    return scope, scope.ctx.parts.tasks


async def _in_main_loop(scope: Scope, work: Coroutine[Any, Any, Any]) -> Any:
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, scope.loop))


async def _run_task(caller: Scope, name: str, coroutine: Coroutine[Any, Any, Any]) -> Outcome:
    """Run the task in a thread and scope of its own. Called in the main event loop."""
    current_hold.set(None)
    task = asyncio.current_task()
    assert task is not None
    hold = caller.hold.for_background(task.cancel)
    scope = Scope(caller.ctx, hold, caller.threads, caller.tool)
    current.set(scope)

    async def inside() -> Any:
        return await coroutine

    try:
        result = await caller.threads.run(inside, what=name, timeout_s=lambda: BACKGROUND_TIMEOUT_S, alone=True)
        await scope.wait_done()
        return Outcome("ok", plain(check_result(result)))
    except MindError as error:
        return Outcome("error", error=error.as_dict())
    except Exception as error:  # noqa: BLE001 -- a tool may raise anything
        return Outcome("error", error={"code": "TOOL_FAILED", "message": f"{type(error).__name__}: {error}"[:500]})
    finally:
        _close_unstarted(coroutine)
        await scope.close()
        await hold.release()


def _close_unstarted(coroutine: Coroutine[Any, Any, Any]) -> None:
    """Close a coroutine that never started; a started one belongs to its thread."""
    if inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
        coroutine.close()


def check_result(result: Any) -> Any:
    """Return a tool's result. Raises ToolError for `{"error": ...}`."""
    if isinstance(result, dict) and result.get("error"):
        raise ToolError("TOOL_FAILED", str(result["error"])[:500])
    return result
