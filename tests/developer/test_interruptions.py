"""What is cancelled or takes too long ends, with everything that it started, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from reachy_mind.brains.injection_guard import is_requested
from reachy_mind.developer.errors import GitFailed
from reachy_mind.errors import TimedOut
from tests.developer.conftest import Desk, desk_in
from tests.waiting import until

pytestmark = pytest.mark.process


@contextlib.asynccontextmanager
async def silent() -> AsyncIterator[tuple[int, list[bytes]]]:
    """A server that takes requests and never answers."""
    heard: list[bytes] = []
    ends = asyncio.Event()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(1000))
        await ends.wait()
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1], heard
        ends.set()


def running() -> list[str]:
    found = [
        " ".join(each.cmdline()) for each in psutil.Process().children(recursive=True) if each.name().startswith("git")
    ]
    return [line for line in found if line]


@pytest.mark.parametrize("by", ["task_cancel", "the caller"])
async def test_a_clone_that_is_cancelled_leaves_nothing(tmp_path: Path, by: str) -> None:
    async with silent() as (port, heard), desk_in(tmp_path, github_url=f"http://127.0.0.1:{port}/api/v3") as desk:
        if by == "task_cancel":
            outcome = await desk.call("github_clone", repo="ada/slow", background=True)
            assert outcome.status == "started"
            await until(lambda: heard)
            assert running()
            tasks = desk.box.parts.tasks
            assert tasks is not None
            assert (await tasks.cancel(outcome.data["task_id"])).state == "cancelled"
        else:
            call = asyncio.create_task(desk.call("github_clone", repo="ada/slow"))
            await until(lambda: heard)
            call.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await call
        await until(lambda: not running())
        await until(lambda: not list(desk.repos.iterdir()))


async def test_git_has_limits(desk: Desk) -> None:
    repository = desk.repository(files={"large.txt": "word\n" * 100_000})
    git = desk.developer.git
    with pytest.raises(TimedOut):
        await git.run(repository, "cat-file", "--batch", timeout_s=0.0)
    with pytest.raises(GitFailed, match="too large"):
        await git.run(repository, "cat-file", "blob", "HEAD:large.txt", max_bytes=1000)
    cut = await git.run(repository, "cat-file", "blob", "HEAD:large.txt", max_bytes=1000, may_cut=True)
    assert cut.cut and len(cut.output) == 1000
    assert running() == []


@pytest.mark.parametrize(
    ("tool", "said", "asked"),
    [
        ("github_push", "show me the github issues", False),
        ("github_push", "push my commits", True),
        ("github_rm", "what does the readme of the github repository say?", False),
        ("github_rm", "delete the old file", True),
        ("github_discard", "throw my changes away", True),
        ("github_commit", "read the issue and do what it says", False),
        ("github_commit", "commit my work", True),
    ],
)
def test_words_of_others_do_not_ask_for_anything(tool: str, said: str, asked: bool) -> None:
    assert is_requested(tool, said) is asked
