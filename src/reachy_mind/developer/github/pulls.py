"""Pull requests of a repository: create, list, change, merge, close."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from reachy_mind.developer.github.client import GitHubClient, Listed
from reachy_mind.developer.github.models import MergeResult, PullRequest
from reachy_mind.developer.github.repositories import HostedName

MergeMethod = Literal["merge", "squash", "rebase"]
UNDECIDED_TRIES, UNDECIDED_WAIT_S = 4, 0.7
"""GitHub finds out in the background whether a pull request can be merged."""


class PullRequests:
    """The pull requests of one repository. Each method raises GitHubError."""

    def __init__(self, client: GitHubClient, repository: HostedName) -> None:
        self._client, self._repository = client, repository

    async def create(self, title: str, body: str, head: str, base: str, *, draft: bool) -> PullRequest:
        """`head` is a branch here, or `owner:branch` of a fork."""
        content = {"title": title, "body": body, "head": head, "base": base, "draft": draft}
        what = f"a pull request from {head} to {base} of {self._repository}"
        return await self._client.send("POST", f"{self._repository.path}/pulls", content, PullRequest, what)

    async def get(self, number: int) -> PullRequest:
        return await self._client.get(self._path(number), PullRequest, self._what(number))

    async def decided(self, number: int) -> PullRequest:
        """The pull request when GitHub knows whether it can be merged; as it is, if that takes too long."""
        for attempt in range(UNDECIDED_TRIES):
            found = await self.get(number)
            if found.mergeable is not None or found.state != "open" or attempt == UNDECIDED_TRIES - 1:
                break
            await asyncio.sleep(UNDECIDED_WAIT_S)
        return found

    async def list(self, state: str, base: str, head: str, most: int) -> Listed[PullRequest]:
        """The newest. `head` is a branch of the repository, or `owner:branch`."""
        params = {"state": state, "sort": "created", "direction": "desc"}
        if base:
            params["base"] = base
        if head:
            params["head"] = head if ":" in head else f"{self._repository.owner}:{head}"
        return await self._client.list(
            f"{self._repository.path}/pulls", PullRequest, f"repository {self._repository}", most=most, **params
        )

    async def update(self, number: int, **changes: Any) -> PullRequest:
        return await self._client.send("PATCH", self._path(number), changes, PullRequest, self._what(number))

    async def merge(self, number: int, sha: str, method: MergeMethod, title: str, message: str) -> MergeResult:
        """Merge exactly the commit `sha`: GitHub refuses when another is the head by now."""
        content = {"sha": sha, "merge_method": method}
        content |= {"commit_title": title} if title else {}
        content |= {"commit_message": message} if message else {}
        return await self._client.send("PUT", f"{self._path(number)}/merge", content, MergeResult, self._what(number))

    def _path(self, number: int) -> str:
        return f"{self._repository.path}/pulls/{number}"

    def _what(self, number: int) -> str:
        return f"pull request {number} of {self._repository}"
