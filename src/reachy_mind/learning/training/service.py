"""`TrainingService`: the training runs of one mind: those on disk, and the one that it trains in a process of its own.

It gives the built-in tools of training the runs (`TrainingAccess`). One run is trained at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import ValidationError

from reachy_mind import log
from reachy_mind.errors import AssetError, InvalidParameter, MindError, NotReady
from reachy_mind.events import TrainingChanged
from reachy_mind.learning.environments.catalogue import task_kind
from reachy_mind.learning.environments.environment import RewardWeights
from reachy_mind.learning.policies.publication import publish, skills_of
from reachy_mind.learning.policies.skill_templates import SKILLS
from reachy_mind.learning.training.episode_feedback import EpisodeFeedback, EpisodeFeedbackFile
from reachy_mind.learning.training.listing import RunSummary, list_runs, read_run
from reachy_mind.learning.training.plan import PLAN_FILE, TrainingPlan, read_plan, run_name, usual_episodes
from reachy_mind.learning.training.process import LOG_FILE, TrainingProcess, require_torch, training_environ
from reachy_mind.learning.training.progress import FILE as PROGRESS_FILE
from reachy_mind.learning.training.progress import LOCK, READING_S, read_file
from reachy_mind.mind import Mind
from reachy_mind.storage.faults import classify
from reachy_mind.tools.builtin.training import KEY, provide
from reachy_mind.workshop.shelving import DraftShelving

BEGIN_S = 20.0
"""For the start of the process; PyTorch takes seconds to load. Later it is still `starting`."""
WATCH_S = 1.0
POLL_S = 0.1
MAX_LOG = 4000
UNDER_WAY = ("starting", "running", "waiting")

_log = log.get(__name__)


class AlreadyTraining(MindError):
    """Another run is under way."""

    code = "ALREADY_TRAINING"


class TrainingService:
    """The training runs of one mind."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._folder = mind.configuration.home.training_folder
        self._process: TrainingProcess | None = None
        self._claimed = False
        """Whether a start is under way that has no process yet."""
        self._watching: asyncio.Task[None] | None = None
        self._failures: dict[str, MindError] = {}
        """Why the process of a run ended, by name."""
        provide(mind.toolbox.parts, self)

    @classmethod
    def of(cls, mind: Mind) -> TrainingService:
        """The one of this mind."""
        found = mind.toolbox.parts.extra.get(KEY)
        return found if isinstance(found, TrainingService) else cls(mind)

    # What there is

    def runs(self) -> list[dict[str, Any]]:
        """Every run, the latest first. Reads files."""
        found = [self._described(summary) for summary in list_runs(self._folder)]
        process = self._process
        if process is not None and process.alive and all(run["name"] != process.name for run in found):
            found.append(self._described(RunSummary(process.name, process.plan)))
        return sorted(found, key=lambda run: float(run["updated_at"]), reverse=True)

    def run(self, name: str) -> dict[str, Any]:
        """One run with its plan, every figure of its curve, the tools made of it and the end of its log. Raises
        InvalidParameter. Reads files."""
        summary = read_run(self._require(name))
        plan = summary.plan
        return self._described(summary) | {
            "plan": plan.model_dump() if plan else None,
            "points": [vars(point) for point in summary.points],
            "skills": skills_of(self._mind.generated.shelf, name),
            "log": _end_of(self._folder / name / LOG_FILE),
        }

    def under_way(self) -> dict[str, Any] | None:
        """The run that is being trained, here or by a command. Reads files."""
        return next((run for run in self.runs() if run["state"] in UNDER_WAY), None)

    def _read(self, name: str) -> dict[str, Any]:
        return self._described(read_run(self._folder / name))

    def _described(self, summary: RunSummary) -> dict[str, Any]:
        told, progress, process = summary.as_dict(), summary.progress, self._process
        if process is not None and process.alive and process.name == summary.name:
            if progress is None or progress.pid != process.pid:
                told["state"] = "starting"
            elif told["state"] not in UNDER_WAY:
                told["state"] = "running"  # the last evaluation
        elif not told["reason"] and summary.name in self._failures:
            told["reason"] = self._failures[summary.name].message
        publishable = summary.has_policy and summary.plan is not None and summary.plan.task in SKILLS
        return told | {"publishable": publishable, "updated_at": _changed_at(self._folder / summary.name)}

    def _require(self, name: str) -> Path:
        folder = self._folder / name
        if not (folder / PLAN_FILE).is_file():
            raise InvalidParameter(f"no training run called {name!r}", hint="GET /api/v1/training/runs lists them")
        return folder

    # TrainingAccess

    async def start(self, name: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """Returns when the process trains. Raises AlreadyTraining, InvalidParameter, MissingExtra, and what the
        process could not do."""
        require_torch()
        if self._claimed or (self._process is not None and self._process.alive):
            raise _already(self._process.name if self._process is not None else "another run")
        self._claimed = True
        try:
            name, plan = await asyncio.to_thread(self._planned, name, wanted)
            process = TrainingProcess(self._folder / name, plan, training_environ(self._mind.configuration, plan))
            self._failures.pop(name, None)
            if self._watching is None:
                self._mind.at_shutdown(self.aclose)
            await process.start()
            self._process = process
            self._watching = asyncio.create_task(self._watch(process), name="training watch")
        finally:
            self._claimed = False
        await self._begun(process)
        about = await asyncio.to_thread(lambda: next(run for run in self.runs() if run["name"] == name))
        return {"message": f"I practise: {task_kind(plan.task).purpose}."} | about

    async def stop(self) -> dict[str, Any]:
        """Raises NotReady for a run that another process trains."""
        process = self._process
        if process is not None and process.alive:
            await process.stop()
            return {"message": f"I stopped practising: {process.name} can go on later.", "stopped": process.name}
        elsewhere = await asyncio.to_thread(self.under_way)
        if elsewhere is not None:
            raise NotReady(f"{elsewhere['name']} is trained by another process", hint="stop it there, with Ctrl-C")
        return {"message": "I was not practising.", "stopped": None}

    async def publish(self, name: str, tool: str) -> dict[str, Any]:
        """Raises what `learning.policies.publication.publish` does, InvalidParameter for a run that there is not."""
        folder, mind = self._require(name), self._mind
        shelf, registry = mind.generated.shelf, mind.toolbox.registry
        shelving = DraftShelving(mind.configuration, mind.workshop, shelf, registry)
        version = await publish(shelving, shelf, folder, name=tool)
        called = version.name.replace("_", " ")
        ready = "is in use" if version.state == "active" else "passed its trial; you decide whether I may use it"
        return {"message": f"Version {version.number} of {called} {ready}.", "run": name} | version.as_dict()

    async def remove(self, name: str) -> dict[str, Any]:
        process = self._process
        if process is not None and process.alive and process.name == name:
            raise _already(name)
        await asyncio.to_thread(self._remove, name)
        self._failures.pop(name, None)
        return {"name": name}

    # What people say about episodes

    async def require_under_way(self, run: str = "") -> dict[str, Any]:
        """The run that is being trained. Raises InvalidParameter for a run that there is not, NotReady for one that
        nobody trains."""
        if run:
            self._require(run)
        found = await asyncio.to_thread(self.under_way)
        if found is None or run not in ("", found["name"]):
            raise NotReady(f"{run or 'nothing'} is not being trained", hint="feedback counts while a run is under way")
        return found

    async def tell(self, run: str, episode: int | None, reward: float) -> None:
        """Give a training feedback on an episode; without a number, on what it does just now. On disk when this
        returns. Raises AssetError."""
        feedback = EpisodeFeedback(reward, episode, at=time.time())
        await asyncio.to_thread(EpisodeFeedbackFile(self._folder / run).append, feedback)

    async def aclose(self) -> None:
        """End the training that is under way."""
        if self._process is not None:
            await self._process.stop()
        if self._watching is not None:
            await asyncio.wait([self._watching])

    def _planned(self, name: str, wanted: Mapping[str, Any]) -> tuple[str, TrainingPlan]:
        """The run's name and plan: its own for one that there is, with nothing else wanted. Reads files."""
        elsewhere = self.under_way()
        if elsewhere is not None:
            raise _already(elsewhere["name"])
        known = read_plan(self._folder / name) if name else None
        if known is not None:
            other = [key for key, value in wanted.items() if getattr(known, key) != value]
            if other:
                was = ", ".join(f"{key} {getattr(known, key)}" for key in other)
                hint = "leave out what the run has already, or choose another name"
                raise InvalidParameter(f"{name} was begun with {was}", hint=hint)
            return name, known
        plan = self._new_plan(wanted)
        return name or self._free_name(run_name(plan.task)), plan

    def _new_plan(self, wanted: Mapping[str, Any]) -> TrainingPlan:
        given = self._mind.configuration.settings.learning
        weights = RewardWeights(given.task_weight, given.human_weight, given.safety_weight, given.efficiency_weight)
        try:
            plan = TrainingPlan.model_validate({"weights": weights} | dict(wanted))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise InvalidParameter(f"{place}: {first['msg']}", hint="GET /api/v1/training/options") from None
        task_kind(plan.task)  # raises for one that there is not
        usual = {} if "episodes" in wanted else {"episodes": usual_episodes(plan.algorithm)}
        return plan.model_copy(update=usual | ({"robots": 1} if plan.human else {}))

    def _free_name(self, wanted: str) -> str:
        taken = {path.name for path in self._folder.glob("*")}
        names = (wanted if number == 1 else f"{wanted}-{number}" for number in range(1, len(taken) + 2))
        return next(name for name in names if name not in taken)

    async def _begun(self, process: TrainingProcess) -> None:
        """Wait until the process trains. Raises what went wrong before that."""
        ends = time.monotonic() + BEGIN_S
        while process.alive and time.monotonic() < ends:
            progress = await asyncio.to_thread(read_file, process.folder)
            if progress is not None and progress.pid == process.pid:
                return
            await asyncio.sleep(POLL_S)
        if not process.alive and (error := await process.ended()) is not None:
            raise error

    async def _watch(self, process: TrainingProcess) -> None:
        """Tell of every change until the process has ended."""
        ended = asyncio.ensure_future(process.ended())
        before: dict[str, Any] = {}
        while True:
            done, _ = await asyncio.wait([ended], timeout=WATCH_S)
            if done and (error := ended.result()) is not None:
                self._failures[process.name] = error
                _log.warning("a training ended early", run=process.name, reason=error.message)
            if done and not (process.folder / PLAN_FILE).is_file():
                await asyncio.to_thread(shutil.rmtree, process.folder, ignore_errors=True)  # it never began
                return
            about = await asyncio.to_thread(self._read, process.name)
            change = {key: about[key] for key in ("name", "state", "episode", "episodes", "success_rate", "reason")}
            if change != before:
                self._mind.bus.publish(TrainingChanged(**change))
            before = change
            if done:
                return

    def _remove(self, name: str) -> None:
        folder = self._require(name)
        try:
            with FileLock(folder / LOCK, timeout=READING_S):
                (folder / PLAN_FILE).unlink()  # first: what is left of a run without a plan is no run
                shutil.rmtree(folder)
        except Timeout:
            raise _already(name) from None
        except OSError as error:
            fault = classify(error, folder)
            raise AssetError(f"{folder} can't be deleted: {fault.cause}", hint=fault.hint) from error


def _already(name: str) -> AlreadyTraining:
    return AlreadyTraining(f"{name} is being trained", hint="wait for its end, or stop it first")


def _changed_at(folder: Path) -> float:
    """When a run last changed, a Unix time."""
    for name in (PROGRESS_FILE, PLAN_FILE, "."):
        with contextlib.suppress(OSError):
            return (folder / name).stat().st_mtime
    return time.time()


def _end_of(file: Path) -> str:
    try:
        return file.read_bytes()[-MAX_LOG:].decode(errors="replace")
    except OSError:
        return ""
