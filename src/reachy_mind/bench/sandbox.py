"""Cost of the sandbox: cold start, a warm call, a robot call from inside, and the memory of a waiting worker.

Ours: the strongest isolation of this machine, with numpy and OpenCV loaded; a warm call is everything from the job to
the reaped process. References, with the same code: a new Python process (bare, and with numpy and OpenCV), the same
under bubblewrap where it is installed, and nothing at all: the code in this process.
"""

from __future__ import annotations

import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from reachy_mind.bench import Figures
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError
from reachy_mind.mind import Mind
from reachy_mind.storage.home import Home
from reachy_mind.tools.acts import Act
from reachy_mind.tools.body_lock import BodyLock, Hold
from reachy_mind.tools.context import Caller, Context
from reachy_mind.workshop import isolation
from reachy_mind.workshop.run_report import RunRequest
from reachy_mind.workshop.sandbox import Sandbox

SECONDS = 20.0
COLD_STARTS, CALLS_INSIDE, FRESH_PROCESSES = 5, 80, 10
CODE = '''
async def add(a: int, b: int) -> dict:
    """Add two numbers."""
    return {"sum": a + b}
'''
INSIDE = f'''
import time

def turns() -> dict:
    """Time calls of the robot."""
    from reachy_mini import ReachyMini
    taken = []
    with ReachyMini() as reachy:
        for _ in range({CALLS_INSIDE}):
            began = time.perf_counter()
            reachy.get_current_head_pose()
            taken.append((time.perf_counter() - began) * 1000)
    return {{"ms": taken}}
'''
FRESH = f"import asyncio\n{CODE}\nprint(asyncio.run(add(1, 2)))"
WITH_LIBRARIES = f"import numpy, cv2\n{FRESH}"
BUBBLEWRAP = ("bwrap", "--ro-bind", "/", "/", "--tmpfs", "/tmp", "--unshare-all", "--die-with-parent")  # noqa: S108


async def measure(configuration: Configuration, seconds: float) -> Figures:
    profile = isolation.choose("auto", await asyncio.to_thread(isolation.detect))
    cold, private_mb = await _cold(profile)
    with tempfile.TemporaryDirectory(prefix="reachy-mind-bench-") as folder:
        models = configuration.settings.models.model_copy(update={"folder": configuration.models_folder})
        robot = configuration.settings.robot.model_copy(update={"address": "sim", "idle": False})
        settings = configuration.settings.model_copy(update={"models": models, "robot": robot})
        own = Configuration(settings, Home(Path(folder)), configuration.origins)
        async with Mind(own, thinks=False).session() as mind:
            warm, inside = await _calls(mind, seconds)
    references = await _references()
    ours = {
        "cold_p50_ms": _p50(cold),
        "warm_p50_ms": _p50(warm),
        "warm_p95_ms": _p95(warm),
        "robot_call_p50_ms": _p50(inside),
        "robot_call_p95_ms": _p95(inside),
        "worker_private_mb": round(private_mb, 2),
    }
    ratio = {name: round(ours["warm_p50_ms"] / value, 3) for name, value in references.items()}
    notes = {"ratio": "of a warm call to each reference", "isolation": f"{profile.name}: {', '.join(profile.layers)}"}
    return Figures(ours, references, ratio, notes)


async def _cold(profile: isolation.IsolationProfile) -> tuple[list[float], float]:
    taken, private = [], 0.0
    for _ in range(COLD_STARTS):
        began = time.perf_counter()
        async with Sandbox(profile) as sandbox:
            worker = await sandbox.worker()
            taken.append((time.perf_counter() - began) * 1000)
            private = _private_mb(worker.pid)
            await worker.end()
    return taken, private


async def _permit(acts: Iterable[Act]) -> None:
    """The benchmark moves nothing."""


async def _calls(mind: Mind, seconds: float) -> tuple[list[float], list[float]]:
    box = mind.toolbox
    warm: list[float] = []
    inside: list[float] = []
    ends = time.monotonic() + seconds
    while time.monotonic() < ends or len(warm) < FRESH_PROCESSES:
        ctx = Context(f"bench-{len(warm)}", Caller("person", "bench"), box.parts, box.call, _permit)
        ctx.hold = Hold(BodyLock(), ctx.caller, lambda: None, 0)
        await asyncio.sleep(0.1)  # the next worker is prepared outside the call
        began = time.perf_counter()
        report = await mind.workshop.run(RunRequest(CODE, "add.py", {"a": 1, "b": 2}), ctx, box.registry)
        warm.append((time.perf_counter() - began) * 1000)
        if report.status != "ok":
            raise MindError(f"the benchmark's code failed: {report.error}")
        if len(warm) % 20 == 1:
            inner = await mind.workshop.run(RunRequest(INSIDE, "turns.py", {}, "motion"), ctx, box.registry)
            if inner.status != "ok":
                raise MindError(f"the benchmark's code failed: {inner.error}")
            inside += inner.result["ms"]
    return warm[1:], inside


async def _references() -> dict[str, float]:
    commands: dict[str, Sequence[str]] = {
        "process": (sys.executable, "-I", "-c", FRESH),
        "process_with_libraries": (sys.executable, "-I", "-c", WITH_LIBRARIES),
    }
    if shutil.which("bwrap"):
        commands["bubblewrap"] = (*BUBBLEWRAP, sys.executable, "-I", "-c", FRESH)
        commands["bubblewrap_with_libraries"] = (*BUBBLEWRAP, sys.executable, "-I", "-c", WITH_LIBRARIES)
    found = {
        f"{name}_p50_ms": _p50([await _process(argv) for _ in range(FRESH_PROCESSES)])
        for name, argv in commands.items()
    }
    return found | {"nothing_p50_ms": _p50([await _here() for _ in range(200)])}


async def _process(argv: Sequence[str]) -> float:
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(*argv, stdout=asyncio.subprocess.DEVNULL)
    if await process.wait():
        raise MindError(f"{argv[0]} failed")
    return (time.perf_counter() - began) * 1000


async def _here() -> float:
    began = time.perf_counter()
    space: dict[str, Any] = {}
    exec(compile(CODE, "add.py", "exec"), space)  # noqa: S102 -- the benchmark's own code
    await space["add"](1, 2)
    return (time.perf_counter() - began) * 1000


def _private_mb(pid: int) -> float:
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(row.split()[1]) for row in rows if row.startswith("Private_")) / 1024


def _p50(values: Sequence[float]) -> float:
    return round(statistics.median(values), 3)


def _p95(values: Sequence[float]) -> float:
    return round(sorted(values)[int(len(values) * 0.95)], 3)
