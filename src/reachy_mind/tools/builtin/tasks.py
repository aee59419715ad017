"""Tools for background tasks: status, cancel, and a demo."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.definition import Tool, tool
from reachy_mind.tools.tasks import Task, Tasks
from reachy_mind.tools.time_expressions import duration

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

MAX_DEMO_S = 600.0
MAX_FOREGROUND_S = 25.0
STEPS = 10

TaskId = Annotated[str, Field(max_length=40, description="Id of the task, from task_status")]


@tool(group="tasks", tier="autonomous", read_only=True)
async def task_status(ctx: Context, task_id: TaskId = "") -> dict[str, Any]:
    """Tell how far a background task has got; all that are running, when none is named."""
    tasks = _tasks(ctx)
    if task_id.strip():
        task = tasks.get(task_id.strip())
        return {"message": _line(task) + ".", "tasks": [task.as_dict()]}
    running = [task for task in tasks.all() if task.state == "running"]
    if not running:
        return {"message": "Nothing is running in the background.", "tasks": []}
    return {"message": "; ".join(map(_line, running)) + ".", "tasks": [task.as_dict() for task in running]}


@tool(group="tasks", tier="confirm")
async def task_cancel(
    ctx: Context, task_id: Annotated[str, Field(min_length=1, max_length=40, description="Id, from task_status")]
) -> dict[str, Any]:
    """Cancel a background task; what it has not finished is lost."""
    tasks = _tasks(ctx)
    before = tasks.get(task_id.strip())
    if before.state != "running":
        return {"message": f"It had ended already: {_line(before)}.", "task": before.as_dict()}
    after = await tasks.cancel(before.id)
    return {"message": f"{_line(after)}.", "task": after.as_dict()}


@tool(group="tasks", tier="autonomous", background=True)
async def background_demo(
    ctx: Context,
    seconds: Annotated[float, Field(ge=0, le=MAX_DEMO_S, description="How long it takes")] = 5,
) -> dict[str, Any]:
    """Count through some seconds, to show how a background task tells its progress."""
    if seconds > MAX_FOREGROUND_S and not ctx.background:
        raise InvalidParameter(
            f"{duration(seconds)} is too long to wait for",
            hint=f"set background to true, or seconds to {MAX_FOREGROUND_S:g} at most",
        )
    for step in range(STEPS):
        ctx.progress(step / STEPS, f"step {step + 1} of {STEPS}")
        await asyncio.sleep(seconds / STEPS)
    ctx.progress(1.0, f"all {STEPS} steps done")
    return {"message": f"The demo of {seconds:g} seconds is done.", "steps": STEPS}


def _tasks(ctx: Context) -> Tasks:
    return ctx.need(ctx.parts.tasks, "room for background tasks")


def _line(task: Task) -> str:
    """One task in a few words: 'background demo (3f2a): running, 40 %, step 4 of 10, for 12 seconds'."""
    took = duration((task.ended_at or time.time()) - task.started_at)
    words = [f"{task.description} ({task.id}): {task.state}"]
    if task.state == "running":
        words += [f"{task.progress:.0%}".replace("%", " %"), *([task.message] if task.message else []), f"for {took}"]
    elif task.state == "interrupted":
        words.append("the program ended before it did")
    else:
        words.append(f"after {took}")
    return ", ".join(words)


TOOLS: tuple[Tool, ...] = (task_status, task_cancel, background_demo)
