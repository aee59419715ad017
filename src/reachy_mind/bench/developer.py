"""The developer's tools on a repository of 100,000 files, through the gate, and plain git with the same questions.

Status, difference, list of files, search in them, and one file read; `responsive`: the longest that the event loop was
held up meanwhile. With fewer seconds the repository is smaller.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import statistics
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reachy_mind.bench import Figures
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.developer.factory import open_developer
from reachy_mind.events import Bus
from reachy_mind.storage.home import Home
from reachy_mind.tools.factory import build_toolbox
from reachy_mind.tools.toolbox import Toolbox

SECONDS = 60.0
FILES = 100_000
FILES_IN_FOLDER = 100
CHANGED = 10
ROUNDS = 5
TICK_S = 0.005
WORD = "needle"
QUESTIONS: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "status": ("github_status", {}, ("status", "--porcelain=v2", "--branch", "-z")),
    "diff": ("github_diff", {}, ("diff",)),
    "list": (
        "github_list_files",
        {"pattern": "*7.txt"},
        ("ls-files", "-z", "--cached", "--others", "--exclude-standard"),
    ),
    "search": ("github_list_files", {"containing": WORD}, ("grep", "-n", "-I", "-F", WORD)),
    "read": ("github_read_file", {"path": "folder0/file0.txt"}, ("cat-file", "blob", "HEAD:folder0/file0.txt")),
}


async def measure(configuration: Configuration, seconds: float) -> Figures:
    """Times in milliseconds."""
    files = max(int(FILES * min(seconds / SECONDS, 1.0)) // FILES_IN_FOLDER, 1) * FILES_IN_FOLDER
    with TemporaryDirectory(prefix="reachy-developer-") as name:
        folder = Path(name)
        place = folder / "repos" / "large"
        await asyncio.to_thread(_make, place, files)
        async with _toolbox(configuration, folder) as toolbox:
            ours, reference, longest = await _compared(toolbox, place)
    ratio = {key: round(ours[key] / max(reference[key], 0.01), 2) for key in reference}
    return Figures(
        {**ours, "files": files, "loop_held_ms": round(longest * 1000, 1)},
        reference,
        ratio,
        {"reference": "plain git with the questions of the tools, started for each"},
    )


@contextlib.asynccontextmanager
async def _toolbox(configuration: Configuration, folder: Path) -> AsyncIterator[Toolbox]:
    settings = configuration.settings
    developer = settings.developer.model_copy(update={"repository_folder": folder / "repos"})
    given = replace(
        configuration, home=Home(folder / "home"), settings=settings.model_copy(update={"developer": developer})
    )
    async with contextlib.AsyncExitStack() as stack:
        parts = await build_toolbox(given, Bus(), stack, owner=False)
        await open_developer(given, parts.toolbox, stack)
        yield parts.toolbox


async def _compared(toolbox: Toolbox, place: Path) -> tuple[dict[str, float], dict[str, float], float]:
    """The median of each, in turns, and the longest that the loop was held up by ours."""
    ours: dict[str, float] = {}
    reference: dict[str, float] = {}
    delays: list[float] = []
    for what, (tool, args, plain) in QUESTIONS.items():
        taken, compared = [], []
        for _ in range(ROUNDS):
            async with _watched(delays):
                taken.append(await _timed(lambda tool=tool, args=args: _call(toolbox, tool, args)))  # type: ignore[misc]
            compared.append(await _timed(lambda plain=plain: asyncio.to_thread(_git, place, *plain)))  # type: ignore[misc]
        ours[f"{what}_p50_ms"] = round(statistics.median(taken), 1)
        reference[f"{what}_p50_ms"] = round(statistics.median(compared), 1)
    return ours, reference, max(delays)


async def _call(toolbox: Toolbox, tool: str, args: dict[str, Any]) -> None:
    outcome = await toolbox.call(tool, {"repo": "large", **args})
    if outcome.status != "ok":
        raise RuntimeError(f"{tool}: {outcome.error}")


async def _timed(work: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await work()
    return (time.perf_counter() - began) * 1000


@contextlib.asynccontextmanager
async def _watched(delays: list[float]) -> AsyncIterator[None]:
    """Notes how late a timer of the loop is meanwhile."""

    async def watch() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(TICK_S)
            delays.append(time.perf_counter() - began - TICK_S)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        await cancel_and_wait(watching)


def _make(place: Path, files: int) -> None:
    """A repository with one commit, and a few changed files."""
    for number in range(files // FILES_IN_FOLDER):
        folder = place / f"folder{number}"
        folder.mkdir(parents=True)
        for inner in range(FILES_IN_FOLDER):
            word = WORD if number % 100 == 0 and inner == 50 else "hay"
            (folder / f"file{inner}.txt").write_text(f"{number} {inner}\nsome {word} in it\n")
    _git(place, "init", "--quiet", "--initial-branch=main")
    _git(place, "-c", "core.fsync=none", "add", "--all")
    _git(place, "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "--quiet", "-m", "feat: all")
    for inner in range(CHANGED):
        (place / "folder0" / f"file{inner}.txt").write_text("changed\n")


def _git(place: Path, *arguments: str) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(place.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(
        ("git", *arguments),  # noqa: S607
        cwd=place,
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
