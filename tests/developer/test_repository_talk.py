"""What is said about the repository in use without naming it, with the brain that needs no language model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.tools.definition import ToolAnswer, ToolUse
from tests.developer import repositories
from tests.developer.conftest import Desk
from tests.developer.hub_fixtures import no_proxy
from tests.developer.linus_mind import linus
from tests.fakes.github import GitHub

__all__ = ["no_proxy"]
pytestmark = pytest.mark.process
CALL = dict[str, Any]
SAID: dict[str, tuple[str, CALL]] = {
    "what changed?": ("github_status", {}),
    "which branch am I on?": ("github_status", {}),
    "okay Linus, what have I been editing?": ("github_status", {}),
    "does the repo have uncommitted work?": ("github_status", {}),
    "show me the log": ("github_log", {}),
    "show me the newest three commits": ("github_log", {"limit": 3}),
    "stage everything": ("github_add", {}),
    "put calc.py in the next commit": ("github_add", {"paths": ["calc.py"]}),
    "take calc.py out of the staging area": ("github_restore", {"paths": ["calc.py"]}),
    "discard my changes": ("github_discard", {}),
    "get rid of everything I changed": ("github_discard", {}),
    "kill off the local modifications in calc.py": ("github_discard", {"paths": ["calc.py"]}),
    "oops, undo my last commit please": ("github_reset", {"mode": "soft"}),
    "commit what we have": ("github_commit", {"stage_all": True}),
    "commit this as add multiply": ("github_commit", {"stage_all": True, "message": "feat: add multiply"}),
    "Commit with the message fix the divison": ("github_commit", {"stage_all": True, "message": "fix: the divison"}),
    "ok push that up": ("github_push", {}),
    "bring me up to date with the remote": ("github_pull", {}),
    "switch to main": ("github_branch", {"action": "switch", "name": "main"}),
    "hop over to the work branch": ("github_branch", {"action": "switch", "name": "work"}),
    "start a new branch for the sqrt function": ("github_branch", {"action": "create", "name": "sqrt-function"}),
    "let me see the other branches": ("github_branch", {"action": "list"}),
    "fire up the tests": ("github_exec", {"command": "pytest -q"}),
    "are the tests green?": ("github_exec", {"command": "pytest -q"}),
    "is the linter happy?": ("github_exec", {"command": "ruff check ."}),
    "format the code": ("github_exec", {"command": "ruff format .", "keep_changes": True}),
    "did our pipeline go red?": ("github_ci_logs", {"branch": "main"}),
    "any failing checks?": ("github_ci_logs", {"branch": "main"}),
    "what are the open issues": ("github_list_issues", {"state": "open"}),
    "are there pull requests waiting?": ("github_list_prs", {"state": "open"}),
    "file a bug that the parser hangs": ("github_issue", {"title": "The parser hangs"}),
    "make a pull request out of this branch": ("github_create_pr", {}),
}
NOT_THERE = ("stash my work", "tag this as v1.0", "amend the last commit", "force push it", "merge work into main")
OTHER = (
    "dance",
    "look left",
    "what time is it",
    "go to sleep",
    "what do you see",
    "switch to the default personality",
    "switch to French",
    "go back to your place",
    "forget that my bike is red",
    "discard the old tea",
    "throw away the paper",
    "how are you doing",
    "what are you doing",
    "look at the code on the paper",
    "move your head back",
    "push the button",
    "check it",
    "undo my shoelaces",
    "don't commit that",
    "never push it",
    "what is the issue",
    "tell me the latest news",
    "tag me in the photo",
    "drop your head",
    "does that work",
    "how do you work",
    "change your mood",
    "run away",
)


@pytest.fixture
async def used(desk: Desk) -> Desk:
    """With the repository calc, which the conversation `desk` has looked at."""
    path = desk.repository("calc", {"calc.py": "A = 1\n"}).path
    repositories.git(path, "branch", "work")
    await desk.done("github_status", repo="calc", by="desk")
    return desk


def read(desk: Desk, text: str, conversation: str = "desk") -> ToolUse | ToolAnswer | None:
    (follows,) = {tool.follows for tool in desk.box.registry if tool.follows}
    return follows(conversation, text)


async def test_what_is_said_is_called(used: Desk) -> None:
    for text, (tool, args) in SAID.items():
        assert read(used, text) == ToolUse(tool, args), text


async def test_the_only_repository_is_meant_in_a_new_conversation(used: Desk) -> None:
    assert read(used, "discard my changes", "kitchen") == ToolUse("github_discard", {})


async def test_it_means_nothing_where_no_repository_is_used(used: Desk) -> None:
    repositories.made(used.repos / "another")
    for text in (*SAID, *NOT_THERE):
        assert read(used, text, "kitchen") is None, text


async def test_other_sentences_are_not_taken(used: Desk) -> None:
    assert not {text: found for text in OTHER if (found := read(used, text)) is not None}


async def test_what_no_tool_does_is_said(used: Desk) -> None:
    for text in NOT_THERE:
        assert isinstance(read(used, text), ToolAnswer), text


async def test_that_is_what_was_done_last(used: Desk) -> None:
    await used.done("github_branch", action="create", name="try", repo="calc", by="desk")
    await used.done("github_branch", action="switch", name="main", repo="calc", by="desk")
    assert read(used, "delete that branch") == ToolUse("github_branch", {"action": "delete", "name": "try"})
    repositories.write(used.repos / "calc", {"calc.py": "A = 2\n"})
    await used.done("github_add", by="desk")
    assert read(used, "undo that") == ToolUse("github_restore", {"paths": ["."]})
    await used.refused("github_branch", action="switch", name="nowhere", by="desk")
    why = read(used, "why did it fail?")
    assert isinstance(why, ToolAnswer) and "nowhere" in why.text


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub() as running:
        yield running


@pytest.mark.usefixtures("home", "no_proxy")
async def test_a_morning_of_short_sentences(tmp_path: Path, hub: GitHub) -> None:
    source = repositories.made(tmp_path / "source")
    remote = repositories.bare(tmp_path / "remotes" / "calc.git", source)
    (tmp_path / "repos").mkdir()
    repositories.git(tmp_path / "repos", "clone", "--quiet", str(remote), "calc")
    repositories.made(tmp_path / "repos" / "another")
    async with linus(tmp_path, hub, local_remotes=True) as me:
        path = me.path("calc")
        assert "commit" in (await me.ask("what can you do?")).text.casefold()
        response = await me.ask("discard my changes", yes=False)
        assert not any(call.name.startswith("github") for call in response.tool_calls), "no repository is in use"
        await me.done("use the repo calc", "github_status")
        repositories.write(path, {"power.py": "def power():\n    return 1\n"})
        assert "1 file staged" in await me.done("stage everything", "github_add")
        refused = await me.ask("commit this as add power and push it", yes=False)
        assert [(call.name, call.outcome.status) for call in refused.tool_calls] == [("github_commit", "denied")]
        asked = len(me.asked)
        await me.done("commit this as add power and push it", "github_commit", "github_push")
        assert len(me.asked) == asked + 2 and "feat: add power" in me.asked[-1]
        assert repositories.git(remote, "log", "-1", "--format=%s", "main") == "feat: add power"
        await me.done("undo my last commit", "github_reset")
        assert "power.py" in repositories.git(path, "diff", "--cached", "--name-only")
        assert "stash" in await me.done("stash my work")
