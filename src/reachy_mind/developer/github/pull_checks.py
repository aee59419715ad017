"""`PullChecks`: what the checks of one pull request say, with the steps that failed; pull requests as they are told."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from reachy_mind.developer.github.checks import CheckSummary
from reachy_mind.developer.github.errors import AccessRefused, NotOnGitHub
from reachy_mind.developer.github.job_log import failed_step
from reachy_mind.developer.github.models import PullRequest
from reachy_mind.developer.github.printable_text import one_line, web_address

if TYPE_CHECKING:
    from reachy_mind.developer.github.access import GitHubAccess
    from reachy_mind.developer.github.models import WorkflowJob
    from reachy_mind.developer.github.repositories import HostedName

MOST_TITLE_CHARS = 256
MOST_CHECKS_TOLD = 100


@dataclass(frozen=True)
class PullChecks:
    """A pull request, its checks, and by check the step that failed."""

    pull: PullRequest
    summary: CheckSummary
    steps: dict[str, str]

    def as_dict(self) -> dict[str, Any]:
        summary = self.summary
        return {
            "number": self.pull.number,
            "title": one_line(self.pull.title, MOST_TITLE_CHARS),
            "head": self.pull.head.sha,
            "state": summary.state,
            "passed": len(summary.named("passed")),
            "failed": len(summary.named("failed")),
            "pending": len(summary.named("pending")),
            "checks": [
                asdict(each) | ({"step": self.steps[each.name]} if each.name in self.steps else {})
                for each in summary.results[:MOST_CHECKS_TOLD]
            ],
            "missing": list(summary.missing),
            "more": len(summary.results) > MOST_CHECKS_TOLD,
        }


async def checks_of_pull(access: GitHubAccess, repository: HostedName, number: int) -> PullChecks:
    """Asks GitHub. Raises GitHubError, TimedOut, BadAnswer."""
    pull = await access.pulls(repository).get(number)
    try:
        required = await access.repositories.required_checks(repository, pull.base.ref)
    except (NotOnGitHub, AccessRefused):  # the branch is gone, or nobody may look: what ran is told anyway
        required = frozenset()
    checks = access.checks(repository)
    summary = await checks.of_commit(pull.head.sha, required)
    jobs = await checks.jobs(pull.head.sha) if summary.named("failed") else []
    return PullChecks(pull, summary, _failed_steps(jobs))


def pull_as_dict(pull: PullRequest) -> dict[str, Any]:
    """What is told of a pull request."""
    return {
        "number": pull.number,
        "title": one_line(pull.title, MOST_TITLE_CHARS),
        "state": "merged" if pull.merged or pull.merged_at else one_line(pull.state, 20),
        "draft": bool(pull.draft),
        "author": one_line(pull.user.login, 100) if pull.user is not None else "",
        "head": one_line(pull.head.label or pull.head.ref, 200),
        "base": one_line(pull.base.ref, 200),
        "url": web_address(pull.html_url),
    }


def _failed_steps(jobs: list[WorkflowJob]) -> dict[str, str]:
    steps = {one_line(job.name, 100): failed_step(job) for job in jobs}
    return {name: one_line(step.name, 100) for name, step in steps.items() if step is not None}
