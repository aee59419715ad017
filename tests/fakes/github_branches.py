"""Where the fake GitHub has its branches: in memory, or in a bare repository on disk that git can clone and push."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

METHODS = ("merge", "squash", "rebase")
_ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "GitHub",
    "GIT_AUTHOR_EMAIL": "noreply@github.example",
    "GIT_COMMITTER_NAME": "GitHub",
    "GIT_COMMITTER_EMAIL": "noreply@github.example",
    "LC_ALL": "C",
}


class Branches(Protocol):
    """Branches and what a merge does to them."""

    def heads(self) -> Mapping[str, str]:
        """The commit of every branch."""

    def ahead(self, base: str, head: str) -> int:
        """How many commits of a branch another lacks."""

    def conflicts(self, base: str, head: str) -> bool: ...

    def merge(self, base: str, head: str, method: str, message: str) -> str:
        """Merge a branch into another. Returns the new commit of the base."""

    def file(self, commit: str, path: str) -> str | None:
        """A file of a commit, for a check that looks into it."""


@dataclass
class MemoryBranches:
    """Branches without content: a commit is a list of words, the name of each its hash."""

    commits: dict[str, list[str]] = field(default_factory=lambda: {"main": ["first"]})
    conflicting: set[str] = field(default_factory=set)
    files: dict[tuple[str, str], str] = field(default_factory=dict)

    def commit(self, branch: str, word: str, *, start: str = "main") -> str:
        """Add a commit to a branch, which begins at another one when it is new."""
        self.commits.setdefault(branch, list(self.commits[start])).append(word)
        return self.heads()[branch]

    def heads(self) -> Mapping[str, str]:
        return {name: hashlib.sha1(repr(words).encode()).hexdigest() for name, words in self.commits.items()}  # noqa: S324 -- as git names commits

    def ahead(self, base: str, head: str) -> int:
        return len([word for word in self.commits[head] if word not in self.commits[base]])

    def conflicts(self, base: str, head: str) -> bool:
        return bool({base, head} & self.conflicting)

    def merge(self, base: str, head: str, method: str, message: str) -> str:
        new = [word for word in self.commits[head] if word not in self.commits[base]]
        self.commits[base] += [message] if method == "squash" else [*new, message] if method == "merge" else new
        return self.heads()[base]

    def file(self, commit: str, path: str) -> str | None:
        return self.files.get((commit, path))


@dataclass(frozen=True)
class BareRepository:
    """A bare repository on disk."""

    path: Path

    @classmethod
    def create(cls, path: Path, branch: str = "main") -> BareRepository:
        """A new one, with one commit that has a README."""
        path.mkdir(parents=True)
        found = cls(path)
        found.git("init", "--bare", "--quiet", f"--initial-branch={branch}")
        blob = found.git("hash-object", "-w", "--stdin", text="A repository.\n")
        tree = found.git("mktree", text=f"100644 blob {blob}\tREADME.md\n")
        commit = found.git("commit-tree", tree, "-m", "first")
        found.git("update-ref", f"refs/heads/{branch}", commit)
        return found

    def git(self, *arguments: str, text: str = "", folder: Path | None = None) -> str:
        done = subprocess.run(
            ["git", "--git-dir", str(folder or self.path), *arguments],  # noqa: S607
            input=text,
            capture_output=True,
            text=True,
            check=False,
            env=_ENVIRONMENT,
        )
        if done.returncode != 0:
            raise GitRefused(done.stderr.strip() or done.stdout.strip())
        return done.stdout.strip()

    def heads(self) -> Mapping[str, str]:
        lines = self.git("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads").splitlines()
        return dict(line.rsplit(" ", 1) for line in lines)

    def ahead(self, base: str, head: str) -> int:
        return int(self.git("rev-list", "--count", f"{base}..{head}"))

    def conflicts(self, base: str, head: str) -> bool:
        try:
            self.git("merge-tree", "--write-tree", base, head)
        except GitRefused:
            return True
        return False

    def merge(self, base: str, head: str, method: str, message: str) -> str:
        at, other = self.heads()[base], self.heads()[head]
        if method == "rebase":
            new = self._rebased(at, other)
        else:
            tree = self.git("merge-tree", "--write-tree", at, other)
            parents = ["-p", at] if method == "squash" else ["-p", at, "-p", other]
            new = self.git("commit-tree", tree, *parents, "-m", message)
        self.git("update-ref", f"refs/heads/{base}", new, at)
        return new

    def _rebased(self, at: str, other: str) -> str:
        """The last commit, after each commit of `other` was made again on top of `at`."""
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "tree"
            self.git("worktree", "add", "--quiet", "--detach", str(place), other)
            try:
                self.git("-C", str(place), "rebase", "--quiet", at, folder=place / ".git")
                return self.git("-C", str(place), "rev-parse", "HEAD", folder=place / ".git")
            finally:
                self.git("worktree", "remove", "--force", str(place))

    def file(self, commit: str, path: str) -> str | None:
        try:
            return self.git("show", f"{commit}:{path}")
        except GitRefused:
            return None


class GitRefused(Exception):
    """git ended with an error."""
