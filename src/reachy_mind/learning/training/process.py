"""`TrainingProcess`: `reachy-mind learn train` as a child process, so that no training slows the mind down.

It has a process group of its own and a low priority, writes its messages to `train.log` in the folder of the run, and
ends with the process that started it, however that ends (`end_with_parent`).
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import AssetError, MindError, MissingExtra, WorkerError
from reachy_mind.learning.training.plan import TrainingPlan
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder
from reachy_mind.system.parent import on_stdin_end
from reachy_mind.system.process_group import end_group, own_group
from reachy_mind.system.scheduling import lower_process
from reachy_mind.system.stop_signals import interrupt_main
from reachy_mind.tools.definition import ToolError

LOG_FILE = "train.log"
NICENESS = 10
END_S = 5.0
"""For what is under way when it is told to end."""
MAX_OUTPUT = 1 << 20


def require_torch() -> None:
    """Raises MissingExtra where nothing can be trained."""
    if importlib.util.find_spec("torch") is None:
        raise MissingExtra("training a policy", "learning")


def training_environ(configuration: Configuration, plan: TrainingPlan) -> dict[str, str]:
    """The environment of a process that trains by this plan in this data folder."""
    weights = {f"REACHY_MIND_LEARNING__{name.upper()}_WEIGHT": str(value) for name, value in vars(plan.weights).items()}
    folders = {
        "REACHY_MIND_HOME": str(configuration.home.folder),
        "REACHY_MIND_MODELS__FOLDER": str(configuration.models_folder),
    }
    return dict(os.environ) | folders | weights


def training_command(name: str, plan: TrainingPlan) -> list[str]:
    """The command that trains by this plan."""
    options = {
        "--name": name,
        "--task": plan.task,
        "--algorithm": plan.algorithm,
        "--episodes": str(plan.episodes),
        "--seed": str(plan.seed),
        "--body": plan.body,
        "--robots": str(plan.robots),
    }
    if plan.demonstrations:
        options["--demonstrations"] = plan.demonstrations
    flags = [f"--{name}" for name in ("randomised", "curriculum", "human") if getattr(plan, name)]
    argv = [sys.executable, "-m", "reachy_mind", "learn", "train", "--json", "--with-parent"]
    return [*argv, *(text for option in options.items() for text in option), *flags]


class TrainingProcess:
    """One process that trains one run."""

    def __init__(self, folder: Path, plan: TrainingPlan, environ: Mapping[str, str]) -> None:
        self.folder, self.plan = folder, plan
        self._environ = environ
        self._process: asyncio.subprocess.Process | None = None
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 -- closed when it was read
        self._ending: asyncio.Task[MindError | None] | None = None
        self._told_to_end = False

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._ending is not None and not self._ending.done()

    async def start(self) -> None:
        """Raises AssetError when the folder of the run can't be written."""
        argv = training_command(self.name, self.plan)
        try:
            with await asyncio.to_thread(self._open_log) as log:
                self._process = await asyncio.create_subprocess_exec(
                    *argv,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=self._output,
                    stderr=log,
                    env=dict(self._environ),
                    **own_group(),
                )
        except OSError as error:
            fault = classify(error, self.folder)
            raise AssetError(f"{self.folder} can't be written: {fault.cause}", hint=fault.hint) from error
        lower_process(self._process.pid, NICENESS)
        self._ending = asyncio.create_task(self._ended(self._process), name=f"training {self.name}")

    async def ended(self) -> MindError | None:
        """Wait for the end; what went wrong, if something did."""
        assert self._ending is not None
        return await asyncio.shield(self._ending)

    async def stop(self) -> None:
        """Tell it to end, and end it when it does not."""
        process = self._process
        if process is None or self._ending is None or self._ending.done():
            return
        self._told_to_end = True
        assert process.stdin is not None
        process.stdin.close()  # it ends with its standard input, in order, on every system
        done, _ = await asyncio.wait([self._ending], timeout=END_S)
        if not done:
            end_group(process.pid, force=True)
            await asyncio.wait([self._ending])

    def _open_log(self) -> IO[bytes]:
        make_folder(self.folder)
        return (self.folder / LOG_FILE).open("ab")

    async def _ended(self, process: asyncio.subprocess.Process) -> MindError | None:
        code = await process.wait()
        with self._output as file:
            file.seek(0)
            output = file.read(MAX_OUTPUT)
        if code == 0 or self._told_to_end:
            return None
        if code < 0:
            return WorkerError(
                f"the process that trained {self.name} was killed (signal {-code})", hint="start it again"
            )
        return _told(output) or WorkerError(
            f"the training of {self.name} failed (exit code {code})", hint=f"see {self.folder / LOG_FILE}"
        )


def _told(output: bytes) -> MindError | None:
    """The error that a command printed."""
    try:
        error = json.loads(output)["error"]
        return ToolError(str(error["code"]), str(error["message"]), hint=str(error["hint"]))
    except (ValueError, KeyError, TypeError):
        return None


def end_with_parent() -> None:
    """End this process when its standard input ends: whoever started it is gone."""
    on_stdin_end(_end)


def _end() -> None:
    interrupt_main(signal.SIGTERM)
    time.sleep(END_S)
    os._exit(1)
