"""From a branch to a merge, with real git on a bare repository that is the fake GitHub's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.developer import repositories
from tests.developer.hub_desk import HubDesk, hub_desk
from tests.developer.hub_fixtures import no_proxy
from tests.fakes.github import AtCommit, GitHub, Job, log_text
from tests.fakes.github_branches import BareRepository
from tests.fakes.github_shapes import MOMENT

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
