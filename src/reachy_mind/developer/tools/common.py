"""Parameters and answers that the tools of repositories have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from reachy_mind.developer.service import Developer, developer_of
from reachy_mind.developer.shown_text import shown
from reachy_mind.developer.worktree_files import checked_path

if TYPE_CHECKING:
    from reachy_mind.developer.git_state import DiffText
    from reachy_mind.developer.workspace import Repository
    from reachy_mind.tools.context import Context

MAX_QUESTION_CHARS = 3000

Repo = Annotated[
    str,
    Field(max_length=200, description="Which cloned repository, by name or OWNER/NAME; the last one used if empty"),
]
Path = Annotated[str, Field(min_length=1, max_length=1000, description="A file below the repository, as src/main.py")]
Paths = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=1000)]],
    Field(max_length=500, description="Files or folders below the repository"),
]


async def opened(ctx: Context, repo: str) -> tuple[Developer, Repository]:
    """The developer's parts and a repository. Raises UnknownRepository, UnsafeRepository, NotReady."""
    developer = developer_of(ctx)
    return developer, await developer.repository(repo, ctx.caller.conversation)


def checked_paths(paths: Sequence[str]) -> list[str]:
    """Paths in their plain form; one for the whole repository is `.`. Raises PathRefused, InvalidParameter."""
    return [checked_path(path, folder=True) or "." for path in paths]


def counted(number: int, what: str, plural: str = "") -> str:
    """`1 file`, `2 files`."""
    return f"{number} {what if number == 1 else plural or what + 's'}"


def listed(names: Iterable[str], most: int = 3) -> str:
    """Some names to say: "a, b and 4 more"."""
    found = [shown(name, 100) for name in names]
    if len(found) > most:
        return f"{', '.join(found[:most])} and {len(found) - most} more"
    return " and ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)


def totals(diff: DiffText) -> str:
    """`3 files, 10 lines added and 2 removed`."""
    added, removed = (sum(getattr(each, side) or 0 for each in diff.files) for side in ("added", "removed"))
    return f"{counted(len(diff.files), 'file')}, {counted(added, 'line')} added and {removed} removed"
