"""`GitHubAccess`: GitHub for the tools: one client, made when it is first used, and the repositories that are meant."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reachy_mind.config.developer_settings import DeveloperSettings
from reachy_mind.developer.github.errors import NotOnGitHub
from reachy_mind.developer.workspace import Repository, Workspace
from reachy_mind.errors import MindError, NotReady

if TYPE_CHECKING:
    from reachy_mind.developer.github.checks import Checks
    from reachy_mind.developer.github.client import GitHubClient
    from reachy_mind.developer.github.issues import Issues
    from reachy_mind.developer.github.pulls import PullRequests
    from reachy_mind.developer.github.repositories import HostedName, HostedRepositories, Recall
    from reachy_mind.tools.context import Context, Parts

KEY = "github"
ASKED_S = 120.0
"""How long a question for the text of a comment is open."""
_BRANCH = re.compile(r"ref: refs/heads/(?P<branch>[^\s\x00-\x20~^:?*\[\\]{1,200})\n?")


@dataclass(frozen=True)
class AskedComment:
    """A comment whose text a person was asked for."""

    tool: str
    repository: str
    number: int
    until: float


class GitHubAccess:
    """Opened with the mind; nothing is sent before a tool asks. `recall`: see `HostedRepositories`."""

    def __init__(self, settings: DeveloperSettings, workspace: Workspace, recall: Recall | None = None) -> None:
        self._settings, self._workspace, self._recall = settings, workspace, recall
        self._opened: tuple[GitHubClient, HostedRepositories] | None = None
        self._opening = asyncio.Lock()
        self._asked: AskedComment | None = None

    async def __aenter__(self) -> GitHubAccess:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._opened is not None:
            client, self._opened = self._opened[0], None
            await client.__aexit__()

    def _made(self) -> tuple[GitHubClient, HostedRepositories]:
        from reachy_mind.developer.github.client import GitHubClient  # noqa: PLC0415
        from reachy_mind.developer.github.repositories import HostedRepositories  # noqa: PLC0415

        client = GitHubClient(self._settings.github_url, self._settings.github_token)
        return client, HostedRepositories(client, self._workspace, self._settings, self._recall)

    async def _open(self) -> tuple[GitHubClient, HostedRepositories]:
        """The client, made in a thread: httpx, the models and the certificates take half a second."""
        async with self._opening:
            if self._opened is None:
                self._opened = await asyncio.to_thread(self._made)
            return self._opened

    @property
    def client(self) -> GitHubClient:
        """Within `repository` only."""
        assert self._opened is not None
        return self._opened[0]

    @property
    def repositories(self) -> HostedRepositories:
        """Within `repository` only."""
        assert self._opened is not None
        return self._opened[1]

    def issues(self, repository: HostedName) -> Issues:
        from reachy_mind.developer.github.issues import Issues  # noqa: PLC0415

        return Issues(self.client, repository)

    def pulls(self, repository: HostedName) -> PullRequests:
        from reachy_mind.developer.github.pulls import PullRequests  # noqa: PLC0415

        return PullRequests(self.client, repository)

    def checks(self, repository: HostedName) -> Checks:
        from reachy_mind.developer.github.checks import Checks  # noqa: PLC0415

        return Checks(self.client, repository)

    @contextlib.asynccontextmanager
    async def repository(self, said: str, conversation: str = "", *, change: bool = False) -> AsyncIterator[HostedName]:
        """The repository that is meant, for the duration of the `with`: what is not found in it is explained.

        `change`: without a token, nothing is looked up either. Raises TokenRefused when the token can't be sent to the
        address in the settings, and what `HostedRepositories.find` raises.
        """
        client, repositories = await self._open()
        if change:
            client.require_token()
        found = await repositories.find(said, conversation)
        try:
            yield found
        except NotOnGitHub as error:
            raise await repositories.explained(error, found) from None

    async def of_clone(self, clone: Repository) -> HostedName:
        """The repository on GitHub that a clone comes from; no conversation is about it because of that.

        Raises as `repository`.
        """
        _, repositories = await self._open()
        return await repositories.of_clone(clone)

    def current_branch(self, said: str) -> str:
        """The branch that is checked out in the clone of a repository; empty without one."""
        said = said or (self._recall("") if self._recall is not None else "")
        try:
            cloned = self._workspace.repositories()
            if not said and len(cloned) != 1:
                return ""
            here = self._workspace.repository(said) if said else cloned[0]
            with (here.git_folder / "HEAD").open(encoding="utf-8", errors="replace") as file:
                found = _BRANCH.fullmatch(file.read(300))
        except (MindError, OSError):
            return ""
        return found["branch"] if found else ""

    def ask_for_text(self, tool: str, repository: HostedName, number: int) -> None:
        """A person was asked what to write."""
        self._asked = AskedComment(tool, str(repository), number, time.monotonic() + ASKED_S)

    def asked(self) -> AskedComment | None:
        """The comment whose text was asked for, and is still awaited."""
        if self._asked is not None and time.monotonic() > self._asked.until:
            self._asked = None
        return self._asked

    def answered(self) -> None:
        self._asked = None


def register(parts: Parts, access: GitHubAccess) -> None:
    """Make it available to the tools."""
    parts.extra[KEY] = access


def github(ctx: Context) -> GitHubAccess:
    """GitHub for a tool. Raises NotReady."""
    return access_of(ctx.parts)


def access_of(parts: Parts) -> GitHubAccess:
    """Raises NotReady."""
    found: GitHubAccess | None = parts.extra.get(KEY)
    if found is None:
        raise NotReady("GitHub can't be asked here", hint="it was not started with the developer's tools")
    return found
