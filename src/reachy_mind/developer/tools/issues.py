"""Tools for the issues of a repository on GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from reachy_mind.developer.github.access import github
from reachy_mind.developer.github.printable_text import lines, one_line
from reachy_mind.developer.tools.arguments import (
    LISTED_BODY,
    MAX_BODY,
    MAX_TITLE,
    NOTE,
    IssueNumber,
    Labels,
    Limit,
    Repo,
    counted,
    given,
    said,
    title_of,
)
from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.developer.github.models import GitHubIssue
    from reachy_mind.developer.github.repositories import HostedName
    from reachy_mind.tools.context import Context

TIMEOUT_S = 60.0
MOST_SAID = 3


@tool(group="github", tier="notify", timeout_s=TIMEOUT_S)
async def github_issue(
    ctx: Context,
    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE, description="What it is about, in a line")],
    repo: Repo = "",
    body: Annotated[str, Field(max_length=MAX_BODY, description="The text, in Markdown")] = "",
    labels: Labels = None,
) -> dict[str, Any]:
    """Create an issue on GitHub."""
    access = github(ctx)
    wanted = title_of(title)
    async with access.repository(repo, ctx.caller.conversation, change=True) as repository:
        issue = await access.issues(repository).create(wanted, body.strip(), labels or [])
    return _about(issue, repository) | {
        "message": f"I created issue {issue.number} in {repository.name}: {said(issue.title)}."
    }


@tool(group="github", tier="autonomous", timeout_s=TIMEOUT_S, read_only=True)
async def github_list_issues(
    ctx: Context,
    repo: Repo = "",
    state: Annotated[Literal["open", "closed", "all"], Field(description="Which ones")] = "open",
    labels: Labels = None,
    limit: Limit = 20,
) -> dict[str, Any]:
    """List the issues of a repository on GitHub, the newest first."""
    access = github(ctx)
    async with access.repository(repo, ctx.caller.conversation) as repository:
        found = await access.issues(repository).list(state, labels or [], limit)
    kind = "issue" if state == "all" else f"{state} issue"
    many = f"more than {counted(len(found.entries), kind)}" if found.more else counted(len(found.entries), kind)
    named = "; ".join(f"number {issue.number}, {said(issue.title)}" for issue in found.entries[:MOST_SAID])
    first = "The newest: " if len(found.entries) > MOST_SAID else ""
    return {
        "message": f"{repository.name} has {many}. {first}{named}{'.' if named else ''}".strip(),
        "repository": str(repository),
        "issues": [_listed(issue) for issue in found.entries],
        "more": found.more,
        "untrusted": True,
        "note": NOTE,
    }


@tool(group="github", tier="notify", timeout_s=TIMEOUT_S)
async def github_update_issue(
    ctx: Context,
    number: IssueNumber,
    repo: Repo = "",
    title: Annotated[str | None, Field(max_length=MAX_TITLE, description="Another title")] = None,
    body: Annotated[str | None, Field(max_length=MAX_BODY, description="Another text, in Markdown")] = None,
    labels: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=50)]] | None,
        Field(max_length=20, description="All labels that it shall have then"),
    ] = None,
) -> dict[str, Any]:
    """Change the title, the text or the labels of an issue on GitHub."""
    changes: dict[str, Any] = {} if title is None else {"title": title_of(title)}
    changes |= {} if body is None else {"body": body.strip()}
    changes |= {} if labels is None else {"labels": labels}
    if not changes:
        raise InvalidParameter("nothing to change is given", hint="title, body or labels")
    access = github(ctx)
    async with access.repository(repo, ctx.caller.conversation, change=True) as repository:
        issues = access.issues(repository)
        _require_issue(await issues.get(number))
        issue = await issues.update(number, **changes)
    what = " and ".join("text" if name == "body" else name for name in changes)
    return _about(issue, repository) | {"message": f"I changed the {what} of issue {number}, {said(issue.title)}."}


@tool(group="github", tier="notify", timeout_s=TIMEOUT_S)
async def github_comment_issue(
    ctx: Context,
    number: IssueNumber,
    repo: Repo = "",
    body: Annotated[str, Field(max_length=MAX_BODY, description="The comment, in Markdown; empty: ask for it")] = "",
) -> dict[str, Any]:
    """Comment on an issue on GitHub."""
    access = github(ctx)
    async with access.repository(repo, ctx.caller.conversation, change=True) as repository:
        issues = access.issues(repository)
        issue = await issues.get(number)
        kind = "issue" if issue.pull_request is None else "pull request"
        about = _about(issue, repository)
        if not body.strip():
            access.ask_for_text("github_comment_issue", repository, number)
            return about | {"message": asks_for_text(kind, number, issue.title), "asks_for": "body"}
        comment = await issues.comment(number, given(body, "body"))
    access.answered()
    about["url"] = one_line(comment.html_url, 300)
    return about | {"message": f"I commented on {kind} {number}, {said(issue.title)}."}


@tool(group="github", tier="notify", timeout_s=TIMEOUT_S)
async def github_close_issue(
    ctx: Context,
    number: IssueNumber,
    repo: Repo = "",
    reason: Annotated[Literal["completed", "not_planned"], Field(description="Why it is closed")] = "completed",
    comment: Annotated[str, Field(max_length=MAX_BODY, description="A last comment")] = "",
) -> dict[str, Any]:
    """Close an issue on GitHub."""
    access = github(ctx)
    async with access.repository(repo, ctx.caller.conversation, change=True) as repository:
        issues = access.issues(repository)
        before = await issues.get(number)
        _require_issue(before)
        if before.state == "closed":
            return _about(before, repository) | {"message": f"Issue {number}, {said(before.title)}, is closed already."}
        if comment.strip():
            await issues.comment(number, given(comment, "comment"))
        issue = await issues.close(number, reason)
    why = "" if reason == "completed" else " as not planned"
    return _about(issue, repository) | {"message": f"I closed issue {number}{why}: {said(issue.title)}."}


def asks_for_text(kind: str, number: int, title: str) -> str:
    """What a person is asked when a comment has no text."""
    return f"What shall I write on {kind} {number}, {said(title)}? Say: write, and then the text."


def _require_issue(issue: GitHubIssue) -> None:
    """Raises InvalidParameter for a pull request, which GitHub takes for an issue, too."""
    if issue.pull_request is not None:
        raise InvalidParameter(
            f"number {issue.number} is a pull request, {said(issue.title)}",
            hint="github_update_pr, or github_close_pr",
        )


def _about(issue: GitHubIssue, repository: HostedName) -> dict[str, Any]:
    return {
        "repository": str(repository),
        "number": issue.number,
        "title": one_line(issue.title, MAX_TITLE),
        "state": one_line(issue.state, 20),
        "labels": [one_line(name, 50) for name in issue.label_names[:20]],
        "url": one_line(issue.html_url, 300),
        "untrusted": True,
    }


def _listed(issue: GitHubIssue) -> dict[str, Any]:
    return {
        "number": issue.number,
        "title": one_line(issue.title, MAX_TITLE),
        "body": lines(issue.body, LISTED_BODY),
        "state": one_line(issue.state, 20),
        "labels": [one_line(name, 50) for name in issue.label_names[:20]],
        "author": one_line(issue.user.login, 100) if issue.user is not None else "",
        "comments": issue.comments,
        "url": one_line(issue.html_url, 300),
    }


TOOLS: tuple[Tool, ...] = (
    *(github_issue, github_list_issues, github_update_issue),
    *(github_comment_issue, github_close_issue),
)
