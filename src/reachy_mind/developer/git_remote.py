"""Work with the remote: clone, fetch, pull and push. Each can take long, tells its progress and can be cancelled."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from reachy_mind.developer.errors import GitConflict, GitFailed, NoRemote, NothingToDo, UncommittedChanges
from reachy_mind.developer.git_branches import GitBranches
from reachy_mind.developer.git_runner import REMOTE_TIMEOUT_S, CommitAuthor, GitRunner, Progress
from reachy_mind.developer.git_state import GitState, LogEntry, LogFilter
from reachy_mind.developer.remotes import DEFAULT_REMOTE, RemoteAddress, remote_of
from reachy_mind.developer.workspace import Repository
from reachy_mind.errors import InvalidParameter

MOST_SHOWN = 20


@dataclass(frozen=True)
class PushPreview:
    """What a push would send: the branch, where to, the commits that the remote's branch lacks, as far as is known."""

    branch: str
    commit: str
    remote: RemoteAddress
    commits: Sequence[LogEntry]
    new_branch: bool


@dataclass(frozen=True)
class PullResult:
    branch: str
    before: str
    after: str
    commits: int
    rebased: int = 0


class GitRemote:
    """`hosts`: other hosts that may be cloned from, without a token."""

    def __init__(self, git: GitRunner, state: GitState, branches: GitBranches, hosts: Sequence[str]) -> None:
        self._git, self._state, self._branches = git, state, branches
        self._hosts = frozenset(host.casefold() for host in hosts)

    def require_known(self, remote: RemoteAddress) -> None:
        """Raises NoRemote for a host that is not in the settings."""
        if not remote.local and remote.host not in (self._git.token_host, *self._hosts):
            raise NoRemote(
                f"{remote.host} is not among the hosts that repositories come from",
                hint="a person can add it: developer.clone_hosts",
            )

    async def clone(
        self,
        remote: RemoteAddress,
        place: Path,
        *,
        branch: str = "",
        depth: int = 0,
        progress: Progress | None = None,
    ) -> Repository:
        """Clone into a new folder, which appears when it is whole. Submodules stay empty."""
        self.require_known(remote)
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.parent / f".cloning-{uuid4().hex}"
        options = [*(["--branch", branch] if branch else []), *([f"--depth={depth}"] if depth else [])]
        if branch.startswith("-"):
            raise InvalidParameter(f"a branch can't be called {branch[:60]!r}", hint="such as main")
        try:
            await self._git.run_outside(
                place.parent,
                *("clone", "--progress", "--template=", "--origin", DEFAULT_REMOTE, "--no-recurse-submodules"),
                *("--no-local", *options, "--", remote.url, str(part)),
                remote=remote,
                progress=progress,
            )
            part.rename(place)
        finally:
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, part, ignore_errors=True))
        return Repository(place.name, place)

    async def fetch(self, repository: Repository, progress: Progress | None = None) -> RemoteAddress:
        """Bring the remote's branches and tags up to date here."""
        remote = await remote_of(repository)
        self.require_known(remote)
        await self._git.run(
            repository,
            *("fetch", "--progress", "--prune", "--no-recurse-submodules", "--no-auto-maintenance"),
            *("--no-write-fetch-head", "--upload-pack=git-upload-pack"),
            *("--", remote.url, f"+refs/heads/*:refs/remotes/{DEFAULT_REMOTE}/*"),
            timeout_s=REMOTE_TIMEOUT_S,
            remote=remote,
            progress=progress,
        )
        return remote

    async def pull(
        self,
        repository: Repository,
        author: CommitAuthor | None,
        *,
        rebase: bool = False,
        progress: Progress | None = None,
    ) -> PullResult:
        """Fetch, and bring the branch forward to the remote's; `rebase`: with commits of our own on top of it.

        Raises GitConflict where both have gone on, UncommittedChanges, NoRemote.
        """
        branch = await self._branches.current(repository)
        if not branch:
            raise GitFailed("no branch is checked out", hint="switch to one: github_branch")
        await self.fetch(repository, progress)
        theirs = f"refs/remotes/{DEFAULT_REMOTE}/{branch}"
        if not await self._exists(repository, theirs):
            raise NoRemote(f"the remote has no branch {branch!r}", hint="github_push creates it")
        before = await self._state.commit(repository, "HEAD")
        after = await self._state.commit(repository, theirs)
        ahead, behind = await self._apart(repository, before, after)
        if not behind:
            return PullResult(branch, before, before, 0)
        if ahead and not rebase:
            raise GitConflict(
                f"{branch!r} has {ahead} commits of its own, and the remote {behind} others",
                hint="pull with rebase: true puts ours on top of theirs",
            )
        if ahead:
            if author is None:
                raise InvalidParameter("nobody is named as the author", hint="set developer.github_owner")
            rebased = await self._branches.rebase(repository, theirs, author, progress=progress)
            return PullResult(branch, before, await self._state.commit(repository, "HEAD"), behind, rebased)
        try:
            await self._git.run(repository, "merge", "--ff-only", "--quiet", "--no-autostash", after, scans=True)
        except UncommittedChanges as error:
            raise UncommittedChanges(
                f"{repository.name} has changes in files that the remote has changed too",
                hint="commit or discard them first",
            ) from error
        return PullResult(branch, before, after, behind)

    async def preview(self, repository: Repository, branch: str = "") -> PushPreview:
        """What a push would send. Asks no network. Raises NothingToDo, NoRemote, GitFailed."""
        name = branch or await self._branches.current(repository)
        if not name:
            raise GitFailed("no branch is checked out", hint="name the branch")
        await self._branches.require_name(repository, name)
        remote = await remote_of(repository)
        self.require_known(remote)
        commit = await self._state.commit(repository, f"refs/heads/{name}")
        theirs = f"refs/remotes/{DEFAULT_REMOTE}/{name}"
        if await self._exists(repository, theirs):
            ahead, _ = await self._apart(repository, commit, await self._state.commit(repository, theirs))
            if not ahead:
                raise NothingToDo(f"the remote has all of {name!r} already", hint="commit something first")
            log = await self._state.log(repository, LogFilter(branch=commit, most=min(ahead, MOST_SHOWN)))
            return PushPreview(name, commit, remote, log, new_branch=False)
        log = await self._state.log(repository, LogFilter(branch=commit, most=3))
        return PushPreview(name, commit, remote, log, new_branch=True)

    async def push(self, repository: Repository, preview: PushPreview, progress: Progress | None = None) -> None:
        """Send exactly the commit of a preview, as a fast-forward of the remote's branch. It is never forced."""
        ref = f"refs/heads/{preview.branch}"
        await self._git.run(
            repository,
            *("push", "--progress", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed"),
            *("--recurse-submodules=no", "--receive-pack=git-receive-pack"),
            *("--", preview.remote.url, f"{preview.commit}:{ref}"),
            timeout_s=REMOTE_TIMEOUT_S,
            remote=preview.remote,
            progress=progress,
        )
        theirs = f"refs/remotes/{DEFAULT_REMOTE}/{preview.branch}"
        await self._git.run(repository, "update-ref", theirs, preview.commit)
        if preview.new_branch:
            for key, value in (("remote", DEFAULT_REMOTE), ("merge", ref)):
                await self._git.run(repository, "config", "--local", f"branch.{preview.branch}.{key}", value)

    async def _exists(self, repository: Repository, ref: str) -> bool:
        return (await self._git.run(repository, "show-ref", "--verify", "--quiet", ref, accept=(0, 1))).code == 0

    async def _apart(self, repository: Repository, ours: str, theirs: str) -> tuple[int, int]:
        """How many commits only one of two has."""
        result = await self._git.run(repository, "rev-list", "--left-right", "--count", f"{ours}...{theirs}")
        ahead, behind = result.text.split()
        return int(ahead), int(behind)
