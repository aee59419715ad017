"""`RuleChecks`: the commit rules of a repository, run in the sandbox before a commit: what mends first, then checks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reachy_mind.developer.commit_rules import (
    DEFAULT_TIMEOUT_S,
    CommitCheck,
    CommitRules,
    FoundRules,
    read_rules,
    words_of,
)
from reachy_mind.developer.kept_changes import KeptChanges, ignored_by, keep
from reachy_mind.developer.program_result import ProgramMissing, ProgramResult
from reachy_mind.developer.program_sandbox import ProgramSandbox
from reachy_mind.developer.program_summary import how_it_ended, said_of
from reachy_mind.developer.rule_trust import RuleTrust, spelled
from reachy_mind.developer.service import CheckReport, Developer
from reachy_mind.developer.shown_text import decoded, shown

if TYPE_CHECKING:
    from reachy_mind.developer.workspace import Repository
    from reachy_mind.tools.context import Context

MAX_OUTPUT = 4000
MAX_BLOCKED = 1200


@dataclass(frozen=True)
class _Ran:
    """How a command went: `state` is passed, failed or missing."""

    state: str
    said: str
    output: str
    seconds: float
    result: ProgramResult | None = None


class RuleChecks:
    """The checks of one mind."""

    def __init__(self, developer: Developer, sandbox: ProgramSandbox, trust: RuleTrust) -> None:
        self._developer, self._sandbox, self._trust = developer, sandbox, trust

    async def plan(self, repository: Repository) -> str:
        """What would run, in a line for a person; empty for nothing. Raises InvalidCommitRules."""
        found = await self._found(repository)
        if found is None:
            return ""
        fixes = [spelled(command) for command in found.rules.fixes]
        checks = [shown(each.name) for each in found.rules.pre_commit]
        mended = f"{', '.join(fixes)} may change the files first. " if fixes else ""
        return f"{mended}Checked by: {', '.join(checks)}." if checks else mended.strip()

    async def __call__(self, ctx: Context, repository: Repository) -> CheckReport:
        """Run everything. Raises InvalidCommitRules, NotConfirmed, IsolationRefused."""
        found = await self._found(repository)
        if found is None:
            return CheckReport()
        await self._trust.require(ctx, repository, found)
        commands = len(found.rules.fixes) + len(found.rules.pre_commit)
        results = await self._mend(ctx, repository, found.rules, commands)
        blocked = ""
        for number, check in enumerate(found.rules.pre_commit, len(results)):
            ctx.progress(number / commands, f"check {check.name}")
            ran = await self._run(repository, words_of(check.command), check.timeout)
            results.append(_told(check, ran))
            if ran.state != "passed" and check.required and not blocked:
                blocked = f"{check.name}: {ran.said}\n{ran.output[-MAX_BLOCKED:]}".strip()
        return CheckReport(results, f"a required check failed: {blocked}" if blocked else "")

    async def _found(self, repository: Repository) -> FoundRules | None:
        found = await asyncio.to_thread(read_rules, self._developer.files(repository))
        return found if found is not None and (found.rules.pre_commit or found.rules.fixes) else None

    async def _mend(
        self, ctx: Context, repository: Repository, rules: CommitRules, commands: int
    ) -> list[dict[str, Any]]:
        """Run what mends, write its changes back, and stage them where the whole file was staged."""
        results = []
        for number, command in enumerate(rules.fixes):
            ctx.progress(number / commands, f"mending: {spelled(command)}")
            before = await self._developer.state.status(repository)
            began = time.time()
            ran = await self._run(repository, words_of(command), DEFAULT_TIMEOUT_S, contents=True)
            kept = KeptChanges()
            if ran.result is not None and ran.result.ending == "exited":
                ignored = ignored_by(self._developer.git, repository)
                kept = await keep(self._developer.files(repository), ran.result, began, ignored)
            partly = {each.path for each in before.unstaged}
            staged = [path for path in kept.written if path not in partly and _is_staged(path, before.staged)]
            if staged:
                await self._developer.staging.add(repository, staged)
            about = {"auto_fix": True, **kept.as_dict(), "staged": [shown(path) for path in staged[:100]]}
            results.append(_entry(spelled(command), command, ran, required=False) | about)
        return results

    async def _run(
        self, repository: Repository, words: Sequence[str], timeout_s: float, *, contents: bool = False
    ) -> _Ran:
        try:
            result = await self._sandbox.run(repository.path, words, timeout_s=timeout_s, contents=contents)
        except ProgramMissing as error:
            return _Ran("missing", error.message, error.hint, 0.0)
        ended = how_it_ended(result, self._sandbox.limits.memory_mb)
        said = said_of(result)
        output = shown(decoded(result.output), MAX_OUTPUT * 16, lines=True)[-MAX_OUTPUT:]
        state = "passed" if result.succeeded else "failed"
        return _Ran(state, f"{ended}: {said}" if said else ended, output, result.seconds, result)


def _is_staged(path: str, staged: Sequence[Any]) -> bool:
    return any(each.path == path for each in staged)


def _told(check: CommitCheck, ran: _Ran) -> dict[str, Any]:
    return _entry(check.name, check.command, ran, required=check.required)


def _entry(name: str, command: str | list[str], ran: _Ran, *, required: bool) -> dict[str, Any]:
    """One result. A check that is not required and failed is a warning."""
    state = "warning" if ran.state != "passed" and not required else ran.state
    return {
        "name": shown(name, 100),
        "command": spelled(command),
        "required": required,
        "result": state,
        "said": ran.said,
        "seconds": round(ran.seconds, 2),
        **({} if ran.state == "passed" else {"output": ran.output}),
    }
