"""Files of the code folder: moved into a repository."""

from __future__ import annotations

import asyncio
import difflib
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.developer.shown_text import decoded, shown
from reachy_mind.developer.tools.common import Repo, opened
from reachy_mind.developer.worktree_files import MAX_WRITE_BYTES, FileContent, WorktreeFiles, checked_path
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Caller, Context, Parts

MAX_DIFF_TOLD = 1500
MAX_DIFF_SHOWN = 20_000


class FileExists(MindError):
    """There is another file of this name already."""

    code = "FILE_EXISTS"


@tool(group="developer", tier="autonomous")
async def code_move_to_repo(
    ctx: Context,
    path: Annotated[str, Field(min_length=1, max_length=1000, description="A file of the code folder")],
    repo: Repo = "",
    target: Annotated[
        str, Field(max_length=1000, description="Where to: a file or, with / at its end, a folder; its name if empty")
    ] = "",
    overwrite: Annotated[bool, Field(description="Also in place of another file")] = False,
) -> dict[str, Any]:
    """Move a file of the code folder into a repository."""
    developer, repository = await opened(ctx, repo)
    plain = checked_path(path)
    name = plain.rpartition("/")[2]
    wanted = checked_path(f"{target}{name}" if target.endswith("/") or not target.strip() else target)
    folder = developer.workspace.code_folder
    if folder.is_symlink() or not folder.is_dir():
        raise InvalidParameter(f"there is no code in {folder}", hint="code writes some")
    async with developer.changing(repository):
        files = developer.files(repository)
        diff = await asyncio.to_thread(_moved, WorktreeFiles(folder), plain, files, wanted, overwrite=overwrite)
    return {
        "message": f"I moved {shown(plain)} to {shown(wanted)} in {repository.name}.",
        "repo": repository.name,
        "path": shown(wanted),
        "diff": shown(diff, MAX_DIFF_SHOWN, lines=True),
    }


async def move_overwrites(_parts: Parts, _caller: Caller, arguments: dict[str, Any]) -> str:
    """To put a file in place of another one is to write it."""
    return "github_write_file" if arguments.get("overwrite") else ""


def _moved(source: WorktreeFiles, path: str, files: WorktreeFiles, target: str, *, overwrite: bool) -> str:
    """Write the file, then remove it where it was. Returns the difference."""
    found = source.read(path, MAX_WRITE_BYTES + 1)
    if found.size > MAX_WRITE_BYTES:
        raise InvalidParameter(f"{path[:80]!r} has {found.size >> 20} MB", hint=f"at most {MAX_WRITE_BYTES >> 20}")
    there = files.read(target) if files.exists(target) else None
    diff = _difference(there, found, target)
    if there is not None and not overwrite and there.data != found.data:
        raise FileExists(
            f"{target[:200]} is there already:\n{shown(diff, MAX_DIFF_TOLD, lines=True)}",
            hint="another target, or overwrite: true",
        )
    files.write(target, found.data)
    source.remove(path)
    return diff


def _difference(before: FileContent | None, after: FileContent, path: str) -> str:
    if after.binary or (before is not None and before.binary):
        return f"Binary file {path}"
    old = decoded(before.data).splitlines() if before is not None else []
    lines = difflib.unified_diff(old, decoded(after.data).splitlines(), f"a/{path}", f"b/{path}", lineterm="")
    return "\n".join(lines)


TOOLS: tuple[Tool, ...] = (code_move_to_repo,)
AMOUNTS = {"code_move_to_repo": move_overwrites}
