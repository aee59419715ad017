"""Staging and commits: add, remove, restore, discard, commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from reachy_mind.developer import commit_messages
from reachy_mind.developer.errors import NothingToDo
from reachy_mind.developer.service import CheckReport, Developer
from reachy_mind.developer.shown_text import shown
from reachy_mind.developer.tools.common import (
    MAX_QUESTION_CHARS,
    Paths,
    Repo,
    checked_paths,
    counted,
    listed,
    opened,
    totals,
)
from reachy_mind.errors import MindError
from reachy_mind.tools.definition import Question, Tool, tool

if TYPE_CHECKING:
    from reachy_mind.developer.git_staging import Snapshot
    from reachy_mind.developer.git_state import DiffText, WorktreeStatus
    from reachy_mind.developer.workspace import Repository
    from reachy_mind.tools.context import Caller, Context, Parts

STAGING_TIMEOUT_S = 120.0
MAX_DIFF_CHARS = 100_000
COMMIT_TIMEOUT_S = 1800.0
"""Checks before a commit may run tests."""


class ChecksFailed(MindError):
    """A required check before the commit failed."""

    code = "CHECKS_FAILED"


@tool(group="github", tier="autonomous", timeout_s=STAGING_TIMEOUT_S)
async def github_add(ctx: Context, repo: Repo = "", paths: Paths | None = None) -> dict[str, Any]:
    """Stage files for the next commit; all changes if no files are named."""
    developer, repository = await opened(ctx, repo)
    async with developer.changing(repository):
        await developer.staging.add(repository, checked_paths(paths or []))
        staged = (await developer.state.status(repository)).staged
    return {
        "message": f"{counted(len(staged), 'file')} staged in {repository.name}"
        f"{': ' + listed(each.path for each in staged) if staged else ''}.",
        "repo": repository.name,
        "staged": [each.as_dict() for each in staged[:200]],
    }


@tool(group="github", tier="confirm", timeout_s=STAGING_TIMEOUT_S)
async def github_rm(
    ctx: Context,
    paths: Paths,
    repo: Repo = "",
    keep_file: Annotated[bool, Field(description="Only stop tracking them; the files stay")] = False,
    force: Annotated[bool, Field(description="Also where they were changed since the last commit")] = False,
) -> dict[str, Any]:
    """Remove files from a repository with the next commit, and from its folder."""
    developer, repository = await opened(ctx, repo)
    async with developer.changing(repository):
        removed = await developer.staging.remove(repository, checked_paths(paths), keep_file=keep_file, force=force)
    kept = "; they stay in the folder" if keep_file else ""
    return {
        "message": f"I removed {listed(removed)} from {repository.name}{kept}.",
        "repo": repository.name,
        "removed": [shown(each) for each in removed[:200]],
    }


@tool(group="github", tier="autonomous", timeout_s=STAGING_TIMEOUT_S)
async def github_restore(
    ctx: Context,
    paths: Paths,
    repo: Repo = "",
    target: Annotated[
        Literal["staged", "worktree"],
        Field(description="staged: unstage them, what was changed stays; worktree: bring their content back"),
    ] = "staged",
    source: Annotated[str, Field(max_length=200, description="worktree: as they were at this branch or commit")] = "",
) -> dict[str, Any]:
    """Restore files: unstage them, or bring their content back, which discards what was changed."""
    developer, repository = await opened(ctx, repo)
    checked = checked_paths(paths)
    async with developer.changing(repository):
        if target == "staged":
            await developer.staging.unstage(repository, checked)
        else:
            await developer.staging.restore(repository, checked, source)
    done = "unstaged" if target == "staged" else "restored"
    what = "everything" if "." in checked else listed(checked)
    return {"message": f"I {done} {what} in {repository.name}.", "repo": repository.name, "target": target}


async def restore_discards(_parts: Parts, _caller: Caller, arguments: dict[str, Any]) -> str:
    """Restoring the content of files discards what was changed in them."""
    return "github_discard" if arguments.get("target") == "worktree" else ""


@tool(group="github", tier="confirm", timeout_s=STAGING_TIMEOUT_S)
async def github_discard(
    ctx: Context,
    repo: Repo = "",
    paths: Paths | None = None,
    untracked: Annotated[bool, Field(description="Also delete files that git does not know")] = False,
) -> dict[str, Any]:
    """Discard changes that are not staged; they can't be brought back."""
    developer, repository = await opened(ctx, repo)
    checked = checked_paths(paths or [])
    async with developer.changing(repository):
        before = await developer.state.status(repository)
        _require_discardable(repository, before, untracked=untracked)
        if before.unstaged:
            await developer.staging.restore(repository, checked)
        if untracked:
            await developer.staging.delete_untracked(repository, checked)
        after = await developer.state.status(repository)
    gone = len(before.unstaged) - len(after.unstaged) + (len(before.untracked) - len(after.untracked))
    return {
        "message": f"I discarded the changes of {counted(gone, 'file')} in {repository.name}.",
        "repo": repository.name,
        "discarded": gone,
    }


def _require_discardable(repository: Repository, status: WorktreeStatus, *, untracked: bool) -> None:
    """Raises NothingToDo."""
    if not status.unstaged and not (untracked and status.untracked):
        staged = "what is staged has to be unstaged first" if status.staged else "github_status shows its state"
        raise NothingToDo(f"{repository.name} has no changes to discard", hint=staged)


@tool(group="github", tier="confirm", timeout_s=COMMIT_TIMEOUT_S, background=True)
async def github_commit(
    ctx: Context,
    repo: Repo = "",
    message: Annotated[
        str,
        Field(
            max_length=commit_messages.MAX_MESSAGE,
            description="type(scope): what it does, as semantic-release reads it; written from the changes if empty",
        ),
    ] = "",
    stage_all: Annotated[bool, Field(description="Stage every change first, where nothing is staged")] = False,
    skip_checks: Annotated[bool, Field(description="Without the repository's checks (not recommended)")] = False,
) -> dict[str, Any]:
    """Commit what is staged, with a message of the given form."""
    developer, repository = await opened(ctx, repo)
    asked = {"repo": repo, "message": message, "stage_all": stage_all, "skip_checks": skip_checks}
    author = await developer.author(repository)
    given = commit_messages.checked(message) if message else ""
    async with developer.changing(repository):
        everything = await _stages_all(developer, repository, stage_all=stage_all)
        snapshot = await developer.staging.snapshot(repository, everything=everything)
        developer.require_shown("github_commit", asked, _identity(repository, snapshot))
        if everything:
            await developer.staging.add(repository, [])
        report = CheckReport()
        if developer.checks is not None and not skip_checks:
            report = await developer.checks(ctx, repository)
            if report.blocked:
                raise ChecksFailed(report.blocked, hint="mend it, or commit with skip_checks")
        diff = await _staged(developer, repository)
        written = given or await _message(developer, repository, diff, snapshot)
        commit = await developer.staging.commit(repository, written, author)
    header = shown(written.splitlines()[0], 200)
    return {
        "message": f"I committed {totals(diff)}, as: {header}{_how_checks_went(report)}",
        "repo": repository.name,
        "commit": commit[:12],
        "commit_message": shown(written, commit_messages.MAX_MESSAGE, lines=True),
        "author": f"{author.name} <{author.email}>",
        "files": [each.as_dict() for each in diff.files[:200]],
        "checks": [dict(each) for each in report.results],
        "skipped_checks": skip_checks,
    }


def _how_checks_went(report: CheckReport) -> str:
    """`. Checks: 2 passed, lint warned.`; empty without checks."""
    passed = [each for each in report.results if each["result"] == "passed" and not each.get("auto_fix")]
    warned = [str(each["name"]) for each in report.results if each["result"] == "warning"]
    told = [f"{counted(len(passed), 'check')} passed"] * bool(passed) + [f"{listed(warned)} warned"] * bool(warned)
    return f". {', '.join(told)}." if told else ""


async def _stages_all(developer: Developer, repository: Repository, *, stage_all: bool) -> bool:
    """Whether everything is to be staged first. Raises NothingToDo."""
    status = await developer.state.status(repository)
    if status.clean:
        raise NothingToDo(f"nothing is changed in {repository.name}", hint="github_status shows its state")
    if not status.staged and not stage_all:
        raise NothingToDo(f"nothing is staged in {repository.name}", hint="github_add, or stage_all: true")
    return stage_all and not status.staged


async def _staged(developer: Developer, repository: Repository) -> DiffText:
    return await developer.state.diff(repository, which="staged", max_bytes=MAX_DIFF_CHARS)


async def _message(developer: Developer, repository: Repository, diff: DiffText, snapshot: Snapshot) -> str:
    """The message that a person was shown for this, or a new one."""
    known = developer.messages.get(_identity(repository, snapshot))
    return known or await developer.message(diff, await developer.branches.current(repository))


def questions(developer: Developer) -> dict[str, Question]:
    """What a person is asked: what would go where, and which changes would be lost."""

    async def commit(arguments: dict[str, Any]) -> str:
        repository = await developer.repository(arguments["repo"])
        given = commit_messages.checked(arguments["message"]) if arguments["message"] else ""
        everything = await _stages_all(developer, repository, stage_all=arguments["stage_all"])
        snapshot = await developer.staging.snapshot(repository, everything=everything)
        before = snapshot.parent or await developer.staging.empty_tree(repository)
        diff = await developer.state.diff(repository, base=before, target=snapshot.tree, max_bytes=MAX_DIFF_CHARS)
        written = given or await developer.message(diff, await developer.branches.current(repository))
        identity = _identity(repository, snapshot)
        developer.show("github_commit", arguments, identity)
        developer.messages[identity] = written
        unchecked = " without its checks" if arguments["skip_checks"] else ""
        checked = developer.checks is not None and not arguments["skip_checks"]
        plan = await developer.checks.plan(repository) if checked and developer.checks is not None else ""
        names = "\n".join(f"  {shown(each.path, 200)} +{each.added} -{each.removed}" for each in diff.files[:20])
        head = f"Commit to {repository.name}{unchecked}: {shown(written, 1000, lines=True)}\n{totals(diff)}:\n{names}"
        return shown(f"{head}\n{plan}".rstrip(), MAX_QUESTION_CHARS, lines=True)

    async def discard(arguments: dict[str, Any]) -> str:
        repository = await developer.repository(arguments["repo"])
        status = await developer.state.status(repository)
        _require_discardable(repository, status, untracked=arguments["untracked"])
        lost = [each.path for each in status.unstaged] + (list(status.untracked) if arguments["untracked"] else [])
        which = listed(arguments["paths"], 10) if arguments["paths"] else listed(lost, 10)
        return f"Discard the changes of {repository.name} in {which}; they can't be brought back."

    async def restore(arguments: dict[str, Any]) -> str:
        repository = await developer.repository(arguments["repo"])
        return (
            f"Discard the changes of {repository.name} in {listed(arguments['paths'], 10)}; they can't be brought back."
        )

    async def remove(arguments: dict[str, Any]) -> str:
        repository = await developer.repository(arguments["repo"])
        kept = ", but keep the files" if arguments["keep_file"] else ""
        return f"Remove {listed(arguments['paths'], 10)} from {repository.name}{kept}."

    return {"github_commit": commit, "github_discard": discard, "github_restore": restore, "github_rm": remove}


def _identity(repository: Repository, snapshot: Snapshot) -> str:
    return f"{repository.name} {snapshot.parent} {snapshot.tree}"


TOOLS: tuple[Tool, ...] = (github_add, github_rm, github_restore, github_discard, github_commit)
AMOUNTS = {"github_restore": restore_discards}
