"""`merge_plan`: whether a pull request may be merged, with which checks, and which commit that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reachy_mind.developer.github.access import GitHubAccess
from reachy_mind.developer.github.checks import CheckSummary
from reachy_mind.developer.github.errors import ChecksNotPassed, NotMergeable
from reachy_mind.developer.github.models import PullRequest
from reachy_mind.developer.github.printable_text import one_line
from reachy_mind.developer.github.repositories import HostedName

MOST_NAMED = 5


@dataclass(frozen=True)
class MergePlan:
    """A pull request that may be merged at its head, and what its checks say."""

    pull: PullRequest
    checks: CheckSummary


async def merge_plan(
    access: GitHubAccess, repository: HostedName, number: int, expected_head: str, *, even_if_failed: bool
) -> MergePlan:
    """Look whether a pull request may be merged. Raises NotMergeable, ChecksNotPassed.

    Checks that the branch requires must have passed. Where it requires none, no check may have failed or be running,
    unless `even_if_failed`.
    """
    pull = await access.pulls(repository).decided(number)
    _require_mergeable(pull, expected_head)
    required = await access.repositories.required_checks(repository, pull.base.ref)
    checks = await access.checks(repository).of_commit(pull.head.sha, required)
    obstacles = checks.obstacles
    if not required and not even_if_failed:
        obstacles = [f"{name} failed" for name in checks.named("failed")]
        obstacles += [f"{name} has not ended" for name in checks.named("pending")]
    if obstacles:
        required_here = "the branch requires them" if required else "even_if_failed merges anyway"
        raise ChecksNotPassed(
            f"pull request {number} is not merged: {_named(obstacles)}", hint=f"fix or await them; {required_here}"
        )
    return MergePlan(pull, checks)


def _require_mergeable(pull: PullRequest, expected_head: str) -> None:
    what = f"pull request {pull.number}"
    if pull.merged:
        raise NotMergeable(f"{what} is merged already", hint="there is nothing to do")
    if pull.state != "open":
        raise NotMergeable(f"{what} is closed", hint="open it again on GitHub first")
    if pull.draft:
        raise NotMergeable(f"{what} is a draft", hint="mark it as ready for review first")
    if expected_head and not pull.head.sha.startswith(expected_head):
        raise NotMergeable(
            f"{what} has other commits by now: its head is {pull.head.sha[:8]}, not {expected_head[:8]}",
            hint="look at what changed, then ask again",
        )
    if pull.mergeable is False:
        base = one_line(pull.base.ref, 100)
        raise NotMergeable(
            f"{what} has conflicts with {base}", hint=f"rebase or merge {base} into its branch, and push"
        )


def _named(obstacles: Sequence[str]) -> str:
    more = f"; and {len(obstacles) - MOST_NAMED} more" if len(obstacles) > MOST_NAMED else ""
    return "; ".join(obstacles[:MOST_NAMED]) + more
