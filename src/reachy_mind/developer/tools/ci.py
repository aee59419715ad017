"""Tools for the checks of GitHub: what they say, and what went wrong in a job."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.developer.github.access import GitHubAccess, github
from reachy_mind.developer.github.errors import NotOnGitHub
from reachy_mind.developer.github.printable_text import one_line
from reachy_mind.developer.tools.arguments import NOTE, PullNumber, Repo, counted
from reachy_mind.errors import BadAnswer, InvalidParameter
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.developer.github.models import WorkflowJob
    from reachy_mind.developer.github.repositories import HostedName
    from reachy_mind.tools.context import Context

TIMEOUT_S, LOGS_TIMEOUT_S = 60.0, 240.0
MOST_LOGS = 3
Branch = Annotated[str, Field(max_length=200, pattern=r"^[^\s\x00-\x20~^:?*\[\\]*$")]


@tool(group="github", tier="autonomous", timeout_s=TIMEOUT_S, read_only=True)
async def github_pr_checks(ctx: Context, number: PullNumber, repo: Repo = "") -> dict[str, Any]:
    """Tell what the checks of a pull request on GitHub say: which failed, which still run."""
    from reachy_mind.developer.github.pull_checks import checks_of_pull  # noqa: PLC0415 -- loaded when used

    access = github(ctx)
    async with access.repository(repo, ctx.caller.conversation) as repository:
        found = await checks_of_pull(access, repository, number)
    told = found.summary.sentence()
    return {
        "message": f"Pull request {number}: {told[0].lower() if told[1:2].islower() else told[0]}{told[1:]}",
        "repository": str(repository),
        **found.as_dict(),
        "untrusted": True,
        "note": NOTE,
    }


@tool(group="github", tier="autonomous", timeout_s=LOGS_TIMEOUT_S, read_only=True)
async def github_ci_logs(
    ctx: Context,
    repo: Repo = "",
    number: Annotated[int | None, Field(ge=1, le=10**9, description="Of which pull request")] = None,
    branch: Annotated[Branch, Field(description="Of which branch instead; empty: the default one")] = "",
    run_id: Annotated[int | None, Field(ge=1, description="Of which workflow run instead")] = None,
    job: Annotated[str, Field(max_length=100, description="Only jobs with this in their name, failed or not")] = "",
) -> dict[str, Any]:
    """Find in the logs of GitHub Actions what went wrong: the failed step, the lines around its first error."""
    access = github(ctx)
    if sum((number is not None, bool(branch), run_id is not None)) > 1:
        raise InvalidParameter("number, branch and run_id contradict one another", hint="give one of them")
    async with access.repository(repo, ctx.caller.conversation) as repository:
        jobs, what = await _jobs(access, repository, number, branch, run_id)
        chosen = _chosen(jobs, job)
        told = [await _read(access, repository, each) for each in chosen[:MOST_LOGS]]
    about = {
        "repository": str(repository),
        "jobs": told,
        "failed_jobs": [one_line(each.name, 100) for each in chosen],
        "untrusted": True,
        "note": NOTE,
    }
    return {"message": _message(what, jobs, chosen, told, job), **about}


async def _jobs(
    access: GitHubAccess, repository: HostedName, number: int | None, branch: str, run_id: int | None
) -> tuple[list[WorkflowJob], str]:
    """The jobs that are meant, and of what they are."""
    checks = access.checks(repository)
    if run_id is not None:
        return (await checks.jobs_of_run(run_id)).entries, f"run {run_id}"
    if number is not None:
        pull = await access.pulls(repository).get(number)
        return await checks.jobs(pull.head.sha), f"pull request {number}"
    name = branch or (await access.repositories.about(repository)).default_branch
    sha = await access.repositories.head_of(repository, name)
    return await checks.jobs(sha), f"branch {one_line(name, 100)}"


def _chosen(jobs: list[WorkflowJob], wanted: str) -> list[WorkflowJob]:
    """The failed jobs; with a name those that have it, the failed ones first."""
    from reachy_mind.developer.github.checks import is_failed  # noqa: PLC0415 -- loaded when used

    if not wanted:
        return [job for job in jobs if is_failed(job)]
    named = [job for job in jobs if wanted.casefold() in job.name.casefold()]
    if not named:
        names = ", ".join(one_line(job.name, 60) for job in jobs[:8])
        raise InvalidParameter(
            f"there is no job called {one_line(wanted, 60)!r}", hint=f"there are: {names}" if names else "none has run"
        )
    return sorted(named, key=lambda job: not is_failed(job))


async def _read(access: GitHubAccess, repository: HostedName, job: WorkflowJob) -> dict[str, Any]:
    """What the log of a job tells; the reason, where there is no log any more."""
    from reachy_mind.developer.github.checks import is_failed  # noqa: PLC0415 -- loaded when used
    from reachy_mind.developer.github.job_log import read_job_log  # noqa: PLC0415

    name = one_line(job.name, 100)
    try:
        content = await access.checks(repository).log(job)
        found = await asyncio.to_thread(read_job_log, content, job)
    except NotOnGitHub:
        why = f"{name} has no log" if job.status == "completed" else f"{name} is still running"
        return {"job": name, "summary": f"{why}; GitHub keeps logs for 90 days.", "failed": is_failed(job)}
    except BadAnswer as error:
        return {"job": name, "summary": f"The log of {name} can't be read: {error.message}.", "failed": is_failed(job)}
    return asdict(found) | {"failed": is_failed(job)}


def _message(
    what: str, jobs: list[WorkflowJob], chosen: list[WorkflowJob], told: list[dict[str, Any]], wanted: str
) -> str:
    if not jobs:
        return f"No job of GitHub Actions has run for {what}."
    if not told:
        running = [job for job in jobs if job.status != "completed"]
        rest = f"; {counted(len(running), 'job')} still running" if running else ""
        return f"No job of {what} failed{rest}."
    first = told[0]
    rest = f" {counted(len(chosen) - 1, 'more job')} {'match' if wanted else 'failed'}: " if len(chosen) > 1 else ""
    others = ", ".join(one_line(job.name, 60) for job in chosen[1:4])
    return f"{first['job']}: {first['summary']}{rest}{others}{'.' if rest else ''}"


TOOLS: tuple[Tool, ...] = (github_pr_checks, github_ci_logs)
