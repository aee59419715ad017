"""From a clone to a merge, with real git on a bare repository that is the fake GitHub's own: by chat, and by calls."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.developer import repositories
from tests.developer.hub_desk import HubDesk, hub_desk
from tests.developer.hub_fixtures import no_proxy
from tests.developer.linus_mind import linus
from tests.fakes.github import TOKEN, AtCommit, GitHub, Job, log_text
from tests.fakes.github_branches import BareRepository
from tests.fakes.github_shapes import MOMENT
from tests.fakes.openai_chat import Asked, ModelServer
from tests.fakes.openai_wire import Answer

__all__ = ["no_proxy"]
pytestmark = [pytest.mark.process, pytest.mark.usefixtures("no_proxy")]

LOG = log_text(
    [
        "##[group]Run pytest",
        "##[endgroup]",
        "FAILED test_door.py::test_open - assert 'shut' == 'open'",
        "= 1 failed in 0.01s =",
        "##[error]Process completed with exit code 1.",
    ]
)


def checked(at: AtCommit) -> list[Job]:
    """The tests pass where the door is open."""
    if "open" in (at.file("door.py") or ""):
        return [Job("tests"), Job("lint")]
    return [Job("tests", "failure", LOG, (("Run pytest", "failure", MOMENT, "2026-03-03T10:00:30Z"),)), Job("lint")]


@pytest.fixture
def bare(tmp_path: Path) -> BareRepository:
    return BareRepository.create(tmp_path / "remotes" / "house.git")


@pytest.fixture
def hub(bare: BareRepository) -> Iterator[GitHub]:
    with GitHub() as running:
        running.add("me/house", bare, required=["tests"], ci=checked)
        yield running


@pytest.fixture
async def desk(tmp_path: Path, hub: GitHub) -> AsyncIterator[HubDesk]:
    async with hub_desk(tmp_path, hub) as made:
        yield made


def scripted(asked: Asked) -> Answer:
    """A language model that makes a door, shut at first, and knows what it does."""
    if "You change one file" in asked.system:
        return Answer("```python\nSTATE = 'shut'\n```")
    if "commit message" in asked.system:
        fixed = "+STATE = 'open'" in asked.said
        subject = "let the door open" if fixed else "add a door"
        return Answer(json.dumps({"type": "fix" if fixed else "feat", "scope": "door", "subject": subject}))
    return Answer("Yes.")


@pytest.mark.usefixtures("home")
async def test_the_whole_way_by_chat(tmp_path: Path, hub: GitHub, bare: BareRepository) -> None:
    """Every sentence is read by the reflex brain; the model writes the file and the commit messages."""
    with ModelServer(scripted) as server:
        async with linus(tmp_path, hub, model=server.base) as me:
            assert "I cloned me/house" in await me.done("Clone the house repository", "github_clone")
            await me.done("Create a new branch called feature/door", "github_branch")
            said = await me.done("Edit door.py: let there be a door", "github_edit_file")
            assert said == "I created door.py in house: 1 line added and 0 removed."
            await me.done("Commit my changes with an auto-generated message", "github_commit")
            assert "feat(door): add a door" in me.asked[-1]
            refused = await me.ask("Push my commits", yes=False)
            assert refused.text == "I did not push that, because I was told not to." and set(bare.heads()) == {"main"}
            await me.done("Push my commits", "github_push")
            assert "feat(door): add a door" in me.asked[-1] and "feature/door" in bare.heads()

            assert "I created pull request 1 in house" in await me.done("Create a pull request", "github_create_pr")
            assert "1 of 2 checks failed: tests" in await me.done("Check the CI status of PR #1", "github_pr_checks")
            said = await me.done("Why did the CI of PR 1 fail?", "github_ci_logs")
            assert "test_door.py::test_open: assert 'shut' == 'open'" in said
            held = await me.failed("Merge PR 1", "github_merge_pr")
            assert "tests failed" in held and bare.file("main", "door.py") is None

            await me.done("Replace 'shut' with 'open' in door.py", "github_edit_file")
            await me.done("Commit my changes with an auto-generated message", "github_commit")
            assert "fix(door): let the door open" in me.asked[-1]
            await me.done("Push my commits", "github_push")
            assert "all 2 checks passed" in await me.done("Check the CI status of PR #1", "github_pr_checks")
            assert "I merged pull request 1 into main" in await me.done("Merge PR 1", "github_merge_pr")
    assert bare.file("main", "door.py") == "STATE = 'open'"
    assert bare.git("log", "--format=%s", "feature/door").splitlines()[:2] == [
        "fix(door): let the door open",
        "feat(door): add a door",
    ]
    assert len(me.asked) == 7, "two commits, three pushes, the pull request, the merge"
    assert all(TOKEN not in str(asked.body) for asked in server.asked)


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
async def test_a_change_goes_from_red_to_green_to_main(desk: HubDesk, bare: BareRepository, method: str) -> None:
    place = desk.folder / "repos" / "house"
    place.parent.mkdir()
    repositories.git(place.parent, "clone", "--quiet", str(bare.path), "house")
    repositories.git(place, "switch", "--quiet", "--create", "feature/door")
    repositories.commit(place, "feat: a door", {"door.py": "STATE = 'shut'\n"})
    repositories.git(place, "push", "--quiet", "origin", "feature/door")

    made = await desk.done("github_create_pr", yes=True, repo="house")
    assert made["message"] == "I created pull request 1 in house: Door." and made["head"] == "me:feature/door"
    assert "1 of 2 checks failed: tests" in (await desk.done("github_pr_checks", number=1))["message"]
    why = (await desk.done("github_ci_logs", number=1))["message"]
    assert why == ("tests: Run pytest failed: 1 failed, the first is test_door.py::test_open: assert 'shut' == 'open'.")
    held = await desk.refused("github_merge_pr", yes=True, number=1, method=method)
    assert held["message"] == "pull request 1 is not merged: tests failed"
    before = bare.heads()["main"]

    head = repositories.commit(place, "fix: it opens", {"door.py": "STATE = 'open'\n"})
    repositories.git(place, "push", "--quiet", "origin", "feature/door")
    assert "all 2 checks passed" in (await desk.done("github_pr_checks", number=1))["message"]
    merged = await desk.done("github_merge_pr", yes=True, number=1, method=method)
    assert merged["merged_head"] == head and merged["commit"] == bare.heads()["main"] != before
    assert bare.file("main", "door.py") == "STATE = 'open'"
    commits = {"merge": 4, "squash": 2, "rebase": 3}[method]
    assert int(bare.git("rev-list", "--count", "main")) == commits
    assert (await desk.done("github_list_prs", state="closed"))["pull_requests"][0]["state"] == "merged"


async def test_a_conflict_in_the_files_holds_a_merge(desk: HubDesk, bare: BareRepository, tmp_path: Path) -> None:
    place = tmp_path / "clone"
    repositories.git(tmp_path, "clone", "--quiet", str(bare.path), "clone")
    repositories.git(place, "switch", "--quiet", "--create", "work")
    repositories.commit(place, "feat: a door", {"door.py": "STATE = 'open'\n"})
    repositories.git(place, "push", "--quiet", "origin", "work")
    repositories.git(place, "switch", "--quiet", "main")
    repositories.commit(place, "feat: another door", {"door.py": "STATE = 'open too'\n"})
    repositories.git(place, "push", "--quiet", "origin", "main")
    desk.hub.repositories["me/house"].pull("work")
    error = await desk.refused("github_merge_pr", yes=True, repo="me/house", number=1)
    assert error["message"] == "pull request 1 has conflicts with main" and desk.asked == []
