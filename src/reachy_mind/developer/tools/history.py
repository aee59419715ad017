"""The state of a repository and how it came to be: status, differences, commits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.developer.git_state import LogFilter, Which
from reachy_mind.developer.shown_text import shown
from reachy_mind.developer.tools.common import Paths, Repo, checked_paths, counted, listed, opened, totals
from reachy_mind.developer.worktree_files import checked_path
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.developer.git_state import WorktreeStatus
    from reachy_mind.tools.context import Context

MOST_LISTED = 200
MAX_DIFF_CHARS = 40_000
STATE_TIMEOUT_S = 90.0
When = Annotated[str, Field(max_length=60, pattern=r"^[\w .:+-]*$", description='Such as 2026-11-01 or "2 weeks ago"')]


@tool(group="github", tier="autonomous", read_only=True, timeout_s=STATE_TIMEOUT_S)
async def github_status(ctx: Context, repo: Repo = "") -> dict[str, Any]:
    """Show the branch of a repository and which files are staged, modified and untracked."""
    developer, repository = await opened(ctx, repo)
    status = await developer.state.status(repository)
    return {
        "message": _told(repository.name, status),
        "repo": repository.name,
        "branch": shown(status.branch, 200),
        "commit": status.commit[:12],
        "upstream": shown(status.upstream, 200),
        "ahead": status.ahead,
        "behind": status.behind,
        "clean": status.clean,
        "staged": [each.as_dict() for each in status.staged[:MOST_LISTED]],
        "modified": [each.as_dict() for each in status.unstaged[:MOST_LISTED]],
        "untracked": [shown(each) for each in status.untracked[:MOST_LISTED]],
        "conflicts": [shown(each) for each in status.conflicts[:MOST_LISTED]],
        "in_progress": status.busy,
        "cut": status.cut or max(len(status.staged), len(status.unstaged), len(status.untracked)) > MOST_LISTED,
    }


def _told(name: str, status: WorktreeStatus) -> str:
    branch = f"on the branch {shown(status.branch, 100)}" if status.branch else "on no branch"
    counts = [
        f"{len(found)} {what}"
        for what, found in (
            ("staged", status.staged),
            ("modified", status.unstaged),
            ("untracked", status.untracked),
            ("in conflict", status.conflicts),
        )
        if found
    ]
    apart = [f"{status.ahead} ahead"] * bool(status.ahead) + [f"{status.behind} behind"] * bool(status.behind)
    away = f", {' and '.join(apart)} of {shown(status.upstream, 100)}" if apart else ""
    under_way = f" A {status.busy} is under way." if status.busy else ""
    return f"{name} is {branch}{away}, {', '.join(counts) if counts else 'with nothing changed'}.{under_way}"


@tool(group="github", tier="autonomous", read_only=True, timeout_s=STATE_TIMEOUT_S)
async def github_diff(
    ctx: Context,
    repo: Repo = "",
    which: Annotated[Which, Field(description="Changes not staged, staged, or both")] = "unstaged",
    base: Annotated[str, Field(max_length=200, description="From this branch or commit")] = "",
    target: Annotated[str, Field(max_length=200, description="To this one; to the files here if empty")] = "",
    paths: Paths | None = None,
) -> dict[str, Any]:
    """Show the differences in a repository: not staged, staged, or between two commits."""
    developer, repository = await opened(ctx, repo)
    diff = await developer.state.diff(
        repository,
        which=which,
        base=base,
        target=target,
        paths=checked_paths(paths or []),
        max_bytes=MAX_DIFF_CHARS,
    )
    names = listed(each.path for each in diff.files)
    return {
        "message": f"{totals(diff)} in {names}." if diff.files else f"There is no difference in {repository.name}.",
        "repo": repository.name,
        "files": [each.as_dict() for each in diff.files[:MOST_LISTED]],
        "diff": diff.text,
        "cut": diff.cut or len(diff.files) > MOST_LISTED,
    }


@tool(group="github", tier="autonomous", read_only=True, timeout_s=STATE_TIMEOUT_S)
async def github_log(
    ctx: Context,
    repo: Repo = "",
    author: Annotated[str, Field(max_length=100, description="Only commits of this author, by name or e-mail")] = "",
    since: When = "",
    until: When = "",
    branch: Annotated[str, Field(max_length=200, description="Of this branch; of the present one if empty")] = "",
    path: Annotated[str, Field(max_length=1000, description="Only commits that change this file or folder")] = "",
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED, description="At most so many")] = 20,
) -> dict[str, Any]:
    """Show the history of a repository, by author, date and branch."""
    developer, repository = await opened(ctx, repo)
    wanted = LogFilter(branch, author, since, until, checked_path(path) if path else "", limit)
    found = await developer.state.log(repository, wanted)
    latest = f"; the latest is {shown(found[0].subject, 100)}, by {shown(found[0].author, 60)}" if found else ""
    return {
        "message": f"{counted(len(found), 'commit')} of {repository.name}{latest}.",
        "repo": repository.name,
        "commits": [each.as_dict() for each in found],
    }


TOOLS: tuple[Tool, ...] = (github_status, github_diff, github_log)
