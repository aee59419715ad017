"""Work in repositories by chat, with the brain that needs no language model, through the whole mind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import load
from reachy_mind.conversation.response import Response
from reachy_mind.events import ConfirmationAsked
from reachy_mind.mind import Mind
from tests.developer.repositories import bare, commit, git, made, write

pytestmark = pytest.mark.process


@asynccontextmanager
async def minded(home: Path, folder: Path, tools: str = "github.*\nget_time\n") -> AsyncIterator[Mind]:
    profile = home / "profiles" / "coder"
    profile.mkdir(parents=True)
    (profile / "instructions.txt").write_text("You help to write programs.")
    (profile / "tools.txt").write_text(tools)
    flags = {
        "robot.address": "none",
        "mind.brain": "reflex",
        "mind.profile": "coder",
        "developer.repository_folder": str(folder / "repos"),
        "developer.github_owner": "ada",
        "developer.github_url": "http://127.0.0.1:9/api/v3",
        "developer.local_remotes": True,
    }
    async with Mind(load(flags=flags)).session() as mind:
        yield mind


async def test_the_sentences_of_a_working_day(home: Path, tmp_path: Path) -> None:
    source = made(tmp_path / "source")
    remote = bare(tmp_path / "remotes" / "reachy_mini.git", source)
    async with minded(home, tmp_path) as mind:
        said: list[str] = []

        async def ask(text: str) -> Response:
            with mind.confirmations.channel("page"), mind.bus.subscribe(ConfirmationAsked) as questions:

                async def answer() -> None:
                    async for question in questions:
                        assert isinstance(question, ConfirmationAsked)
                        said.append(question.consequence)
                        mind.confirmations.answer(question.confirmation_id, approved=True, by="Ada")

                answering = asyncio.create_task(answer())
                try:
                    return await mind.ask(text, conversation="day")
                finally:
                    await cancel_and_wait(answering)

        response = await ask("Clone the reachy_mini repository")
        assert [call.name for call in response.tool_calls] == ["github_clone"]
        (tmp_path / "repos").mkdir(exist_ok=True)
        git(tmp_path / "repos", "clone", "--quiet", str(remote), "reachy_mini")
        path = tmp_path / "repos" / "reachy_mini"
        response = await ask("Show me the git status of reachy_mini")
        assert "on the branch main" in response.text, response
        response = await ask("Create a new branch called feature/new-api")
        assert git(path, "branch", "--show-current") == "feature/new-api", response
        write(path, {"src/api.py": "def api():\n    return 1\n"})
        response = await ask("Commit my changes with an auto-generated message")
        assert git(path, "log", "-1", "--format=%s") == "feat(api): add api", response
        git(path, "switch", "--quiet", "main")
        commit(path, "fix: besides", {"other.txt": "1\n"})
        git(path, "switch", "--quiet", "feature/new-api")
        response = await ask("Rebase my branch onto main")
        assert git(path, "log", "-2", "--format=%s").split("\n") == ["feat(api): add api", "fix: besides"], response
        assert len(said) == 2 and "feat(api): add api" in said[0] and "onto main" in said[1]


async def test_other_profiles_do_not_have_them(home: Path, tmp_path: Path) -> None:
    async with minded(home, tmp_path, "*\n") as mind:
        assert not [tool.name for tool in mind.turns.blank().tools if tool.group in ("github", "developer")]
        await mind.use_profile("linus")
        offered = {tool.qualified for tool in mind.turns.blank().tools}
        assert {"developer.code", "github.github_edit_file", "github.github_ci_logs", "tasks.task_cancel"} <= offered
        await mind.use_profile("default")
        assert not [tool.name for tool in mind.turns.blank().tools if tool.group in ("github", "developer")]
        response = await mind.ask("Show me the git status of reachy_mini")
        assert not any(call.name.startswith("github") for call in response.tool_calls)
