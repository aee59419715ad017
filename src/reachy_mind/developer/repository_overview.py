"""What there is to see of a repository at a glance: its branch and how much is changed, and each file that is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from reachy_mind.developer.errors import GitFailed
from reachy_mind.developer.git_state import DiffText, FileDiff
from reachy_mind.developer.shown_text import decoded, shown
from reachy_mind.developer.worktree_files import checked_path
from reachy_mind.errors import MindError

if TYPE_CHECKING:
    from reachy_mind.developer.git_state import GitState, WorktreeStatus
    from reachy_mind.developer.service import Developer
    from reachy_mind.developer.workspace import Repository

OVERVIEW_TIMEOUT_S = 15.0
"""For one of many: the others do not wait longer for it."""
MOST_STATUS_BYTES = 1 << 20
ChangeState = Literal["conflict", "staged", "modified", "untracked"]


@dataclass(frozen=True)
class RepositoryOverview:
    """A repository in a list. `cut`: more is changed than was counted; `problem`: why nothing can be told of it."""

    name: str
    branch: str = ""
    upstream: str = ""
    ahead: int = 0
    behind: int = 0
    changed: int = 0
    cut: bool = False
    in_progress: str = ""
    problem: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class ChangedFile:
    """A file that is not as it was committed; one that is staged and changed again is there twice.

    `addressable`: whether what is shown of its path leads to it.
    """

    path: str
    state: ChangeState
    change: str
    before: str = ""

    @property
    def addressable(self) -> bool:
        try:
            return all(checked_path(path) == path == shown(path) for path in (self.path, self.before) if path)
        except MindError:
            return False

    def as_dict(self) -> dict[str, str | bool]:
        return {
            "path": shown(self.path),
            "state": self.state,
            "change": self.change,
            "before": shown(self.before),
            "addressable": self.addressable,
        }


async def overview_of(developer: Developer, repository: Repository) -> RepositoryOverview:
    """One that can't be read is told with the reason."""
    try:
        async with asyncio.timeout(OVERVIEW_TIMEOUT_S):
            status = await developer.state.status(repository, most_bytes=MOST_STATUS_BYTES)
    except TimeoutError:
        return RepositoryOverview(repository.name, problem=f"git took longer than {OVERVIEW_TIMEOUT_S:g} s")
    except MindError as error:
        return RepositoryOverview(repository.name, problem=error.message)
    return RepositoryOverview(
        repository.name,
        shown(status.branch, 200),
        shown(status.upstream, 200),
        status.ahead,
        status.behind,
        len({each.path for each in changed_files(status)}),
        status.cut,
        status.busy,
    )


def changed_files(status: WorktreeStatus) -> Iterator[ChangedFile]:
    """Conflicts first, then what is staged, changed, new."""
    for path in status.conflicts:
        yield ChangedFile(path, "conflict", "in conflict")
    for change in status.staged:
        yield ChangedFile(change.path, "staged", change.kind, change.before)
    for change in status.unstaged:
        yield ChangedFile(change.path, "modified", change.kind, change.before)
    for path in status.untracked:
        yield ChangedFile(path, "untracked", "new folder" if path.endswith("/") else "new")


async def base_of(state: GitState, repository: Repository, commit: str) -> str:
    """What a commit is compared with: its first parent, or nothing for the first of all. Raises GitFailed."""
    known = await state.commit(repository, commit)
    try:
        return await state.commit(repository, f"{known}^")
    except GitFailed:
        return await state.empty_tree(repository)


def new_file(path: str, data: bytes, size: int, max_chars: int) -> DiffText:
    """A file that git does not know yet, as a difference in which every line came."""
    if b"\0" in data[:8000]:
        return DiffText((FileDiff(path, None, None),), "", cut=False)
    lines = shown(decoded(data), max_chars, lines=True).removesuffix("\n").split("\n") if data else []
    head = f"@@ -0,0 +1,{len(lines)} @@\n" if lines else ""
    text = head + "".join(f"+{line}\n" for line in lines)
    cut = size > len(data) or len(data) > max_chars
    return DiffText((FileDiff(path, len(lines), 0),), text, cut)
