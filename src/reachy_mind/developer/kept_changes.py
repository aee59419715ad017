"""Changes of a program's working copy, written back where somebody asked for that.

By the same writer as every file of a repository: never through a link, never into the git folder. Files that were
changed elsewhere meanwhile, and what is no plain file, stay as they are; nothing is deleted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

from reachy_mind.developer.errors import PathRefused
from reachy_mind.developer.git_runner import GitRunner
from reachy_mind.developer.program_result import ProgramChange, ProgramResult
from reachy_mind.developer.shown_text import shown
from reachy_mind.developer.workspace import Repository
from reachy_mind.developer.worktree_files import WorktreeFiles, checked_path
from reachy_mind.errors import InvalidParameter, MindError

MOST_TOLD = 100


@dataclass(frozen=True)
class KeptChanges:
    """The files that were written, and those that were not, each with the reason."""

    written: tuple[str, ...] = ()
    left: tuple[tuple[str, str], ...] = ()

    def as_dict(self) -> dict[str, object]:
        return {
            "kept": [shown(path) for path in self.written[:MOST_TOLD]],
            "not_kept": [{"path": shown(path), "why": why} for path, why in self.left[:MOST_TOLD]],
        }


Ignored = Callable[[Collection[str]], Awaitable[frozenset[str]]]
"""Which of these new files are not wanted."""


async def keep(
    files: WorktreeFiles, result: ProgramResult, began: float, ignored: Ignored | None = None
) -> KeptChanges:
    """Write back what a program changed that began at this Unix time."""
    keepable, left = await asyncio.to_thread(_sorted, files, result, began)
    new = [change.path for change in keepable if change.kind == "new"]
    dropped = await ignored(new) if ignored is not None and new else frozenset()
    wanted = [change for change in keepable if change.path not in dropped]
    return await asyncio.to_thread(_written, files, wanted, left)


def ignored_by(git: GitRunner, repository: Repository) -> Ignored:
    """The new files that a repository ignores, such as what a compiler made."""

    async def ignored(new: Collection[str]) -> frozenset[str]:
        asked = "\0".join(f"./{path}" for path in new).encode("utf-8", "surrogateescape")
        plain = {"GIT_LITERAL_PATHSPECS": "0"}  # it does not know them, and takes what begins with ./ as it is
        found = await git.run(repository, "check-ignore", "-z", "--stdin", stdin=asked, accept=(0, 1), variables=plain)
        return frozenset(path.removeprefix("./") for path in found.entries)

    return ignored


def told(changes: Collection[ProgramChange]) -> list[dict[str, str]]:
    """Changes as plain values."""
    return [{"path": shown(each.path), "change": each.kind} for each in list(changes)[:MOST_TOLD]]


def _sorted(
    files: WorktreeFiles, result: ProgramResult, began: float
) -> tuple[list[ProgramChange], list[tuple[str, str]]]:
    """The changes that may be written back, and the others with the reason."""
    keepable: list[ProgramChange] = []
    left: list[tuple[str, str]] = []
    for change in result.changes:
        try:
            _require_keepable(files, change, began)
            keepable.append(change)
        except (MindError, OSError) as error:
            left.append((change.path, str(error)))
    if result.more_changes:
        left.append(("", "there are more changes than are read back"))
    return keepable, left


def _written(files: WorktreeFiles, wanted: list[ProgramChange], left: list[tuple[str, str]]) -> KeptChanges:
    written: list[str] = []
    for change in wanted:
        try:
            files.write(change.path, change.content or b"")
            written.append(change.path)
        except (MindError, OSError) as error:
            left.append((change.path, str(error)))
    return KeptChanges(tuple(written), tuple(left))


def _require_keepable(files: WorktreeFiles, change: ProgramChange, began: float) -> None:
    """Raises PathRefused, InvalidParameter with the reason."""
    if change.kind == "deleted":
        raise PathRefused("files are not deleted", hint="github_rm does that")
    if change.kind not in ("new", "changed"):
        raise PathRefused("it is no plain file")
    if change.content is None:
        raise InvalidParameter("it is too large")
    if checked_path(change.path) != change.path:
        raise PathRefused("it is no plain path")
    changed_at = files.changed_at(change.path)
    if changed_at is not None and (changed_at > began or change.kind == "new"):
        raise PathRefused("it was changed meanwhile")
