"""Training routes: what can be practised, the runs and how far they are, and to start, stop, publish and
delete one.

Changes are tool calls through the gate. A run is trained by a process of its own.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.errors import MissingExtra
from reachy_mind.learning.demonstrations.store import DemonstrationStore
from reachy_mind.learning.environments.catalogue import TASKS
from reachy_mind.learning.training.listing import RunSummary
from reachy_mind.learning.training.plan import HELD_OUT_SEED, RUN_NAME, Algorithm, BodyKind, TaskName, usual_episodes
from reachy_mind.learning.training.process import require_torch
from reachy_mind.learning.training.service import UNDER_WAY, TrainingService
from reachy_mind.mind import Mind
from reachy_mind.server.not_found import as_not_found
from reachy_mind.tools.context import Caller

NAME = f"^{RUN_NAME}$"
RunName = Annotated[str, Path(pattern=NAME)]
ALGORITHMS: dict[Algorithm, str] = {
    "clone": "imitates demonstrations",
    "dagger": "imitates, and asks the expert where it is lost",
    "gail": "practises until it can't be told from the demonstrations",
    "ppo": "practises, in small safe steps",
    "sac": "practises, and learns again from all it has seen",
    "tamer": "does what pleases the person who watches",
}


class TrainingRequest(BaseModel):
    """A run to begin, or the name of one to go on with: what is left out is as that run has it, else as usual."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str | None, Field(pattern=NAME, description="else the task's, with a number if it is taken")] = None
    task: Annotated[TaskName | None, Field(description="what to practise, several joined by +; look_at")] = None
    algorithm: Annotated[Algorithm | None, Field(description="clone")] = None
    episodes: Annotated[int | None, Field(ge=1, le=1_000_000, description="of practice, or demonstrations")] = None
    seed: Annotated[int | None, Field(ge=0, lt=HELD_OUT_SEED)] = None
    demonstrations: Annotated[str | None, Field(max_length=64, description="the dataset to imitate")] = None
    body: Annotated[BodyKind | None, Field(description="of the robots that practise; kinematic")] = None
    randomised: Annotated[bool | None, Field(description="on robots that differ from the model")] = None
    curriculum: Annotated[bool | None, Field(description="from easy scenes to hard ones")] = None
    human: Annotated[bool | None, Field(description="wait for a person's feedback after each episode")] = None


class PublishRequest(BaseModel):
    """What to call the tool."""

    model_config = ConfigDict(extra="forbid")

    tool: Annotated[str, Field(pattern="^([a-z][a-z0-9_]{0,63})?$", description="practised_ and the task")] = ""


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/training")
    service, caller = TrainingService.of(mind), Caller("person", "rest")
    datasets = DemonstrationStore(mind.configuration.home.datasets_folder)

    @routes.get("/status")
    async def status() -> dict[str, Any]:
        """The run that is under way, else the latest one, and all runs."""
        runs = await asyncio.to_thread(service.runs)
        nothing = RunSummary("").as_dict() | {"name": None, "state": "none", "publishable": False, "updated_at": None}
        under_way = [run for run in runs if run["state"] in UNDER_WAY]
        return [*under_way, *runs, nothing][0] | {"runs": runs}

    @routes.get("/options")
    async def options() -> dict[str, Any]:
        """What can be trained here, and how; why nothing can."""
        available = {"available": True, "reason": "", "hint": ""}
        try:
            require_torch()
        except MissingExtra as error:
            available = {"available": False, "reason": error.message, "hint": error.hint}
        return available | {
            "tasks": [{"name": kind.name, "purpose": kind.purpose} for kind in TASKS.values()],
            "algorithms": [
                {"name": name, "purpose": purpose, "episodes": usual_episodes(name)}
                for name, purpose in ALGORITHMS.items()
            ],
            "datasets": await asyncio.to_thread(datasets.names),
        }

    @routes.get("/runs")
    async def runs(
        offset: Annotated[int, Query(ge=0)] = 0, limit: Annotated[int, Query(ge=1, le=1000)] = 100
    ) -> dict[str, Any]:
        """Every run, the latest first."""
        found = await asyncio.to_thread(service.runs)
        return {"runs": found[offset : offset + limit], "total": len(found)}

    @routes.get("/runs/{name}")
    async def run(name: RunName) -> dict[str, Any]:
        """One run with its plan, every figure of its curve, and the end of its log."""
        with as_not_found():
            return await asyncio.to_thread(service.run, name)

    @routes.post("/start")
    async def start(wanted: TrainingRequest) -> dict[str, Any]:
        """Begin a run, or go on with one; answers when it trains. One run is trained at a time."""
        return await mind.act("learning.start_training", wanted.model_dump(exclude_none=True), caller)

    @routes.post("/stop")
    async def stop() -> dict[str, Any]:
        """End the training that is under way; `stopped` is its name. It can go on later."""
        return await mind.act("learning.stop_training", {}, caller)

    @routes.post("/runs/{name}/publish")
    async def publish(name: RunName, wanted: PublishRequest) -> dict[str, Any]:
        """Try the policy of a run in simulation and put it on the shelf of the workshop as a tool; a person decides
        there whether it is used (`POST /tools/{name}/approve`)."""
        with as_not_found():
            await asyncio.to_thread(service.run, name)
        return await mind.act("learning.publish_training", {"name": name, "tool": wanted.tool}, caller)

    @routes.delete("/runs/{name}")
    async def remove(name: RunName) -> dict[str, Any]:
        """Delete a run with its checkpoints and its policy, for good; needs a person's confirmation."""
        with as_not_found():
            await asyncio.to_thread(service.run, name)
        return await mind.act("learning.remove_training", {"name": name}, caller)

    return routes
