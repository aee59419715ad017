"""Branches: list, create, switch, delete; and moving them: reset, rebase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reachy_mind.developer.errors import GitConflict, GitFailed, UncommittedChanges
from reachy_mind.developer.git_runner import CommitAuthor, GitRunner, Progress
from reachy_mind.developer.git_state import GitState
from reachy_mind.developer.shown_text import shown
from reachy_mind.developer.workspace import Repository
from reachy_mind.errors import InvalidParameter

REBASE_TIMEOUT_S = 600.0
_FIELDS = "%(refname)%00%(objectname:short)%00%(upstream:short)%00%(committerdate:iso-strict)%00%(HEAD)"

ResetMode = Literal["soft", "mixed", "hard"]


@dataclass(frozen=True)
class Branch:
    """A branch here, or the remote's as it was when it was last fetched."""

    name: str
    commit: str
    upstream: str
    date: str
    current: bool
    remote: bool

    def as_dict(self) -> dict[str, str | bool]:
        found: dict[str, str | bool] = {"name": shown(self.name, 300), "commit": self.commit, "date": self.date}
        found |= {"upstream": shown(self.upstream, 300)} if self.upstream else {}
        return found | ({"current": True} if self.current else {}) | ({"remote": True} if self.remote else {})


class GitBranches:
    """Branches of repositories."""

    def __init__(self, git: GitRunner, state: GitState) -> None:
        self._git, self._state = git, state

    async def listed(self, repository: Repository) -> list[Branch]:
        """Those here first, each with the newest first."""
        result = await self._git.run(
            repository, "for-each-ref", "--sort=-committerdate", f"--format={_FIELDS}", "refs/heads", "refs/remotes"
        )
        found = [_branch(line) for line in result.text.splitlines()]
        return sorted((each for each in found if not each.name.endswith("/HEAD")), key=lambda each: each.remote)

    async def current(self, repository: Repository) -> str:
        """The branch that is checked out; empty for none."""
        result = await self._git.run(repository, "symbolic-ref", "--quiet", "--short", "HEAD", accept=(0, 1))
        return result.text.strip()

    async def create(self, repository: Repository, name: str, base: str, *, switch: bool) -> None:
        """Create a branch at `base`, or where one is. Raises InvalidParameter, GitFailed."""
        await self.require_name(repository, name)
        start = [await self._state.commit(repository, base)] if base else []
        if switch:
            await self._git.run(repository, "switch", "--quiet", "--no-track", "--create", name, *start, scans=True)
        else:
            await self._git.run(repository, "branch", "--no-track", name, *start)

    async def switch(self, repository: Repository, name: str) -> None:
        """Check a branch out; one that only the remote has is created here. Raises UncommittedChanges, GitFailed."""
        await self.require_name(repository, name)
        there = await self.listed(repository)
        if any(each.name == name and not each.remote for each in there):
            await self._git.run(repository, "switch", "--quiet", "--no-guess", name, scans=True)
            return
        theirs = [each.name for each in there if each.remote and each.name.partition("/")[2] == name]
        if len(theirs) != 1:
            raise GitFailed(f"{repository.name} has no branch {name[:80]!r}", hint=_near(name, there))
        await self._git.run(repository, "switch", "--quiet", "--create", name, "--track", theirs[0], scans=True)

    async def delete(self, repository: Repository, name: str, *, force: bool) -> str:
        """Delete a branch here, not at the remote. Returns the commit that it was at.

        Raises GitFailed for one that is checked out, or not merged unless `force`.
        """
        await self.require_name(repository, name)
        commit = await self._state.commit(repository, f"refs/heads/{name}")
        if await self.current(repository) == name:
            raise GitFailed(f"{name[:80]!r} is checked out", hint="switch to another branch first")
        if not force and not await self.merged(repository, name):
            raise GitFailed(
                f"{name[:80]!r} has commits that are in no other branch",
                hint="merge it first; with force they are lost, and a person is asked",
            )
        await self._git.run(repository, "branch", "--delete", "--force", "--", name)
        return commit

    async def merged(self, repository: Repository, name: str) -> bool:
        """Whether all commits of a branch are in another one, here or at the remote."""
        contained = await self._git.run(
            repository,
            *("for-each-ref", f"--contains=refs/heads/{name}", "--format=%(refname)", "refs/heads", "refs/remotes"),
        )
        return any(line != f"refs/heads/{name}" for line in contained.text.splitlines())

    async def reset(self, repository: Repository, mode: ResetMode, target: str) -> str:
        """Move the branch to a commit. Returns the commit that it was at."""
        commit, before = await self._state.commit(repository, target), await self._state.commit(repository, "HEAD")
        await self._git.run(repository, "reset", "--quiet", f"--{mode}", "--no-recurse-submodules", commit, scans=True)
        return before

    async def rebase(
        self,
        repository: Repository,
        onto: str,
        author: CommitAuthor,
        *,
        keep_conflict: bool = False,
        progress: Progress | None = None,
    ) -> int:
        """Put the commits of this branch on top of another one. Returns how many there are.

        A conflict is undone, or left for a person with `keep_conflict`. Raises GitConflict with the files, and
        UncommittedChanges.
        """
        status = await self._state.status(repository)
        if status.busy:
            raise GitConflict(f"a {status.busy} is under way in {repository.name}", hint="a person has to end it first")
        if status.changed:
            raise UncommittedChanges(
                f"{repository.name} has changes that are not committed", hint="commit or discard them first"
            )
        if not status.branch:
            raise GitFailed("no branch is checked out", hint="switch to one: github_branch")
        target = await self._state.commit(repository, onto)
        count = await self._git.run(repository, "rev-list", "--count", f"{target}..HEAD")
        try:
            await self._git.run(
                repository,
                *("rebase", "--no-autostash", "--no-gpg-sign", "--no-fork-point", "--no-verify", "--merge", target),
                scans=True,
                timeout_s=REBASE_TIMEOUT_S,
                variables={name: value for name, value in author.variables.items() if "COMMITTER" in name},
                progress=progress,
            )
        except GitFailed:
            raise await self._conflict(repository, onto, keep_conflict=keep_conflict) from None
        except BaseException:
            await self._abort(repository)
            raise
        return int(count.text)

    async def _conflict(self, repository: Repository, onto: str, *, keep_conflict: bool) -> GitFailed:
        conflicts = (await self._state.status(repository)).conflicts
        if not conflicts:
            await self._abort(repository)
            return GitFailed(f"the rebase onto {onto[:80]} failed; everything is as it was", hint="github_status")
        named = ", ".join(shown(each, 100) for each in conflicts[:5])
        if keep_conflict:
            return GitConflict(
                f"the rebase onto {onto[:80]} stopped at a conflict in {named}, and waits there",
                hint=f"settle it in {repository.path}, then: git rebase --continue, or git rebase --abort",
            )
        await self._abort(repository)
        return GitConflict(
            f"the rebase onto {onto[:80]} was undone, because of a conflict in {named}; everything is as it was",
            hint="settle it by hand, or leave it in the middle with on_conflict: leave",
        )

    async def _abort(self, repository: Repository) -> None:
        if (repository.git_folder / "rebase-merge").is_dir():
            await self._git.run(repository, "rebase", "--abort", scans=True, accept=(0, 1, 128))

    async def require_name(self, repository: Repository, name: str) -> None:
        """Raises InvalidParameter for what can't be the name of a branch."""
        fits = not name.startswith("-") and len(name) <= 200 and name.isprintable()
        if fits:
            checked = await self._git.run(repository, "check-ref-format", f"refs/heads/{name}", accept=(0, 1))
            fits = checked.code == 0 and name != "HEAD"
        if not fits:
            raise InvalidParameter(f"a branch can't be called {name[:60]!r}", hint="such as feature/new-api")


def _branch(line: str) -> Branch:
    ref, commit, upstream, date, head = [*line.split("\0"), *[""] * 5][:5]
    remote = ref.startswith("refs/remotes/")
    name = ref.removeprefix("refs/remotes/").removeprefix("refs/heads/")
    return Branch(name, commit, upstream, date, head == "*", remote)


def _near(name: str, there: list[Branch]) -> str:
    import difflib  # noqa: PLC0415 -- only for a misspelt name

    near = difflib.get_close_matches(name, [each.name for each in there], n=2, cutoff=0.5)
    return f"did you mean {' or '.join(near)}?" if near else "github_branch lists them"
