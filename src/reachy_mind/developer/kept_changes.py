"""Changes of a program's working copy, written back where somebody asked for that.

By the same writer as every file of a repository: never through a link, never into the git folder. Files that were
changed elsewhere meanwhile, and what is no plain file, stay as they are; nothing is deleted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
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


async def keep(
    files: WorktreeFiles, result: ProgramResult, began: float, ignored: Collection[str] = frozenset()
) -> KeptChanges:
    """Write back what a program changed that began at this Unix time."""
    return await asyncio.to_thread(_written, files, result, began, frozenset(ignored))


async def ignored_among(git: GitRunner, repository: Repository, changes: Collection[ProgramChange]) -> frozenset[str]:
    """The new files that the repository ignores, such as what a compiler made."""
    new = [change.path for change in changes if change.kind == "new" and "\0" not in change.path]
    if not new:
        return frozenset()
    asked = "\0".join(new).encode("utf-8", "surrogateescape")
    found = await git.run(repository, "check-ignore", "-z", "--stdin", stdin=asked, accept=(0, 1))
    return frozenset(found.entries)


def told(changes: Collection[ProgramChange]) -> list[dict[str, str]]:
    """Changes as plain values."""
    return [{"path": shown(each.path), "change": each.kind} for each in list(changes)[:MOST_TOLD]]


def _written(files: WorktreeFiles, result: ProgramResult, began: float, ignored: frozenset[str]) -> KeptChanges:
    written: list[str] = []
    left: list[tuple[str, str]] = []
    for change in result.changes:
        if change.path in ignored:
            continue
        try:
            files.write(change.path, _keepable(files, change, began))
            written.append(change.path)
        except (MindError, OSError) as error:
            left.append((change.path, str(error)))
    if result.more_changes:
        left.append(("", "there are more changes than are read back"))
    return KeptChanges(tuple(written), tuple(left))


def _keepable(files: WorktreeFiles, change: ProgramChange, began: float) -> bytes:
    """The content of a change that may be written back. Raises PathRefused, InvalidParameter with the reason."""
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
    return change.content
