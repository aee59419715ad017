"""`Checks`: what the checks of a commit say, from check runs and the older commit statuses together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from reachy_mind.developer.github.client import GitHubClient, Listed
from reachy_mind.developer.github.errors import AccessRefused
from reachy_mind.developer.github.models import (
    CheckRun,
    CombinedStatus,
    WorkflowJob,
    WorkflowRun,
)
from reachy_mind.developer.github.printable_text import one_line, web_address
from reachy_mind.developer.github.repositories import HostedName

CheckState = Literal["passed", "failed", "pending", "skipped"]
MOST_CHECKS = 300
MOST_SAID = 4
_FAILED = frozenset(("failure", "cancelled", "timed_out", "action_required", "startup_failure", "stale", "error"))


@dataclass(frozen=True)
class CheckResult:
    """A check of a commit."""

    name: str
    state: CheckState
    detail: str = ""
    url: str = ""
    required: bool = False


@dataclass(frozen=True)
class CheckSummary:
    """The checks of a commit, failed ones first. `missing`: required ones that nobody has begun."""

    sha: str
    results: tuple[CheckResult, ...]
    missing: tuple[str, ...] = ()

    def named(self, state: CheckState) -> list[str]:
        return [each.name for each in self.results if each.state == state]

    @property
    def state(self) -> Literal["passed", "failed", "pending", "none"]:
        if self.named("failed"):
            return "failed"
        if self.named("pending") or self.missing:
            return "pending"
        return "passed" if self.results else "none"

    @property
    def obstacles(self) -> list[str]:
        """Why nothing should be merged: required checks that failed or have not ended, each with the reason."""
        failed = [f"{each.name} failed" for each in self.results if each.required and each.state == "failed"]
        running = [f"{each.name} has not ended" for each in self.results if each.required and each.state == "pending"]
        return failed + running + [f"{name} has not begun" for name in self.missing]

    def sentence(self) -> str:
        """As a person would say it: "2 of 7 checks failed: tests on 3.11 and lint"."""
        many = len(self.results)
        failed, pending = self.named("failed"), self.named("pending")
        if not many:
            waiting = f"; {said(self.missing)} should run" if self.missing else ""
            return f"There are no checks{waiting}."
        if failed:
            rest = f"; {len(pending)} still running" if pending else ""
            return f"{len(failed)} of {many} checks failed: {said(failed)}{rest}."
        if pending:
            done = len(self.named("passed"))
            return f"{len(pending)} of {many} checks still running: {said(pending)}; {done} passed."
        if self.missing:
            return f"Nothing failed, but {said(self.missing)} has not begun."
        return "The one check passed." if many == 1 else f"All {many} checks passed."


class Checks:
    """The checks of one repository. Each method raises GitHubError."""

    def __init__(self, client: GitHubClient, repository: HostedName) -> None:
        self._client, self._repository = client, repository

    async def of_commit(self, sha: str, required: Collection[str] = ()) -> CheckSummary:
        """Both kinds of checks; of several runs of one name the last counts, as it does for GitHub."""
        path = f"{self._repository.path}/commits/{sha}"
        runs = await self._client.list(
            f"{path}/check-runs",
            CheckRun,
            f"the checks of {sha[:8]}",
            key="check_runs",
            most=MOST_CHECKS,
            filter="latest",
        )
        try:
            combined = await self._client.get(
                f"{path}/status", CombinedStatus, f"the statuses of {sha[:8]}", per_page="100"
            )
        except AccessRefused:  # a token may read the one kind and not the other
            combined = CombinedStatus()
        # By the exact name: one that only looks the same must not take the place of another.
        results: dict[tuple[str, str], CheckResult] = {}
        for run in sorted(runs.entries, key=lambda each: each.id):
            results["run", run.name] = CheckResult(
                one_line(run.name, 100),
                _state(run.status, run.conclusion),
                one_line(run.output.title, 200),
                web_address(run.html_url),
                run.name in required,
            )
        for status in combined.statuses:
            results["status", status.context] = CheckResult(
                one_line(status.context, 100),
                _STATUS_STATES.get(status.state, "failed"),
                one_line(status.description, 200),
                web_address(status.target_url),
                status.context in required,
            )
        ordered = sorted(results.values(), key=lambda each: (_ORDER.index(each.state), each.name))
        begun = {name for _, name in results}
        missing = tuple(sorted(one_line(name, 100) for name in set(required) - begun))
        return CheckSummary(sha, tuple(ordered), missing)

    async def jobs(self, sha: str) -> list[WorkflowJob]:
        """The jobs of GitHub Actions for a commit, of the last attempt of each run."""
        runs = await self._client.list(
            f"{self._repository.path}/actions/runs",
            WorkflowRun,
            f"the runs for {sha[:8]}",
            key="workflow_runs",
            most=20,
            head_sha=sha,
        )
        jobs: list[WorkflowJob] = []
        for run in runs.entries:
            jobs += (await self.jobs_of_run(run.id)).entries
        return jobs

    async def jobs_of_run(self, run: int) -> Listed[WorkflowJob]:
        return await self._client.list(
            f"{self._repository.path}/actions/runs/{run}/jobs",
            WorkflowJob,
            f"the jobs of run {run}",
            key="jobs",
            filter="latest",
        )

    async def job(self, job: int) -> WorkflowJob:
        return await self._client.get(
            f"{self._repository.path}/actions/jobs/{job}", WorkflowJob, f"job {job} of {self._repository}"
        )

    async def log(self, job: WorkflowJob) -> bytes:
        """The log of a job, as GitHub keeps it; the end of it, if it is very long."""
        return await self._client.download(
            f"{self._repository.path}/actions/jobs/{job.id}/logs", f"log of the job {one_line(job.name, 100)}"
        )


_ORDER: Sequence[CheckState] = ("failed", "pending", "passed", "skipped")
_STATUS_STATES: dict[str, CheckState] = {"success": "passed", "pending": "pending", "failure": "failed"}


def _state(status: str, conclusion: str | None) -> CheckState:
    if status != "completed" or conclusion is None:
        return "pending"
    if conclusion in ("skipped", "neutral"):
        return "skipped"
    return "passed" if conclusion == "success" else "failed"


def is_failed(job: WorkflowJob) -> bool:
    return job.status == "completed" and job.conclusion in _FAILED


def said(names: Sequence[str], most: int = MOST_SAID) -> str:
    """A few names in a sentence."""
    shown = list(names[:most])
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
