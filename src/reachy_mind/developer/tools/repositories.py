"""Repositories: clone, pull, push, list."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.developer.remotes import remote_of
from reachy_mind.developer.service import Developer, developer_of
from reachy_mind.developer.shown_text import shown
from reachy_mind.developer.tools.common import Repo, counted, opened
from reachy_mind.errors import MindError, NotReady
from reachy_mind.tools.definition import Question, Tool, tool

if TYPE_CHECKING:
    from reachy_mind.developer.git_remote import PushPreview
    from reachy_mind.developer.workspace import Repository
    from reachy_mind.tools.context import Context

REMOTE_TIMEOUT_S = 1800.0
MOST_LISTED = 100
BranchName = Annotated[str, Field(max_length=200, description="Which branch; the one that is checked out if empty")]


@tool(group="github", tier="notify", timeout_s=REMOTE_TIMEOUT_S, background=True)
async def github_clone(
    ctx: Context,
    repo: Annotated[str, Field(min_length=1, max_length=500, description="OWNER/NAME, a name, or an https address")],
    branch: Annotated[str, Field(max_length=200, description="Which branch to check out")] = "",
    depth: Annotated[int, Field(ge=0, le=100_000, description="Only so many of the last commits; 0 for all")] = 0,
    folder: Annotated[str, Field(max_length=100, description="Another name for its folder")] = "",
) -> dict[str, Any]:
    """Clone a repository into the folder of repositories."""
    developer = developer_of(ctx)
    remote = developer.address(repo)
    developer.remote.require_known(remote)
    place = await asyncio.to_thread(developer.workspace.place_for, folder or remote.name)
    made = await developer.remote.clone(remote, place, branch=branch, depth=depth, progress=ctx.progress)
    developer.remember(made, ctx.caller.conversation)
    status = await developer.state.status(made)
    return {
        "message": f"I cloned {remote.full_name}; it is on the branch {shown(status.branch, 100) or 'without a name'}.",
        "repo": made.name,
        "folder": str(made.path),
        "remote": remote.url,
        "branch": shown(status.branch, 200),
        "commit": status.commit[:12],
    }


@tool(group="github", tier="notify", timeout_s=REMOTE_TIMEOUT_S, background=True)
async def github_pull(
    ctx: Context,
    repo: Repo = "",
    rebase: Annotated[bool, Field(description="Put commits of our own on top of the remote's")] = False,
) -> dict[str, Any]:
    """Pull the latest changes of the checked-out branch from the remote."""
    developer, repository = await opened(ctx, repo)
    author = await developer.author(repository) if rebase else None
    async with developer.changing(repository):
        pulled = await developer.remote.pull(repository, author, rebase=rebase, progress=ctx.progress)
    own = f", with {counted(pulled.rebased, 'commit')} of ours on top" if pulled.rebased else ""
    new = f"has {counted(pulled.commits, 'new commit')}{own}" if pulled.commits else "is up to date"
    return {
        "message": f"{repository.name} {new}.",
        "repo": repository.name,
        "branch": shown(pulled.branch, 200),
        "before": pulled.before[:12],
        "after": pulled.after[:12],
        "new_commits": pulled.commits,
        "rebased": pulled.rebased,
    }


@tool(group="github", tier="confirm", timeout_s=REMOTE_TIMEOUT_S, background=True)
async def github_push(ctx: Context, repo: Repo = "", branch: BranchName = "") -> dict[str, Any]:
    """Push the commits of a branch to the remote; never with force."""
    developer, repository = await opened(ctx, repo)
    async with developer.changing(repository):
        preview = await developer.remote.preview(repository, branch)
        developer.require_shown("github_push", {"repo": repo, "branch": branch}, _identity(repository, preview))
        if not developer.git.has_token and not preview.remote.local:
            raise NotReady(
                "nothing can be pushed without a GitHub token", hint="set developer.github_token, or GITHUB_TOKEN"
            )
        await developer.remote.push(repository, preview, ctx.progress)
    return {
        "message": f"I pushed the branch {shown(preview.branch, 100)} of {repository.name}.",
        "repo": repository.name,
        "branch": shown(preview.branch, 200),
        "remote": preview.remote.url,
        "commit": preview.commit[:12],
        "new_branch": preview.new_branch,
    }


@tool(group="github", tier="autonomous", read_only=True)
async def github_list_repos(ctx: Context) -> dict[str, Any]:
    """List the repositories that are cloned here."""
    developer = developer_of(ctx)
    there = await asyncio.to_thread(developer.workspace.repositories)
    found = [await _about(developer, each) for each in there[:MOST_LISTED]]
    names = ", ".join(each.name for each in there[:10])
    many = counted(len(there), "repository", "repositories")
    return {
        "message": f"There {'is' if len(there) == 1 else 'are'} {many}: {names}."
        if there
        else "I have no repository yet.",
        "folder": str(developer.workspace.repository_folder),
        "repositories": found,
        "total": len(there),
    }


async def _about(developer: Developer, repository: Repository) -> dict[str, str]:
    """One that can't be used is listed with the reason."""
    try:
        branch = shown(await developer.branches.current(repository), 200)
    except MindError as error:
        return {"repo": repository.name, "problem": error.message}
    try:
        remote = (await remote_of(repository)).url
    except MindError:
        remote = ""
    return {"repo": repository.name, "branch": branch, "remote": remote}


def questions(developer: Developer) -> dict[str, Question]:
    """What a person is asked."""

    async def push(arguments: dict[str, Any]) -> str:
        repository = await developer.repository(arguments["repo"])
        preview = await developer.remote.preview(repository, arguments["branch"])
        developer.show("github_push", arguments, _identity(repository, preview))
        commits = "\n".join(f"  {each.commit[:8]} {shown(each.subject, 100)}" for each in preview.commits)
        what = "the new branch" if preview.new_branch else "the branch"
        return f"Push {what} {shown(preview.branch, 100)} of {repository.name} to {preview.remote.url}:\n{commits}"

    return {"github_push": push}


def _identity(repository: Repository, preview: PushPreview) -> str:
    return f"{repository.name} {preview.remote.url} {preview.branch} {preview.commit}"


TOOLS: tuple[Tool, ...] = (github_clone, github_pull, github_push, github_list_repos)
