"""Branches: list, create, switch, delete; reset and rebase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from reachy_mind.developer.git_branches import REBASE_TIMEOUT_S, ResetMode
from reachy_mind.developer.git_state import LogFilter
from reachy_mind.developer.service import Developer
from reachy_mind.developer.shown_text import shown
from reachy_mind.developer.tools.common import Repo, counted, listed, opened
from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.definition import Question, Tool, tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Caller, Context, Parts

MOST_LISTED = 200
BRANCH_TIMEOUT_S = 120.0


@tool(group="github", tier="notify", timeout_s=BRANCH_TIMEOUT_S)
async def github_branch(
    ctx: Context,
    repo: Repo = "",
    action: Annotated[Literal["list", "create", "switch", "delete"], Field(description="What to do")] = "list",
    name: Annotated[str, Field(max_length=200, description="Which branch, such as feature/new-api")] = "",
    base: Annotated[str, Field(max_length=200, description="create: from this branch or commit")] = "",
    force: Annotated[bool, Field(description="delete: also one that is not merged; its commits are lost")] = False,
) -> dict[str, Any]:
    """List, create, switch or delete branches of a repository. A new branch is switched to."""
    developer, repository = await opened(ctx, repo)
    if action == "list":
        found = await developer.branches.listed(repository)
        here = [each for each in found if not each.remote]
        current = next((each.name for each in here if each.current), "")
        return {
            "message": f"{repository.name} has {counted(len(here), 'branch', 'branches')} here: "
            f"{listed((each.name for each in here), 5)}. It is on {shown(current, 100) or 'none of them'}.",
            "repo": repository.name,
            "current": shown(current, 200),
            "branches": [each.as_dict() for each in found[:MOST_LISTED]],
            "total": len(found),
        }
    if not name:
        raise InvalidParameter("which branch?", hint="give name, such as feature/new-api")
    about = {"repo": repository.name, "branch": name}
    async with developer.changing(repository):
        if action == "create":
            await developer.branches.create(repository, name, base, switch=True)
            return {"message": f"I created the branch {name} in {repository.name} and switched to it."} | about
        if action == "switch":
            await developer.branches.switch(repository, name)
            return {"message": f"{repository.name} is on the branch {name} now."} | about
        commit = await developer.branches.delete(repository, name, force=force)
    return {"message": f"I deleted the branch {name} of {repository.name}; it was at {commit[:12]}."} | about


async def forced_delete_discards(_parts: Parts, _caller: Caller, arguments: dict[str, Any]) -> str:
    """The commits of a branch that is not merged are lost with it."""
    return "github_discard" if arguments.get("action") == "delete" and arguments.get("force") else ""


@tool(group="github", tier="notify", timeout_s=BRANCH_TIMEOUT_S)
async def github_reset(
    ctx: Context,
    repo: Repo = "",
    mode: Annotated[
        ResetMode,
        Field(description="soft: changes stay staged; mixed: they stay, not staged; hard: all changes are lost"),
    ] = "mixed",
    target: Annotated[str, Field(min_length=1, max_length=200, description="Back to this commit")] = "HEAD~1",
) -> dict[str, Any]:
    """Move the branch back to an earlier commit."""
    developer, repository = await opened(ctx, repo)
    async with developer.changing(repository):
        before = await developer.branches.reset(repository, mode, target)
        status = await developer.state.status(repository)
    return {
        "message": f"{repository.name} is at {status.commit[:12]} again; it was at {before[:12]}.",
        "repo": repository.name,
        "mode": mode,
        "before": before[:12],
        "after": status.commit[:12],
    }


async def hard_reset_discards(_parts: Parts, _caller: Caller, arguments: dict[str, Any]) -> str:
    """A hard reset loses every change that is not committed."""
    return "github_discard" if arguments.get("mode") == "hard" else ""


@tool(group="github", tier="confirm", timeout_s=REBASE_TIMEOUT_S + 60, background=True)
async def github_rebase(
    ctx: Context,
    onto: Annotated[str, Field(min_length=1, max_length=200, description="Onto this branch, such as main")],
    repo: Repo = "",
    on_conflict: Annotated[
        Literal["abort", "leave"], Field(description="abort: all is as it was; leave: a person settles it by hand")
    ] = "abort",
) -> dict[str, Any]:
    """Rebase the checked-out branch onto another one."""
    developer, repository = await opened(ctx, repo)
    author = await developer.author(repository)
    async with developer.changing(repository):
        count = await developer.branches.rebase(
            repository, onto, author, keep_conflict=on_conflict == "leave", progress=ctx.progress
        )
        status = await developer.state.status(repository)
    return {
        "message": f"I rebased {counted(count, 'commit')} of {shown(status.branch, 100)} onto {shown(onto, 100)}.",
        "repo": repository.name,
        "branch": shown(status.branch, 200),
        "onto": shown(onto, 200),
        "commits": count,
        "commit": status.commit[:12],
    }


def questions(developer: Developer) -> dict[str, Question]:
    """What a person is asked."""

    async def rebase(arguments: dict[str, Any]) -> str:
        repository = await developer.repository(arguments["repo"])
        status = await developer.state.status(repository)
        return (
            f"Rebase the branch {shown(status.branch, 100)} of {repository.name} onto {shown(arguments['onto'], 100)};"
            " its commits get new hashes."
        )

    async def reset(arguments: dict[str, Any]) -> str:
        repository = await developer.repository(arguments["repo"])
        status = await developer.state.status(repository)
        lost = [*status.staged, *status.unstaged]
        target = await developer.state.commit(repository, arguments["target"])
        to = (await developer.state.log(repository, LogFilter(branch=target, most=1)))[0]
        losing = f" The changes in {listed((each.path for each in lost), 10)} are lost." if lost else ""
        where = f"{to.commit[:12]} ({shown(to.subject, 100)})"
        return f"Reset {shown(status.branch, 100)} of {repository.name} ({arguments['mode']}) to {where}.{losing}"

    async def branch(arguments: dict[str, Any]) -> str:
        repository = await developer.repository(arguments["repo"])
        name = shown(arguments["name"], 100)
        if arguments["action"] != "delete":
            return f"{arguments['action']} the branch {name} in {repository.name}.".capitalize()
        return f"Delete the branch {name} of {repository.name}, even if its commits are in no other branch."

    return {"github_rebase": rebase, "github_reset": reset, "github_branch": branch}


TOOLS: tuple[Tool, ...] = (github_branch, github_reset, github_rebase)
AMOUNTS = {"github_branch": forced_delete_discards, "github_reset": hard_reset_discards}
