"""The tools of the original's developer profile: each of them is here by its name, and asks where the original does."""

from __future__ import annotations

from typing import Any

import pytest

from reachy_mind.tools.definition import Tier
from tests.developer.conftest import Desk
from tests.developer.repositories import git, write

GITHUB = """
    github_clone github_pull github_push! github_list_repos github_exec
    github_list_files github_read_file github_write_file github_edit_file
    github_status github_diff github_log
    github_add github_rm! github_restore? github_discard! github_commit!
    github_branch github_reset? github_rebase!
    github_issue github_list_issues github_update_issue github_comment_issue github_close_issue
    github_create_pr! github_merge_pr! github_list_prs github_update_pr github_comment_pr github_pr_comment
    github_close_pr github_pr_checks github_ci_logs
"""
"""With `!` where a person is asked, with `?` where that depends on the arguments."""
SOURCE = [f"developer.{name}" for name in ("code", "execute_code!", "code_move_to_repo")]
SOURCE += [f"github.{name}" for name in GITHUB.split()]
NOT_YET = {"developer.execute_code", "developer.code_move_to_repo", "github.github_exec"}


def test_there_are_37_of_them() -> None:
    assert len(SOURCE) == 37


@pytest.mark.parametrize("told", SOURCE)
def test_each_is_here_and_asks_where_the_original_asks(desk: Desk, told: str) -> None:
    qualified = told.rstrip("!?")
    tools = {tool.qualified: tool for tool in desk.box.registry}
    if qualified in NOT_YET and qualified not in tools:
        pytest.xfail("it comes with the sandbox of the developer's tools")
    tool = tools[qualified]
    assert tool.opt_in and not tool.not_ready_reason and tool.description and tool.tier is not None
    assert (tool.tier is Tier.CONFIRM) is told.endswith("!")
    assert (tool.amounts_to is not None) or not told.endswith("?")
    assert desk.box.registry.find(qualified)[0] is tool
    assert desk.box.registry.find(tool.name)[0] is tool


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "args", "asks"),
    [
        ("github_restore", {"paths": ["README.md"]}, False),
        ("github_restore", {"paths": ["README.md"], "target": "worktree"}, True),
        ("github_reset", {"mode": "soft", "target": "HEAD~1"}, False),
        ("github_reset", {"mode": "mixed", "target": "HEAD~1"}, False),
        ("github_reset", {"mode": "hard", "target": "HEAD~1"}, True),
    ],
)
async def test_whether_it_asks_depends_on_what_it_does(desk: Desk, name: str, args: dict[str, Any], asks: bool) -> None:
    path = desk.repository().path
    write(path, {"README.md": "# Second\n"})
    git(path, "commit", "--quiet", "--all", "-m", "docs: second")
    write(path, {"README.md": "# Third\n"})
    git(path, "add", "README.md")
    if args.get("target") == "worktree":
        git(path, "reset", "--quiet")
    outcome = await desk.call(name, repo="demo", **args)
    code = (outcome.error or {}).get("code")
    assert (code == "NOT_CONFIRMED") is asks and (asks or outcome.status == "ok"), outcome
