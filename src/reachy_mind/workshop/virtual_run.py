"""Runs in virtual time, each in a process of its own with a simulated world of its own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import WorkerError
from reachy_mind.workshop.run_report import RunReport, RunRequest
from reachy_mind.workshop.trial.folder import remove_folders_of

START_S = 60.0
"""Added to the run's own time for the start of the world, on a slow and busy machine."""
MAX_REPORT_BYTES = 64 << 20


async def run(configuration: Configuration, request: RunRequest) -> RunReport:
    """Run a file on virtual time. Raises WorkerError when its process fails."""
    job = {"run": request.as_dict(), "scene": configuration.settings.robot.scene, "record": False}
    return _parsed(await perform(configuration, job, request.timeout_s))


async def perform(configuration: Configuration, job: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
    """Have a process do a job (see `trial.process`) within this time. Raises WorkerError when it fails."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "reachy_mind.workshop.trial.process"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"REACHY_MIND_MODELS__FOLDER": str(configuration.models_folder)},
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(START_S + timeout_s):
            printed, _ = await process.communicate(json.dumps(job).encode())
        report: dict[str, Any] = json.loads(printed[:MAX_REPORT_BYTES])
    except (TimeoutError, ValueError) as error:
        raise WorkerError(
            f"the world of the trial failed (exit code {process.returncode})", hint="its last log lines say why"
        ) from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        # A killed process can't remove its folder.
        await asyncio.shield(asyncio.to_thread(remove_folders_of, process.pid))
    return report


def _parsed(report: dict[str, Any]) -> RunReport:
    known = {name: report[name] for name in RunReport.__dataclass_fields__ if name in report}
    known |= {name: tuple(known[name]) for name in ("calls", "artifacts") if name in known}
    return RunReport(**known)
