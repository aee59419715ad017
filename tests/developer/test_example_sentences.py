"""The ten sentences with which the guide of the original introduces Linus, said to ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.developer import repositories
from tests.developer.hub_fixtures import no_proxy
from tests.developer.linus_mind import linus
from tests.fakes.github import GitHub, Job
from tests.fakes.github_branches import BareRepository
from tests.fakes.openai_chat import ModelServer, say

__all__ = ["no_proxy"]
pytestmark = [pytest.mark.process, pytest.mark.usefixtures("home", "no_proxy")]

PROGRAM = '```python\n"""Print the first Fibonacci numbers."""\nprint(0, 1, 1, 2, 3)\n```'


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    """With reachy_mini in real git, my-repo, and the pull requests 15 (red) and 42."""
    with GitHub() as running:
        bare = BareRepository.create(tmp_path / "remotes" / "reachy_mini.git")
        repository = running.add("me/reachy_mini", bare, ci=lambda _: [Job("tests", "failure"), Job("lint")])
        bare.git("update-ref", "refs/heads/work", bare.heads()["main"])
        for index in range(1, 43):
            if index in (15, 42):
                repository.pull("work", title=f"Doors {index}")
            else:
                repository.issue(f"Issue {index}")
        running.add("me/my-repo")
        yield running


async def test_with_the_brain_that_needs_no_model(tmp_path: Path, hub: GitHub) -> None:
    async with linus(tmp_path, hub) as me:
        assert "I cloned me/reachy_mini" in await me.done("Clone the reachy_mini repository", "github_clone")
        assert "on the branch main" in await me.done("Show me the git status of reachy_mini", "github_status")
        path = me.path("reachy_mini")
        repositories.commit(path, "feat: begin", {"src/main.py": "def main():\n    return 1\n"})
        said = await me.done("Read and analyze the main.py file", "github_read_file")
        assert "has 2 lines. It defines main." in said
        await me.done("Create a new branch called feature/new-api", "github_branch")
        assert repositories.git(path, "branch", "--show-current") == "feature/new-api"
        repositories.write(path, {"src/api.py": "def api():\n    return 1\n"})
        await me.done("Commit my changes with an auto-generated message", "github_commit")
        assert "feat(api): add api" in me.asked[-1]
        repositories.git(path, "switch", "--quiet", "main")
        repositories.commit(path, "fix: besides", {"other.txt": "1\n"})
        repositories.git(path, "switch", "--quiet", "feature/new-api")
        await me.done("Rebase my branch onto main", "github_rebase")
        subjects = repositories.git(path, "log", "-2", "--format=%s").split("\n")
        assert subjects == ["feat(api): add api", "fix: besides"] and "onto main" in me.asked[-1]

        assert "1 of 2 checks failed: tests" in await me.done("Check the CI status of PR #15", "github_pr_checks")
        said = await me.done("Comment on PR #42 with my review", "github_comment_pr")
        assert "What shall I write on pull request 42, Doors 42?" in said
        await me.done("Write: the hinges squeak.", "github_comment_pr")
        assert hub.repositories["me/reachy_mini"].entries[42]["comments"] == ["the hinges squeak."]
        said = await me.done("Create an issue on my-repo about the login bug", "github_issue")
        assert "I created issue 1 in my-repo: Login bug." in said

        said = await me.failed("Write a Python script that calculates Fibonacci numbers", "code")
        assert said.startswith("I can't write that program now: that takes a language model: reachy-mind models pull")
        assert len(me.asked) == 2 and not (tmp_path / "code").exists()


async def test_a_program_needs_a_model(tmp_path: Path, hub: GitHub) -> None:
    with ModelServer(lambda asked: say(PROGRAM if "You write one complete" in asked.system else "Yes.")) as server:
        async with linus(tmp_path, hub, model=server.base) as me:
            said = await me.done("Write a Python script that calculates Fibonacci numbers", "code")
    assert said.startswith("I wrote calculates_fibonacci_numbers.py, 2 lines of Python: Print the first Fibonacci")
    assert (tmp_path / "code" / "calculates_fibonacci_numbers.py").is_file()
