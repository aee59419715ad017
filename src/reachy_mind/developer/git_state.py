"""What a repository looks like: its status, its differences and its history."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reachy_mind.developer.errors import GitFailed
from reachy_mind.developer.git_runner import GitRunner
from reachy_mind.developer.shown_text import decoded, shown
from reachy_mind.developer.workspace import Repository
from reachy_mind.developer.worktree_files import MAX_READ_BYTES, FileContent
from reachy_mind.errors import InvalidParameter

STATUS_TIMEOUT_S = 60.0
REVISION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._/@{}^~+-]{0,199}")
_KINDS = {"M": "modified", "A": "added", "D": "deleted", "R": "renamed", "C": "copied", "T": "changed its type"}
_NAMES_OF_STATES = ("rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG")
_FIELDS = "%H%x1f%an%x1f%ae%x1f%aI%x1f%D%x1f%s"

Which = Literal["unstaged", "staged", "all"]


@dataclass(frozen=True)
class FileChange:
    """A changed file; `before`: its old name where it was renamed."""

    path: str
    kind: str
    before: str = ""

    def as_dict(self) -> dict[str, str]:
        found = {"path": shown(self.path), "change": self.kind}
        return found | ({"before": shown(self.before)} if self.before else {})


@dataclass(frozen=True)
class WorktreeStatus:
    """The branch, how it stands to the one it follows, and what is changed. `busy`: what was begun and not ended."""

    branch: str
    commit: str = ""
    upstream: str = ""
    ahead: int = 0
    behind: int = 0
    staged: tuple[FileChange, ...] = ()
    unstaged: tuple[FileChange, ...] = ()
    untracked: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    busy: str = ""
    cut: bool = False

    @property
    def clean(self) -> bool:
        return not (self.staged or self.unstaged or self.untracked or self.conflicts)

    @property
    def changed(self) -> bool:
        """Whether a tracked file is not as it was committed."""
        return bool(self.staged or self.unstaged or self.conflicts)


@dataclass(frozen=True)
class DiffText:
    """A difference: every file with the lines that came and went, and the text of it; `cut`: there is more."""

    files: tuple[FileDiff, ...]
    text: str
    cut: bool = False


@dataclass(frozen=True)
class FileDiff:
    """How many lines of a file came and went; None for a binary one."""

    path: str
    added: int | None
    removed: int | None
    before: str = ""

    def as_dict(self) -> dict[str, str | int | None]:
        found: dict[str, str | int | None] = {"path": shown(self.path), "added": self.added, "removed": self.removed}
        return found | ({"before": shown(self.before)} if self.before else {})


@dataclass(frozen=True)
class LogEntry:
    """A commit."""

    commit: str
    author: str
    email: str
    date: str
    subject: str
    refs: str = ""

    def as_dict(self) -> dict[str, str]:
        return {
            "commit": self.commit[:12],
            "author": shown(self.author, 200),
            "email": shown(self.email, 200),
            "date": self.date,
            "subject": shown(self.subject, 300),
        } | ({"refs": shown(self.refs, 300)} if self.refs else {})


@dataclass(frozen=True)
class LogFilter:
    """Which commits: of a branch, an author, a time (as git reads it: 2026-11-01, "2 weeks ago"), a file; `skip` of
    them are left out."""

    branch: str = ""
    author: str = ""
    since: str = ""
    until: str = ""
    path: str = ""
    most: int = 20
    skip: int = 0


class GitState:
    """Looks at repositories; changes nothing."""

    def __init__(self, git: GitRunner) -> None:
        self._git = git

    async def status(self, repository: Repository, *, most_bytes: int = 8 << 20) -> WorktreeStatus:
        """Branch and changes. Raises GitFailed, UnsafeRepository."""
        result = await self._git.run(
            repository,
            *("status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal", "--ignore-submodules=all"),
            scans=True,
            may_cut=True,
            max_bytes=most_bytes,
            timeout_s=STATUS_TIMEOUT_S,
        )
        reader = _StatusReader()
        reader.read(result.entries[:-1] if result.cut else result.entries)
        busy = next((name for name in _NAMES_OF_STATES if (repository.git_folder / name).exists()), "")
        return reader.status(_busy(busy), cut=result.cut)

    async def diff(
        self,
        repository: Repository,
        *,
        which: Which = "unstaged",
        base: str = "",
        target: str = "",
        paths: Sequence[str] = (),
        max_bytes: int = 200_000,
    ) -> DiffText:
        """The difference of the working tree, of what is staged, or between two commits. Raises GitFailed."""
        selected = await self._selected(repository, which, base, target)
        common = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all", "--no-relative")
        about, text = await asyncio.gather(
            self._git.run(repository, *common, "--numstat", "-z", *selected, "--", *paths, scans=True, may_cut=True),
            self._git.run(
                repository, *common, "--patch", *selected, "--", *paths, scans=True, may_cut=True, max_bytes=max_bytes
            ),
        )
        files = _numstat(about.text)
        return DiffText(files, shown(decoded(text.output), max_bytes, lines=True), text.cut or about.cut)

    async def _selected(self, repository: Repository, which: Which, base: str, target: str) -> tuple[str, ...]:
        if not base and target:
            raise InvalidParameter("target needs base", hint="give both, or only base")
        if base:
            ends = [await self.tree(repository, name) for name in (base, target) if name]
            return (*(("--cached",) if which == "staged" and not target else ()), *ends)
        if which == "all":
            return ("HEAD",) if await self.has_commits(repository) else ("--cached",)
        return ("--cached",) if which == "staged" else ()

    async def log(self, repository: Repository, wanted: LogFilter) -> list[LogEntry]:
        """Commits, the newest first. Raises GitFailed."""
        if not wanted.branch and not await self.has_commits(repository):
            return []
        start = await self.commit(repository, wanted.branch) if wanted.branch else "HEAD"
        filters = [f"--max-count={wanted.most}", "--no-show-signature", "--no-notes", "--no-color", "--no-ext-diff"]
        filters += ["--fixed-strings", "--regexp-ignore-case", f"--author={wanted.author}"] if wanted.author else []
        filters += [f"--since={wanted.since}"] if wanted.since else []
        filters += [f"--until={wanted.until}"] if wanted.until else []
        filters += [f"--skip={wanted.skip}"] if wanted.skip else []
        paths = (wanted.path,) if wanted.path else ()
        result = await self._git.run(repository, "log", "-z", f"--format={_FIELDS}", *filters, start, "--", *paths)
        return [_log_entry(entry) for entry in result.entries]

    async def commit(self, repository: Repository, name: str) -> str:
        """The full hash of a commit by its hash or by the name of a branch or tag. Raises GitFailed for none."""
        return await self._hash(repository, name, "commit")

    async def tree(self, repository: Repository, name: str) -> str:
        """The hash of the tree of a commit, or of a tree by its hash. Raises GitFailed for none."""
        return await self._hash(repository, name, "tree")

    async def empty_tree(self, repository: Repository) -> str:
        """The hash of a tree without files."""
        return (await self._git.run(repository, "hash-object", "-t", "tree", "--stdin")).text.strip()

    async def _hash(self, repository: Repository, name: str, kind: str) -> str:
        if not REVISION.fullmatch(name) or ".." in name:
            raise InvalidParameter(f"{name[:60]!r} names no commit", hint="a branch, a tag or a hash")
        result = await self._git.run(
            repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{{kind}}}", accept=(0, 1, 128)
        )
        if result.code:
            raise GitFailed(
                f"{repository.name} has no branch or commit {name[:60]!r}",
                hint="github_branch and github_log list them",
            )
        return result.text.strip()

    async def blob(self, repository: Repository, name: str, path: str, max_bytes: int = MAX_READ_BYTES) -> FileContent:
        """A file as it was at a commit. Raises GitFailed, InvalidParameter."""
        commit = await self.commit(repository, name)
        found = await self._git.run(
            repository, "ls-tree", "--long", "-z", "--full-tree", commit, "--", path, may_cut=True, max_bytes=1 << 16
        )
        about, _, listed = (found.entries or [""])[0].partition("\t")
        mode, kind, blob, size = [*about.split(), "", "", "", ""][:4]
        if listed != path or kind != "blob" or mode == "120000":
            raise InvalidParameter(f"there is no file {path[:80]!r} at {name[:60]!r}", hint="github_list_files")
        content = await self._git.run(repository, "cat-file", "blob", blob, may_cut=True, max_bytes=max_bytes)
        return FileContent(content.output, int(size))

    async def has_commits(self, repository: Repository) -> bool:
        result = await self._git.run(repository, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", accept=(0, 1))
        return result.code == 0

    async def files(self, repository: Repository, paths: Sequence[str] = ()) -> list[str]:
        """Every file that is tracked, or new and not ignored, in order; below these paths."""
        listed = ("ls-files", "-z", "--cached", "--others", "--exclude-per-directory=.gitignore", "--deduplicate")
        result = await self._git.run(repository, *listed, "--", *paths, may_cut=True, max_bytes=64 << 20)
        return await asyncio.to_thread(lambda: result.entries)  # there may be very many

    async def search(
        self, repository: Repository, words: str, *, paths: Sequence[str] = (), most: int = 100
    ) -> list[tuple[str, int, str]]:
        """Lines of tracked text files with these words: path, number of the line, the line."""
        given = (
            "grep",
            "-z",
            "-n",
            "-I",
            "-i",
            "--no-color",
            "--no-textconv",
            "--fixed-strings",
            "--no-recurse-submodules",
        )
        result = await self._git.run(
            repository,
            *given,
            f"--max-count={most}",
            "-e",
            words,
            "--",
            *paths,
            accept=(0, 1),
            may_cut=True,
            max_bytes=most * 2000,
        )
        found = []
        for line in result.output.split(b"\n")[: -1 if result.cut else None]:
            path, number, text = [*line.split(b"\0", 2), b"", b""][:3]
            if number.isdigit():
                found.append((shown(decoded(path)), int(number), shown(decoded(text), 300)))
        return found[:most]


class _StatusReader:
    def __init__(self) -> None:
        self._about: dict[str, str] = {}
        self._staged: list[FileChange] = []
        self._unstaged: list[FileChange] = []
        self._untracked: list[str] = []
        self._conflicts: list[str] = []

    def read(self, entries: list[str]) -> None:
        waiting = iter(entries)
        for entry in waiting:
            match entry[:2]:
                case "# ":
                    key, _, value = entry[2:].partition(" ")
                    self._about[key] = value
                case "1 ":
                    states, *_, path = entry[2:].split(" ", 7)
                    self._add(states, path)
                case "2 ":
                    states, *_, path = entry[2:].split(" ", 8)
                    self._add(states, path, next(waiting, ""))
                case "u ":
                    self._conflicts.append(entry.split(" ", 10)[-1])
                case "? ":
                    self._untracked.append(entry[2:])

    def _add(self, states: str, path: str, before: str = "") -> None:
        if states[0] != ".":
            self._staged.append(FileChange(path, _KINDS.get(states[0], states[0]), before))
        if states[1] != ".":
            self._unstaged.append(FileChange(path, _KINDS.get(states[1], states[1])))

    def status(self, busy: str, *, cut: bool) -> WorktreeStatus:
        ahead, _, behind = self._about.get("branch.ab", "+0 -0").partition(" ")
        branch, commit = self._about.get("branch.head", ""), self._about.get("branch.oid", "")
        return WorktreeStatus(
            "" if branch == "(detached)" else branch,
            "" if commit == "(initial)" else commit,
            self._about.get("branch.upstream", ""),
            abs(int(ahead)),
            abs(int(behind)),
            tuple(self._staged),
            tuple(self._unstaged),
            tuple(self._untracked),
            tuple(self._conflicts),
            busy,
            cut,
        )


def _busy(name: str) -> str:
    return name.partition("-")[0].partition("_")[0].casefold()


def _numstat(text: str) -> tuple[FileDiff, ...]:
    found, waiting = [], iter(text.split("\0"))
    for entry in waiting:
        added, _, rest = entry.partition("\t")
        removed, _, path = rest.partition("\t")
        before = ""
        if not rest:
            continue
        if not path:  # renamed: the old and the new name follow
            before, path = next(waiting, ""), next(waiting, "")
        found.append(FileDiff(path, _number(added), _number(removed), before))
    return tuple(found)


def _number(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def _log_entry(text: str) -> LogEntry:
    commit, author, email, date, refs, subject = [*text.split("\x1f", 5), *[""] * 6][:6]
    return LogEntry(commit, author, email, date, subject, refs)
