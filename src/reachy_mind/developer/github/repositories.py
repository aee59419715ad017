"""`HostedRepositories`: which repository on GitHub is meant by a name, and what its branches require.

`owner/name` is taken as it is; the name of a cloned repository is the one that its remote leads to; any other belongs
to the owner in the settings, else to the owner of the token.
"""

from __future__ import annotations

import difflib
import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from reachy_mind.config.developer_settings import DeveloperSettings
from reachy_mind.developer.errors import NoRemote, UnknownRepository
from reachy_mind.developer.github.client import GitHubClient
from reachy_mind.developer.github.errors import AccessRefused, GitHubError, NotOnGitHub
from reachy_mind.developer.github.models import BranchRule, GitHubBranch, GitHubUser, HostedRepository
from reachy_mind.developer.github.printable_text import one_line
from reachy_mind.developer.remotes import remote_of
from reachy_mind.developer.workspace import Repository, Workspace
from reachy_mind.errors import InvalidParameter

_FULL = re.compile(r"(?P<owner>[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}))/(?P<name>[A-Za-z0-9._-]{1,100})")
_BARE = re.compile(r"[A-Za-z0-9._-]{1,100}")
MOST_LISTED = 300
MOST_NEAR = 3
MOST_REMEMBERED = 200

Recall = Callable[[str], str]


@dataclass(frozen=True)
class HostedName:
    """A repository on GitHub."""

    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"

    @property
    def path(self) -> str:
        """Of its part of the API; owner and name have no characters that would need quoting."""
        return f"repos/{self.owner}/{self.name}"


class HostedRepositories:
    """Finds repositories for one client. `recall`: the clone that was used last in a conversation, empty for none."""

    def __init__(
        self, client: GitHubClient, workspace: Workspace, settings: DeveloperSettings, recall: Recall | None = None
    ) -> None:
        self._client, self._workspace, self._settings = client, workspace, settings
        self._recall = recall or (lambda _: "")
        self._login = ""
        self._last: OrderedDict[str, tuple[HostedName, str]] = OrderedDict()

    async def find(self, said: str, conversation: str = "") -> HostedName:
        """The repository that is meant; for an empty name the last of the conversation, else the last of all, else the
        only one cloned.

        Raises InvalidParameter, NoRemote, GitHubError. Whether GitHub has it turns out when it is used.
        """
        clone = self._recall(conversation)
        name = said.strip().removesuffix(".git")
        if name:
            found = await self._find(name)
        else:
            last, clone_then = self._last.get(conversation) or self._last.get("") or (None, "")
            if last is not None and clone == clone_then:
                found = last
            else:  # another clone was used since then
                found = await self._find(clone) if clone else await self._only_cloned()
        for known in (conversation, ""):  # without a conversation: the last one of all
            self._last[known] = found, self._recall(known)
            self._last.move_to_end(known)
        while len(self._last) > MOST_REMEMBERED:
            self._last.popitem(last=False)
        return found

    async def _find(self, said: str) -> HostedName:
        if full := _FULL.fullmatch(said):
            return _named(full["owner"], full["name"])
        if "/" in said:
            raise InvalidParameter(f"{said[:80]!r} is no repository", hint="OWNER/NAME, or the name of a cloned one")
        try:
            return await self.of_clone(self._workspace.repository(said))
        except UnknownRepository as error:
            name = re.sub(r"\s+", "-", said)
            if not _BARE.fullmatch(name) or name in (".", ".."):
                raise InvalidParameter(f"{said[:80]!r} is no repository", hint=error.hint) from None
            return _named(await self._owner(), name)

    async def _only_cloned(self) -> HostedName:
        cloned = self._workspace.repositories()
        if len(cloned) == 1:
            return await self.of_clone(cloned[0])
        names = ", ".join(repository.name for repository in cloned[:5])
        hint = f"name one of {names}" if cloned else "OWNER/NAME; none has been cloned here"
        raise InvalidParameter("which repository do you mean?", hint=hint)

    async def of_clone(self, repository: Repository) -> HostedName:
        """Where a clone comes from. Raises NoRemote, UnsafeRepository, InvalidParameter, GitHubError."""
        remote = await remote_of(repository)
        if remote.local:
            return _named(await self._owner(), remote.name)
        if remote.host.casefold() != self._client.web_host.casefold():
            raise NoRemote(
                f"{repository.name} is kept at {remote.host}, and I ask {self._client.web_host}",
                hint="developer.github_url is the address of GitHub's API; for GitHub Enterprise https://HOST/api/v3",
            )
        return _named(remote.owner, remote.name)

    async def _owner(self) -> str:
        """Who repositories without an owner belong to. Raises InvalidParameter."""
        if self._settings.github_owner:
            return self._settings.github_owner
        if not self._login and self._client.has_token:
            self._login = (await self._client.get("user", GitHubUser, "the owner of the token")).login
        if not self._login:
            raise InvalidParameter(
                "whose repository is it?", hint="OWNER/NAME, or set developer.github_owner (GITHUB_DEFAULT_OWNER)"
            )
        return self._login

    async def about(self, repository: HostedName) -> HostedRepository:
        """Raises NotOnGitHub with names that are near."""
        try:
            return await self._client.get(repository.path, HostedRepository, f"repository {repository}")
        except NotOnGitHub as error:
            if near := await self._near(repository):
                raise NotOnGitHub(error.message, hint=f"did you mean {' or '.join(near)}?") from None
            raise

    async def _near(self, repository: HostedName) -> list[str]:
        """Repositories of the token's owner, or cloned ones, with a name like this one."""
        names = {each.name: each.name for each in self._workspace.repositories()}
        if self._client.has_token:
            try:
                mine = await self._client.list(
                    "user/repos", HostedRepository, "your repositories", most=MOST_LISTED, sort="pushed"
                )
            except GitHubError:  # the names are a courtesy: the error that led here is what is told
                mine = None
            for entry in mine.entries if mine is not None else ():
                names[entry.full_name] = entry.full_name
        bare = {name.rpartition("/")[2].casefold(): name for name in names}
        found = difflib.get_close_matches(repository.name.casefold(), list(bare), n=MOST_NEAR, cutoff=0.6)
        return [bare[name] for name in found]

    async def explained(self, error: NotOnGitHub, repository: HostedName) -> GitHubError:
        """Why something of a repository was not found: because of the repository itself, or not."""
        try:
            await self.about(repository)
        except NotOnGitHub as missing:
            return missing
        return type(error)(error.message, hint=f"{repository} itself is there: is the number or name right?")

    async def _branch(self, repository: HostedName, branch: str) -> GitHubBranch:
        path = f"{repository.path}/branches/{quote(branch, safe='')}"
        return await self._client.get(path, GitHubBranch, f"branch {one_line(branch, 100)} of {repository}")

    async def head_of(self, repository: HostedName, branch: str) -> str:
        """The newest commit of a branch."""
        return (await self._branch(repository, branch)).commit.sha

    async def required_checks(self, repository: HostedName, branch: str) -> frozenset[str]:
        """The names of the checks that must have passed before something is merged into a branch."""
        quoted = quote(branch, safe="")
        found = await self._branch(repository, branch)
        names: set[str] = set()
        if found.protection is not None and found.protection.required_status_checks is not None:
            names.update(found.protection.required_status_checks.contexts)
        try:
            rules = await self._client.list(
                f"{repository.path}/rules/branches/{quoted}", BranchRule, f"the rules of {branch}"
            )
        except (NotOnGitHub, AccessRefused):  # an Enterprise server of before there were rulesets
            return frozenset(names)
        for rule in rules.entries:
            if rule.type == "required_status_checks":
                names.update(check.context for check in rule.parameters.required_status_checks)
        return frozenset(names)


def _named(owner: str, name: str) -> HostedName:
    if name.strip(".") == "":
        raise InvalidParameter(f"{name!r} is no repository", hint="OWNER/NAME")
    return HostedName(owner, name)
