"""Real repositories for tests: a bare one as the remote, and clones of it, made with plain git."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

IDENTITY = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in {"NAME": "Ada", "EMAIL": "ada@example.org"}.items()
}


def git(folder: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
    """Plain git, as a developer would run it."""
    given = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        **IDENTITY,
        **(environment or {}),
    }
    done = subprocess.run(
        (str(shutil.which("git")), *arguments),
        cwd=folder,
        env=given,
        check=True,
        capture_output=True,
        text=True,
        timeout=20,
    )
    return done.stdout.strip()


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")


def commit(folder: Path, message: str, files: Mapping[str, str] | None = None) -> str:
    """Write files and commit everything. Returns the hash."""
    write(folder, files or {})
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def made(folder: Path, files: Mapping[str, str] | None = None) -> Path:
    """A repository with one commit on the branch main."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "feat: begin", files or {"README.md": "# Hello\n", "src/app/main.py": "def main():\n    return 1\n"})
    return folder


def bare(folder: Path, source: Path) -> Path:
    """A bare copy, as a remote."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    git(source, "clone", "--quiet", "--bare", str(source), str(folder))
    return folder
