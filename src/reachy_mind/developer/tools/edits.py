"""`github_edit_file`: a change of one file by an instruction in words, shown as a difference."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.developer import file_edits
from reachy_mind.developer.errors import GitFailed
from reachy_mind.developer.required_model import TIMEOUT_S
from reachy_mind.developer.service import Developer
from reachy_mind.developer.shown_text import shown
from reachy_mind.developer.tools.common import MAX_QUESTION_CHARS, Path, Repo, counted, opened
from reachy_mind.developer.tools.files import MAX_SHOWN_CHARS, by_name
from reachy_mind.developer.worktree_files import checked_path
from reachy_mind.tools.definition import Question, Tool, tool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reachy_mind.developer.file_edits import FileEdit
    from reachy_mind.developer.workspace import Repository
    from reachy_mind.tools.context import Context

NAME = "github_edit_file"


@tool(group="github", tier="notify", timeout_s=TIMEOUT_S + 60, background=True)
async def github_edit_file(
    ctx: Context,
    path: Path,
    instruction: Annotated[str, Field(min_length=3, max_length=2000, description="What to change in it, in words")],
    repo: Repo = "",
    model_file: Annotated[
        str, Field(max_length=1000, description="Another file of the repository, whose style the change keeps to")
    ] = "",
) -> dict[str, Any]:
    """Change a file of a repository as an instruction says, or write a new one; the result shows the difference."""
    developer, repository = await opened(ctx, repo)
    asked = {"path": path, "instruction": instruction, "repo": repo, "model_file": model_file}
    edit = developer.take_edit(NAME, asked) or await _proposed(developer, repository, asked, ctx.progress)
    async with developer.changing(repository):
        files = developer.files(repository)
        now = await asyncio.to_thread(file_edits.current, files, edit.path)
        if edit.repository != repository.name or now != edit.before:
            raise GitFailed(
                f"{shown(edit.path, 200)} has changed meanwhile, and was left as it is", hint="ask for the edit again"
            )
        new = await asyncio.to_thread(files.write, edit.path, edit.after)
    added, removed = _lines(edit.diff)
    return {
        "message": f"I {'created' if new else 'changed'} {shown(edit.path, 200)} in {repository.name}:"
        f" {counted(added, 'line')} added and {removed} removed.",
        "repo": repository.name,
        "path": shown(edit.path),
        "new": new,
        "added": added,
        "removed": removed,
        "diff": shown(edit.diff, MAX_SHOWN_CHARS, lines=True),
        "model": edit.author,
    }


async def _proposed(
    developer: Developer,
    repository: Repository,
    asked: Mapping[str, str],
    progress: Callable[[float, str], None] = lambda *_: None,
) -> FileEdit:
    files = developer.files(repository)
    path, model_path = checked_path(asked["path"]), ""
    if not await asyncio.to_thread(files.exists, path) and "/" not in path:
        path = await by_name(developer, repository, path)
    if asked["model_file"].strip():
        model_path = checked_path(asked["model_file"])
    return await developer.editor.propose(files, repository.name, path, asked["instruction"], model_path, progress)


def _lines(diff: str) -> tuple[int, int]:
    """How many lines a difference adds and removes."""
    changes = diff.splitlines()[2:]
    added, removed = (sum(line.startswith(sign) for line in changes) for sign in "+-")
    return added, removed


def questions(developer: Developer) -> dict[str, Question]:
    """What a person is asked, where a rule wants that: the edit is computed for the question, and is then written."""

    async def edit(arguments: dict[str, Any]) -> str:
        repository = await developer.repository(arguments["repo"])
        proposed = await _proposed(developer, repository, arguments)
        developer.keep_edit(NAME, arguments, proposed)
        where = f"{shown(proposed.path, 200)} in {repository.name}"
        return f"Change {where}:\n{shown(proposed.diff, MAX_QUESTION_CHARS, lines=True)}"

    return {NAME: edit}


TOOLS: tuple[Tool, ...] = (github_edit_file,)
