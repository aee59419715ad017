"""Sentences for GitHub in a mind with the reflex brain: in a profile that has the tools, and in one that has not."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import load
from reachy_mind.events import ConfirmationAsked
from reachy_mind.mind import Mind
from tests.developer.hub_fixtures import no_proxy
from tests.fakes.github import FakeRepository, GitHub, Job, MemoryBranches

__all__ = ["no_proxy"]
pytestmark = pytest.mark.usefixtures("no_proxy")


@pytest.fixture
def hub() -> Iterator[GitHub]:
    with GitHub() as running:
        running.add("me/my-repo")
        yield running


@pytest.fixture
def repository(hub: GitHub) -> FakeRepository:
    """With pull request 15, whose tests fail."""
    found = hub.repositories["me/my-repo"]
    assert isinstance(found.branches, MemoryBranches)
    found.branches.commit("work", "doors")
    for index in range(14):
        found.issue(f"Issue {index + 1}")
    found.pull("work", title="Doors")
    found.ci = lambda _: [Job("tests on 3.11", "failure"), Job("lint", "failure"), *(Job(f"t{n}") for n in range(5))]
    return found


@contextlib.asynccontextmanager
async def mind(home: Path, hub: GitHub, tools: str = "*\ngithub.*\n") -> AsyncIterator[Mind]:
    folder = home / "profiles" / "coder"
    folder.mkdir(parents=True)
    (folder / "instructions.txt").write_text("You help with code.")
    (folder / "tools.txt").write_text(tools)
    flags = {"robot.address": "none", "mind.brain": "reflex", "mind.profile": "coder"}
    flags |= hub.settings(repository_folder=str(home / "repos"))
    async with Mind(load(flags=flags)).session() as made:
        yield made


async def test_the_sentences_of_the_guide(home: Path, hub: GitHub, repository: FakeRepository) -> None:
    async with mind(home, hub) as linus:
        made = await linus.ask("Create an issue on my-repo about the login bug")
        assert [call.name for call in made.tool_calls] == ["github_issue"]
        assert "I created issue 16 in my-repo: Login bug." in made.text
        assert repository.entries[16]["title"] == "Login bug"

        checks = await linus.ask("Check the CI status of PR #15")
        assert "2 of 7 checks failed: lint and tests on 3.11" in checks.text

        asked = await linus.ask("Comment on PR #15 with my review")
        assert "What shall I write on pull request 15, Doors?" in asked.text
        assert repository.entries[15]["comments"] == []
        written = await linus.ask("Write: the hinges squeak, otherwise fine.")
        assert "I commented on pull request 15, Doors." in written.text
        assert repository.entries[15]["comments"] == ["the hinges squeak, otherwise fine."]


async def test_a_merge_by_voice_asks_a_person(home: Path, hub: GitHub, repository: FakeRepository) -> None:
    repository.ci = lambda _: [Job("tests")]
    async with mind(home, hub) as linus:
        refused = await linus.ask("merge PR 15 in my-repo")
        assert [call.outcome.status for call in refused.tool_calls] == ["denied"]
        assert refused.text == "I did not merge that pull request, because nobody confirmed it."
        assert repository.entries[15]["state"] == "open"
        questions: list[str] = []
        with linus.confirmations.channel("page"), linus.bus.subscribe(ConfirmationAsked) as asked:

            async def answer() -> None:
                async for question in asked:
                    assert isinstance(question, ConfirmationAsked)
                    questions.append(question.consequence)
                    linus.confirmations.answer(question.confirmation_id, approved=True, by="Ada")

            answering = asyncio.create_task(answer())
            merged = await linus.ask("merge PR 15 in my-repo with squash")
            await cancel_and_wait(answering)
    assert "I merged pull request 15 into main as one commit: Doors." in merged.text
    assert len(questions) == 1 and "Merge pull request 15 of me/my-repo, Doors," in questions[0]


async def test_other_profiles_have_none_of_it(home: Path, hub: GitHub) -> None:
    async with mind(home, hub, "*\n") as reachy:
        for text in ("Create an issue on my-repo about the login bug", "merge PR 15 in my-repo"):
            assert not any(call.name.startswith("github") for call in (await reachy.ask(text)).tool_calls)
    assert hub.asked == []
