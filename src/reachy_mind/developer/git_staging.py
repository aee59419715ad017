"""What goes into the next commit: staging, taking back, discarding, committing."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from reachy_mind.developer.errors import GitConflict, NothingToDo, UnsafeRepository
from reachy_mind.developer.git_runner import CommitAuthor, GitRunner
from reachy_mind.developer.git_state import GitState
from reachy_mind.developer.workspace import Repository
from reachy_mind.errors import InvalidParameter

LARGEST_FILE_BYTES = 50 << 20
"""GitHub warns above this size, and refuses twice as much."""
STAGING_TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Snapshot:
    """What a commit would hold: the tree, and the commit that it comes after (empty for the first)."""

    tree: str
    parent: str


class GitStaging:
    """Changes the index, and files where it says so. `paths` are checked paths below the repository."""

    def __init__(self, git: GitRunner, state: GitState) -> None:
        self._git, self._state = git, state

    async def add(
        self, repository: Repository, paths: Sequence[str], *, index: Mapping[str, str] | None = None
    ) -> None:
        """Stage files, also those that are gone; all without paths. Raises InvalidParameter for one too large."""
        listed = ("ls-files", "-z", "--others", "--modified", "--exclude-per-directory=.gitignore")
        found = await self._git.run(repository, *listed, "--", *paths, variables=index, max_bytes=64 << 20)
        _require_fit(repository.path, found.entries)
        await self._git.run(
            repository,
            *("add", "--all", "--", *(paths or (".",))),
            scans=True,
            timeout_s=STAGING_TIMEOUT_S,
            variables=index,
        )

    async def remove(self, repository: Repository, paths: Sequence[str], *, keep_file: bool, force: bool) -> list[str]:
        """Remove tracked files from the index, and from the folder unless `keep_file`. Returns their names.

        Raises UncommittedChanges where one was changed, unless `force`.
        """
        options = [*(["--cached"] if keep_file else []), *(["--force"] if force else [])]
        found = await self._git.run(repository, "rm", "-r", *options, "--", *paths, scans=True)
        return [line[4:-1] for line in found.text.splitlines() if line.startswith("rm '")]

    async def unstage(self, repository: Repository, paths: Sequence[str]) -> None:
        """Take files out of the next commit; their content stays."""
        if await self._state.has_commits(repository):
            await self._git.run(repository, "restore", "--staged", "--", *(paths or (".",)), scans=True)
        else:
            await self._git.run(repository, "rm", "-r", "--cached", "--quiet", "--", *(paths or (".",)), scans=True)

    async def restore(self, repository: Repository, paths: Sequence[str], source: str = "") -> None:
        """Bring the content of files back, from the index or from a commit. What was changed is lost."""
        given = [f"--source={await self._state.commit(repository, source)}"] if source else []
        await self._git.run(repository, "restore", "--worktree", *given, "--", *(paths or (".",)), scans=True)

    async def delete_untracked(self, repository: Repository, paths: Sequence[str]) -> None:
        """Delete files that git does not know, but for ignored ones and for repositories of their own."""
        await self._git.run(repository, "clean", "--force", "-d", "--quiet", "--", *paths, scans=True)

    async def snapshot(self, repository: Repository, *, everything: bool) -> Snapshot:
        """What a commit would hold now; `everything`: with all changes staged, which stay as they are."""
        parent = (
            (await self._git.run(repository, "rev-parse", "HEAD")).text.strip()
            if await self._state.has_commits(repository)
            else ""
        )
        if not everything:
            return Snapshot((await self._git.run(repository, "write-tree")).text.strip(), parent)
        with TemporaryDirectory(prefix="reachy-index-") as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            with contextlib.suppress(FileNotFoundError):
                # With its time: git looks into files that may have changed after it, in the same second.
                shutil.copy2(repository.git_folder / "index", index["GIT_INDEX_FILE"])
            await self.add(repository, (), index=index)
            return Snapshot((await self._git.run(repository, "write-tree", variables=index)).text.strip(), parent)

    async def empty_tree(self, repository: Repository) -> str:
        """What there is before the first commit."""
        return (await self._git.run(repository, "hash-object", "-t", "tree", "--stdin")).text.strip()

    async def commit(self, repository: Repository, message: str, author: CommitAuthor) -> str:
        """Commit what is staged. Returns the commit's hash. Raises NothingToDo, GitConflict.

        It is put together from its parts: none of git's hooks, templates or signing programs is asked.
        """
        status = await self._state.status(repository)
        if status.busy or status.conflicts:
            raise GitConflict(
                f"a {status.busy or 'merge'} is under way in {repository.name}", hint="a person has to end it first"
            )
        snapshot = await self.snapshot(repository, everything=False)
        before = (
            (await self._git.run(repository, "rev-parse", "HEAD^{tree}")).text.strip()
            if snapshot.parent
            else await self.empty_tree(repository)
        )
        if snapshot.tree == before:
            raise NothingToDo(f"nothing is staged in {repository.name}", hint="github_add stages files")
        parents = ("-p", snapshot.parent) if snapshot.parent else ()
        made = await self._git.run(
            repository,
            *("commit-tree", "--no-gpg-sign", *parents, "-F", "-", snapshot.tree),
            stdin=message.encode(),
            variables=author.variables,
        )
        commit = made.text.strip()
        reason = f"commit: {message.splitlines()[0]}"
        await self._git.run(
            repository,
            *("update-ref", "-m", reason, "HEAD", commit, snapshot.parent or "0" * len(commit)),
            variables=author.variables,
        )
        return commit


def _require_fit(root: Path, names: Sequence[str]) -> None:
    """Raises InvalidParameter for a file too large to commit, UnsafeRepository for a repository inside this one."""
    for name in names:
        if name.endswith("/"):
            raise UnsafeRepository(
                f"{name[:80]!r} is a repository of its own", hint="it can't be part of this one; name the files instead"
            )
        with contextlib.suppress(OSError):
            found = os.lstat(root / name)
            if stat.S_ISREG(found.st_mode) and found.st_size > LARGEST_FILE_BYTES:
                raise InvalidParameter(
                    f"{name[:80]!r} has {found.st_size >> 20} MB, which is too much for a repository",
                    hint="leave it out: name it in .gitignore",
                )
