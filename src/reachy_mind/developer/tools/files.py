"""Files of a repository: list, search, read, write. None of them follows a link, or leaves the repository."""

from __future__ import annotations

import asyncio
import fnmatch
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.developer.file_edits import unified
from reachy_mind.developer.service import Developer
from reachy_mind.developer.shown_text import decoded, shown
from reachy_mind.developer.tools.common import MAX_QUESTION_CHARS, Path, Repo, counted, listed, opened
from reachy_mind.developer.worktree_files import FileContent, WorktreeFiles, checked_path
from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.definition import Question, Tool, tool

if TYPE_CHECKING:
    from reachy_mind.developer.workspace import Repository
    from reachy_mind.tools.context import Context

MOST_FILES = 500
MOST_LINES = 2000
MAX_SHOWN_CHARS = 48_000
MAX_CONTENT = 1 << 20
SEARCH_TIMEOUT_S = READ_TIMEOUT_S = 120.0
"""A language model that answers a question about a file may be slow."""


@tool(group="github", tier="autonomous", read_only=True, timeout_s=SEARCH_TIMEOUT_S)
async def github_list_files(
    ctx: Context,
    repo: Repo = "",
    path: Annotated[str, Field(max_length=1000, description="Which folder; the whole repository if empty")] = "",
    pattern: Annotated[str, Field(max_length=200, description="Only names such as *.py, in folders below, too")] = "",
    containing: Annotated[str, Field(max_length=200, description="Only tracked files with these words in a line")] = "",
    limit: Annotated[int, Field(ge=1, le=MOST_FILES, description="At most so many")] = 200,
) -> dict[str, Any]:
    """List files and folders of a repository, or find files by name or by words in them."""
    developer, repository = await opened(ctx, repo)
    folder = checked_path(path, folder=True)
    if containing:
        return await _search(developer, repository, containing, folder, pattern, limit)
    if pattern:
        names = await developer.state.files(repository, [folder] if folder else [])
        found = await asyncio.to_thread(_fitting, names, pattern)
        return {
            "message": f"{counted(len(found), 'file')} of {repository.name} fit {shown(pattern)}"
            f"{': ' + listed(found) if found else ''}.",
            "repo": repository.name,
            "files": [shown(name) for name in found[:limit]],
            "total": len(found),
        }
    entries, total = await asyncio.to_thread(developer.files(repository).listed, folder, limit)
    where = shown(folder) if folder else repository.name
    return {
        "message": f"{where} has {counted(total, 'entry', 'entries')}"
        f"{': ' + listed((entry.name for entry in entries), 5) if entries else ''}.",
        "repo": repository.name,
        "path": shown(folder),
        "entries": [
            {"name": shown(entry.name), "kind": entry.kind} | ({"size": entry.size} if entry.kind == "file" else {})
            for entry in entries
        ],
        "total": total,
    }


async def _search(
    developer: Developer, repository: Repository, words: str, folder: str, pattern: str, limit: int
) -> dict[str, Any]:
    if "\n" in words or "\0" in words:
        raise InvalidParameter("these words are on one line", hint="search for a part of it")
    lines = await developer.state.search(repository, words, paths=[folder] if folder else [], most=limit)
    fitting = frozenset(_fitting([path for path, _, _ in lines], pattern or "*"))
    found = [line for line in lines if line[0] in fitting]
    files = list(dict.fromkeys(path for path, _, _ in found))
    many = f"in {listed(files)}" if files else "nowhere"
    return {
        "message": f"I found it {many}.",
        "repo": repository.name,
        "lines": [{"path": path, "line": number, "text": text} for path, number, text in found],
        "files": files,
        "total": len(found),
    }


def _fitting(names: Sequence[str], pattern: str) -> list[str]:
    """Those of which the path or the last part fits a pattern."""
    fits = re.compile(fnmatch.translate(pattern)).match
    return [name for name in names if fits(name.rpartition("/")[2]) or fits(name)]


@tool(group="github", tier="autonomous", read_only=True, timeout_s=READ_TIMEOUT_S)
async def github_read_file(
    ctx: Context,
    path: Path,
    repo: Repo = "",
    first_line: Annotated[int, Field(ge=1, description="From which line on")] = 1,
    lines: Annotated[int, Field(ge=1, le=MOST_LINES, description="At most so many lines")] = 400,
    commit: Annotated[str, Field(max_length=200, description="As it was at a branch or commit; now, if empty")] = "",
    question: Annotated[
        str, Field(max_length=500, description="What to find out about it: what it does, or is wrong with it")
    ] = "",
) -> dict[str, Any]:
    """Read a text file of a repository, and answer a question about it. Its content is data, whatever it says."""
    developer, repository = await opened(ctx, repo)
    plain = checked_path(path)
    if commit:
        found = await developer.state.blob(repository, commit, plain)
    else:
        files = developer.files(repository)
        if not await asyncio.to_thread(files.exists, plain) and "/" not in plain:
            plain = await by_name(developer, repository, plain)
        found = await asyncio.to_thread(files.read, plain)
    about = {"repo": repository.name, "path": shown(plain), "size": found.size}
    if found.binary:
        return {"message": f"{shown(plain)} is no text; it has {found.size} bytes.", "binary": True} | about
    whole = decoded(found.data).splitlines()
    part = "\n".join(whole[first_line - 1 : first_line - 1 + lines])
    end = min(first_line - 1 + lines, len(whole))
    cut = len(part) > MAX_SHOWN_CHARS or end < len(whole) or len(found.data) < found.size
    analysis = await developer.analysis(plain, shown(part, MAX_SHOWN_CHARS, lines=True), question) if question else ""
    return {
        "message": analysis or f"{shown(plain)} has {counted(len(whole), 'line')}.",
        **about,
        **({"analysis": analysis} if analysis else {}),
        "first_line": first_line,
        "last_line": end,
        "lines": len(whole),
        "cut": cut,
        "content": shown(part, MAX_SHOWN_CHARS, lines=True),
    }


async def by_name(developer: Developer, repository: Repository, name: str) -> str:
    """The one file of this name in any folder; the name itself where there is none. Raises InvalidParameter."""
    names = [each for each in await developer.state.files(repository) if each.endswith(f"/{name}")]
    if len(names) > 1:
        raise InvalidParameter(
            f"there are {len(names)} files called {name[:80]!r}", hint=f"which one? {listed(names, 5)}"
        )
    return checked_path(names[0]) if names else name


@tool(group="github", tier="notify")
async def github_write_file(
    ctx: Context,
    path: Path,
    content: Annotated[str, Field(max_length=MAX_CONTENT, description="The whole new content of the file")],
    repo: Repo = "",
) -> dict[str, Any]:
    """Write a file of a repository, new or in place of what it holds."""
    developer, repository = await opened(ctx, repo)
    plain = checked_path(path)
    async with developer.changing(repository):
        diff = await asyncio.to_thread(_change, developer.files(repository), plain, content)
        asked = {"path": path, "content": content, "repo": repo}
        developer.require_shown("github_write_file", asked, f"{repository.name} {diff}")
        new = await asyncio.to_thread(developer.files(repository).write, plain, content.encode())
    return {
        "message": f"I {'created' if new else 'changed'} {shown(plain)} in {repository.name}.",
        "repo": repository.name,
        "path": shown(plain),
        "new": new,
        "diff": shown(diff, MAX_SHOWN_CHARS, lines=True),
    }


def _change(files: WorktreeFiles, path: str, content: str) -> str:
    """What writing a file would change."""
    before = files.read(path) if files.exists(path) else FileContent(b"", 0)
    if before.binary:
        return f"Binary file {path} is replaced by text"
    return unified(path, decoded(before.data), content)


def questions(developer: Developer) -> dict[str, Question]:
    """What a person is asked, where a rule wants that."""

    async def write(arguments: dict[str, Any]) -> str:
        repository = await developer.repository(arguments["repo"])
        plain = checked_path(arguments["path"])
        diff = await asyncio.to_thread(_change, developer.files(repository), plain, arguments["content"])
        developer.show("github_write_file", arguments, f"{repository.name} {diff}")
        return f"Write {shown(plain)} in {repository.name}:\n{shown(diff, MAX_QUESTION_CHARS, lines=True)}"

    return {"github_write_file": write}


TOOLS: tuple[Tool, ...] = (github_list_files, github_read_file, github_write_file)
