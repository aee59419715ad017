"""Issues of a repository: create, list, change, comment, close."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from reachy_mind.developer.github.client import GitHubClient, Listed
from reachy_mind.developer.github.models import GitHubComment, GitHubIssue
from reachy_mind.developer.github.repositories import HostedName

CloseReason = Literal["completed", "not_planned"]


class Issues:
    """The issues of one repository. Each method raises GitHubError."""

    def __init__(self, client: GitHubClient, repository: HostedName) -> None:
        self._client, self._repository = client, repository

    async def create(self, title: str, body: str, labels: Sequence[str]) -> GitHubIssue:
        content: dict[str, Any] = {"title": title, "body": body, "labels": list(labels)}
        return await self._client.send(
            "POST", f"{self._repository.path}/issues", content, GitHubIssue, f"repository {self._repository}"
        )

    async def get(self, number: int) -> GitHubIssue:
        return await self._client.get(self._path(number), GitHubIssue, self._what(number))

    async def list(self, state: str, labels: Sequence[str], most: int) -> Listed[GitHubIssue]:
        """The newest issues; pull requests, which GitHub lists among them, are left out."""
        params = {"state": state, "sort": "created", "direction": "desc"}
        if labels:
            params["labels"] = ",".join(labels)
        # Some of those on a page may be pull requests: more is asked for than is shown.
        found = await self._client.list(
            f"{self._repository.path}/issues",
            GitHubIssue,
            f"repository {self._repository}",
            most=max(100, most),
            **params,
        )
        issues = [issue for issue in found.entries if issue.pull_request is None]
        return Listed(issues[:most], more=found.more or len(issues) > most)

    async def update(self, number: int, **changes: Any) -> GitHubIssue:
        return await self._client.send("PATCH", self._path(number), changes, GitHubIssue, self._what(number))

    async def close(self, number: int, reason: CloseReason) -> GitHubIssue:
        return await self.update(number, state="closed", state_reason=reason)

    async def comment(self, number: int, body: str) -> GitHubComment:
        """Comment on an issue or a pull request."""
        return await self._client.send(
            "POST", f"{self._path(number)}/comments", {"body": body}, GitHubComment, self._what(number)
        )

    def _path(self, number: int) -> str:
        return f"{self._repository.path}/issues/{number}"

    def _what(self, number: int) -> str:
        return f"issue {number} of {self._repository}"
