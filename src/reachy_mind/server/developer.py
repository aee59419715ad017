"""Developer routes: repositories, their state, differences and history, and pull requests with their checks.

They only read, and no conversation is about a repository because of them. What changes one is a tool call
(`POST /tools/execute`). Where GitHub can't be asked (no network, no token), the answer says why in `error`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import islice
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query

from reachy_mind.developer import workspace
from reachy_mind.developer.git_state import DiffText, LogFilter
from reachy_mind.developer.github.access import access_of
from reachy_mind.developer.repository_overview import base_of, changed_files, new_file, overview_of
from reachy_mind.developer.service import Developer, of_parts
from reachy_mind.developer.shown_text import shown
from reachy_mind.developer.workspace import Repository
from reachy_mind.developer.worktree_files import checked_path
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.mind import Mind

MOST_DIFF_CHARS = 60_000
MOST_STATUS_BYTES = 2 << 20
"""Tens of thousands of changed files; reading more would hold up others."""
MOST_READ_AT_ONCE = 4
MOST_PULLS = 900
"""GitHub is asked for ten pages at most."""
Name = Annotated[str, Path(pattern=f"^{workspace.NAME.pattern}$")]
Number = Annotated[int, Path(ge=1, le=10**9)]
Offset = Annotated[int, Query(ge=0, le=10_000_000)]
Revision = Annotated[str, Query(max_length=200)]
Paths = Annotated[list[Annotated[str, Query(max_length=1000)]], Query(max_length=20)]
Which = Literal["unstaged", "staged", "all", "untracked"]


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/developer/repositories")

    async def opened(name: str) -> tuple[Developer, Repository]:
        developer = of_parts(mind.toolbox.parts)
        return developer, await asyncio.to_thread(developer.workspace.exactly, name)

    @routes.get("")
    async def repositories(offset: Offset = 0, limit: Annotated[int, Query(ge=1, le=50)] = 20) -> dict[str, Any]:
        """The cloned repositories: branch, how far it is from the one it follows, and how many files are changed.
        `problem`: why one can't be read."""
        developer = of_parts(mind.toolbox.parts)
        there = await asyncio.to_thread(developer.workspace.repositories)
        few = asyncio.Semaphore(MOST_READ_AT_ONCE)

        async def told(repository: Repository) -> dict[str, Any]:
            async with few:
                return (await overview_of(developer, repository)).as_dict()

        return {
            "folder": str(developer.workspace.repository_folder),
            "repositories": await asyncio.gather(*map(told, there[offset : offset + limit])),
            "total": len(there),
        }

    @routes.get("/{name}/status")
    async def status(
        name: Name, offset: Offset = 0, limit: Annotated[int, Query(ge=1, le=1000)] = 100
    ) -> dict[str, Any]:
        """The branch and the changed files: in conflict, staged, modified, untracked. A file may be there twice.
        `addressable`: whether its difference can be asked for by its path; `cut`: there are more than were counted."""
        developer, repository = await opened(name)
        found = await developer.state.status(repository, most_bytes=MOST_STATUS_BYTES)
        counts = {
            "conflict": len(found.conflicts),
            "staged": len(found.staged),
            "modified": len(found.unstaged),
            "untracked": len(found.untracked),
        }
        return {
            "name": repository.name,
            "branch": shown(found.branch, 200),
            "commit": found.commit[:12],
            "upstream": shown(found.upstream, 200),
            "ahead": found.ahead,
            "behind": found.behind,
            "in_progress": found.busy,
            "counts": counts,
            "files": [each.as_dict() for each in islice(changed_files(found), offset, offset + limit)],
            "total": sum(counts.values()),
            "cut": found.cut,
        }

    @routes.get("/{name}/diff")
    async def diff(
        name: Name,
        which: Which = "all",
        commit: Revision = "",
        path: Paths = [],  # noqa: B006 -- FastAPI copies it
        offset: Offset = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    ) -> dict[str, Any]:
        """A difference as text, and the lines that came and went by file: of the working tree, of what is staged, of
        both, of one new file, or of a `commit` to the one before. `path`: of these files only. `cut`: the text is not
        the whole of it."""
        developer, repository = await opened(name)
        paths = [checked_path(each) for each in path]
        if which == "untracked" and not commit:
            found = await _new_file(developer, repository, paths)
        else:
            base = await base_of(developer.state, repository, commit) if commit else ""
            found = await developer.state.diff(
                repository,
                which="all" if which == "untracked" else which,
                base=base,
                target=commit,
                paths=paths,
                max_bytes=MOST_DIFF_CHARS,
            )
        return {
            "name": repository.name,
            "files": [each.as_dict() | {"before": shown(each.before)} for each in found.files[offset : offset + limit]],
            "total": len(found.files),
            "diff": found.text,
            "cut": found.cut,
        }

    @routes.get("/{name}/log")
    async def log(
        name: Name,
        branch: Revision = "",
        offset: Offset = 0,
        limit: Annotated[int, Query(ge=1, le=200)] = 30,
    ) -> dict[str, Any]:
        """Commits, the newest first, of the branch that is checked out or of another. `more`: there are older ones."""
        developer, repository = await opened(name)
        found = await developer.state.log(repository, LogFilter(branch, most=limit + 1, skip=offset))
        commits = [{"refs": ""} | each.as_dict() for each in found[:limit]]
        return {"name": repository.name, "commits": commits, "more": len(found) > limit}

    @routes.get("/{name}/pulls")
    async def pulls(
        name: Name,
        state: Literal["open", "closed", "all"] = "open",
        offset: Annotated[int, Query(ge=0, le=MOST_PULLS)] = 0,
        limit: Annotated[int, Query(ge=1, le=100)] = 20,
    ) -> dict[str, Any]:
        """Pull requests on GitHub, the newest first. `error`: why GitHub can't be asked; `more`: there are others."""
        developer, repository = await opened(name)
        access = access_of(mind.toolbox.parts)

        async def asked() -> dict[str, Any]:
            from reachy_mind.developer.github.pull_checks import pull_as_dict  # noqa: PLC0415 -- loaded when used

            hosted = await access.of_clone(repository)
            found = await access.pulls(hosted).list(state, "", "", offset + limit)
            told = [pull_as_dict(pull) | {"updated_at": pull.updated_at} for pull in found.entries[offset:]]
            return {"repository": str(hosted), "pulls": told, "more": found.more}

        nothing = {"repository": "", "pulls": [], "more": False, "has_token": developer.git.has_token}
        return nothing | await _or_error(asked)

    @routes.get("/{name}/pulls/{number}/checks")
    async def checks(name: Name, number: Number) -> dict[str, Any]:
        """What the checks of a pull request say, failed ones first, with the step that failed. `missing`: required
        ones that have not begun; `error`: why GitHub can't be asked."""
        _, repository = await opened(name)
        access = access_of(mind.toolbox.parts)

        async def asked() -> dict[str, Any]:
            from reachy_mind.developer.github.pull_checks import checks_of_pull  # noqa: PLC0415 -- loaded when used

            hosted = await access.of_clone(repository)
            found = await checks_of_pull(access, hosted, number)
            told = found.as_dict()
            told["checks"] = [{"step": ""} | check for check in told["checks"]]
            return {"repository": str(hosted), "summary": found.summary.sentence(), **told}

        return _NO_CHECKS | {"number": number} | await _or_error(asked)

    return routes


_NO_CHECKS: dict[str, Any] = {
    "repository": "",
    "summary": "",
    "title": "",
    "head": "",
    "state": "none",
    "passed": 0,
    "failed": 0,
    "pending": 0,
    "checks": [],
    "missing": [],
    "more": False,
}


async def _or_error(asked: Callable[[], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
    """What GitHub says, or why it can't be asked: that is a state of things, not a failure of the request."""
    try:
        return await asked() | {"error": None}
    except MindError as error:
        return {"error": error.as_dict()}


async def _new_file(developer: Developer, repository: Repository, paths: list[str]) -> DiffText:
    if len(paths) != 1:
        raise InvalidParameter("untracked files are shown one by one", hint="path: one file")
    content = await asyncio.to_thread(developer.files(repository).read, paths[0], 4 * MOST_DIFF_CHARS)
    return new_file(paths[0], content.data, content.size, MOST_DIFF_CHARS)
