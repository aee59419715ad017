"""Tools for the pull requests of a repository on GitHub."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from reachy_mind.developer.github.access import GitHubAccess, github
from reachy_mind.developer.github.errors import RequestRejected
from reachy_mind.developer.github.printable_text import lines, one_line
from reachy_mind.developer.tools.arguments import (
    LISTED_BODY,
    MAX_BODY,
    MAX_TITLE,
    NOTE,
    Limit,
    PullNumber,
    Repo,
    counted,
    given,
    said,
    title_of,
)
from reachy_mind.developer.tools.issues import asks_for_text
from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.developer.github.models import PullRequest
    from reachy_mind.developer.github.repositories import HostedName
    from reachy_mind.tools.context import Context

TIMEOUT_S = 60.0
MOST_SAID = 3
Branch = Annotated[str, Field(max_length=200, pattern=r"^[^\s\x00-\x20~^?*\[\\]*$")]
Method = Literal["merge", "squash", "rebase"]


@tool(group="github", tier="confirm", timeout_s=TIMEOUT_S)
async def github_create_pr(
    ctx: Context,
    repo: Repo = "",
    title: Annotated[
        str, Field(max_length=MAX_TITLE, description="In a line; empty: from the name of the branch")
    ] = "",
    body: Annotated[str, Field(max_length=MAX_BODY, description="What it changes and why, in Markdown")] = "",
    head: Annotated[Branch, Field(description="The branch with the changes; empty: the one checked out")] = "",
    base: Annotated[Branch, Field(description="The branch they go into; empty: the default one")] = "",
    draft: Annotated[bool, Field(description="Whether it is not ready for review yet")] = False,
) -> dict[str, Any]:
    """Create a pull request on GitHub."""
    access = github(ctx)
    full = await _planned(access, {"repo": repo, "title": title, "head": head, "base": base})
    async with access.repository(full["repo"], change=True) as repository:
        try:
            pull = await access.pulls(repository).create(
                full["title"], body.strip(), full["head"], full["base"], draft=draft
            )
        except RequestRejected as error:
            if "head: invalid" in error.message:
                hint = f"push the branch {one_line(full['head'], 100)} first: github_push"
                raise RequestRejected(error.message, hint=hint) from None
            raise
    return _about(pull, repository) | {
        "message": f"I created pull request {pull.number} in {repository.name}: {said(pull.title)}."
    }


async def _planned(access: GitHubAccess, given_arguments: dict[str, Any]) -> dict[str, Any]:
    """Repository, title and both branches of a pull request that is to be created. Raises MindError."""
    async with access.repository(given_arguments["repo"], change=True) as repository:
        head = given_arguments["head"] or access.current_branch(given_arguments["repo"])
        if not head:
            raise InvalidParameter("which branch has the changes?", hint="head: the name of the branch")
        base = given_arguments["base"] or (await access.repositories.about(repository)).default_branch
    if head == base:
        raise InvalidParameter(f"the changes are on {one_line(base, 100)} itself", hint="make a branch for them first")
    named = head.rpartition(":")[2].rpartition("/")[2].replace("-", " ").replace("_", " ")
    title = title_of(given_arguments["title"] or named[:1].upper() + named[1:])
    return {"repo": str(repository), "title": title, "head": head, "base": base}


@tool(group="github", tier="confirm", timeout_s=TIMEOUT_S)
async def github_merge_pr(
    ctx: Context,
    number: PullNumber,
    repo: Repo = "",
    method: Annotated[Method, Field(description="With a merge commit, as one commit, or commit by commit")] = "merge",
    expected_head: Annotated[
        str, Field(pattern="^([0-9a-f]{7,64})?$", description="The commit that shall be merged; empty: the newest")
    ] = "",
    even_if_failed: Annotated[
        bool, Field(description="Also when checks failed, as far as the branch does not require them")
    ] = False,
    commit_title: Annotated[str, Field(max_length=MAX_TITLE, description="First line of the new commit")] = "",
    commit_message: Annotated[str, Field(max_length=MAX_BODY, description="The rest of it")] = "",
) -> dict[str, Any]:
    """Merge a pull request on GitHub, when its checks have passed."""
    from reachy_mind.developer.github.merge import merge_plan  # noqa: PLC0415 -- loaded when used

    access = github(ctx)
    async with access.repository(repo, ctx.caller.conversation, change=True) as repository:
        plan = await merge_plan(access, repository, number, expected_head, even_if_failed=even_if_failed)
        result = await access.pulls(repository).merge(
            number, plan.pull.head.sha, method, one_line(commit_title, MAX_TITLE), commit_message.strip()
        )
    how = {"merge": "", "squash": " as one commit", "rebase": " by rebase"}[method]
    message = f"I merged pull request {number} into {one_line(plan.pull.base.ref, 100)}{how}: {said(plan.pull.title)}."
    return _about(plan.pull, repository) | {
        "message": message,
        "state": "merged",
        "merged_head": plan.pull.head.sha,
        "commit": one_line(result.sha, 64),
        "checks": plan.checks.sentence(),
    }


@tool(group="github", tier="autonomous", timeout_s=TIMEOUT_S, read_only=True)
async def github_list_prs(
    ctx: Context,
    repo: Repo = "",
    state: Annotated[Literal["open", "closed", "all"], Field(description="Which ones")] = "open",
    base: Annotated[Branch, Field(description="Only those that go into this branch")] = "",
    head: Annotated[Branch, Field(description="Only those from this branch")] = "",
    limit: Limit = 20,
) -> dict[str, Any]:
    """List the pull requests of a repository on GitHub, the newest first."""
    access = github(ctx)
    async with access.repository(repo, ctx.caller.conversation) as repository:
        found = await access.pulls(repository).list(state, base, head, limit)
    kind = "pull request" if state == "all" else f"{state} pull request"
    many = f"more than {counted(len(found.entries), kind)}" if found.more else counted(len(found.entries), kind)
    named = "; ".join(f"number {pull.number}, {said(pull.title)}" for pull in found.entries[:MOST_SAID])
    first = "The newest: " if len(found.entries) > MOST_SAID else ""
    return {
        "message": f"{repository.name} has {many}. {first}{named}{'.' if named else ''}".strip(),
        "repository": str(repository),
        "pull_requests": [_about(pull, repository) | {"body": lines(pull.body, LISTED_BODY)} for pull in found.entries],
        "more": found.more,
        "untrusted": True,
        "note": NOTE,
    }


@tool(group="github", tier="notify", timeout_s=TIMEOUT_S)
async def github_update_pr(
    ctx: Context,
    number: PullNumber,
    repo: Repo = "",
    title: Annotated[str | None, Field(max_length=MAX_TITLE, description="Another title")] = None,
    body: Annotated[str | None, Field(max_length=MAX_BODY, description="Another text, in Markdown")] = None,
    base: Annotated[Branch | None, Field(description="Another branch to go into")] = None,
) -> dict[str, Any]:
    """Change the title, the text or the base branch of a pull request on GitHub."""
    changes: dict[str, Any] = {} if title is None else {"title": title_of(title)}
    changes |= {} if body is None else {"body": body.strip()}
    changes |= {} if base is None else {"base": given(base, "base")}
    if not changes:
        raise InvalidParameter("nothing to change is given", hint="title, body or base")
    access = github(ctx)
    async with access.repository(repo, ctx.caller.conversation, change=True) as repository:
        pull = await access.pulls(repository).update(number, **changes)
    what = " and ".join("text" if name == "body" else name for name in changes)
    return _about(pull, repository) | {"message": f"I changed the {what} of pull request {number}, {said(pull.title)}."}


@tool(group="github", tier="notify", timeout_s=TIMEOUT_S)
async def github_comment_pr(
    ctx: Context,
    number: PullNumber,
    repo: Repo = "",
    body: Annotated[str, Field(max_length=MAX_BODY, description="The comment, in Markdown; empty: ask for it")] = "",
) -> dict[str, Any]:
    """Comment on a pull request on GitHub."""
    access = github(ctx)
    async with access.repository(repo, ctx.caller.conversation, change=True) as repository:
        pull = await access.pulls(repository).get(number)
        about = _about(pull, repository)
        if not body.strip():
            access.ask_for_text("github_comment_pr", repository, number)
            return about | {"message": asks_for_text("pull request", number, pull.title), "asks_for": "body"}
        comment = await access.issues(repository).comment(number, given(body, "body"))
    access.answered()
    about["url"] = one_line(comment.html_url, 300)
    return about | {"message": f"I commented on pull request {number}, {said(pull.title)}."}


@tool(group="github", tier="notify", timeout_s=TIMEOUT_S)
async def github_close_pr(
    ctx: Context,
    number: PullNumber,
    repo: Repo = "",
    comment: Annotated[str, Field(max_length=MAX_BODY, description="A last comment")] = "",
) -> dict[str, Any]:
    """Close a pull request on GitHub without merging it."""
    access = github(ctx)
    async with access.repository(repo, ctx.caller.conversation, change=True) as repository:
        before = await access.pulls(repository).get(number)
        if before.state == "closed":
            how = "merged" if before.merged else "closed"
            told = f"Pull request {number}, {said(before.title)}, is {how} already."
            return _about(before, repository) | {"message": told}
        if comment.strip():
            await access.issues(repository).comment(number, given(comment, "comment"))
        pull = await access.pulls(repository).update(number, state="closed")
    return _about(pull, repository) | {"message": f"I closed pull request {number}: {said(pull.title)}."}


def tools(access: GitHubAccess) -> tuple[Tool, ...]:
    """The tools, whose questions to people say what exactly would happen, and fix it for the call."""

    async def ask_to_create(arguments: dict[str, Any]) -> str:
        arguments |= await _planned(access, arguments)
        kind = "draft pull request" if arguments["draft"] else "pull request"
        branches = f"from {one_line(arguments['head'], 100)} into {one_line(arguments['base'], 100)}"
        return f"Create a {kind} {branches} in {arguments['repo']}: {arguments['title']}"

    async def ask_to_merge(arguments: dict[str, Any]) -> str:
        from reachy_mind.developer.github.merge import merge_plan  # noqa: PLC0415 -- loaded when used

        async with access.repository(arguments["repo"], change=True) as repository:
            plan = await merge_plan(
                access,
                repository,
                arguments["number"],
                arguments["expected_head"],
                even_if_failed=arguments["even_if_failed"],
            )
        # What the person was shown is what is merged, and nothing that is pushed in the meantime.
        arguments |= {"repo": str(repository), "expected_head": plan.pull.head.sha}
        how = {"merge": "", "squash": " as one commit", "rebase": " by rebase"}[arguments["method"]]
        what = f"pull request {plan.pull.number} of {repository}, {said(plan.pull.title)},"
        into = f"at {plan.pull.head.sha[:8]} into {one_line(plan.pull.base.ref, 100)}{how}"
        return f"Merge {what} {into}. {plan.checks.sentence()}"

    same = replace(github_comment_pr, name="github_pr_comment", hidden=True)
    return (
        replace(github_create_pr, question=ask_to_create),
        replace(github_merge_pr, question=ask_to_merge),
        *(github_list_prs, github_update_pr, github_comment_pr, same, github_close_pr),
    )


def _about(pull: PullRequest, repository: HostedName) -> dict[str, Any]:
    from reachy_mind.developer.github.pull_checks import pull_as_dict  # noqa: PLC0415 -- loaded when used

    return {"repository": str(repository), **pull_as_dict(pull), "untrusted": True}
