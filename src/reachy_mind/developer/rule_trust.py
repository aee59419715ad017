"""`RuleTrust`: which commit rules a person has allowed to run, by the hash of their file and by repository."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from reachy_mind.developer.commit_rules import FILE, CommitRules, FoundRules, words_of
from reachy_mind.developer.shown_text import shown
from reachy_mind.errors import ConfigError
from reachy_mind.storage.files import read_own_file, write_text_atomically

if TYPE_CHECKING:
    from reachy_mind.developer.workspace import Repository
    from reachy_mind.tools.context import Context

MAX_KEPT = 500
MAX_LINE = 300

AskPerson = Callable[["Context", str, dict[str, str]], Awaitable[str]]
"""Asks a person a question with some arguments, and returns who said yes. Raises NotConfirmed."""


class RuleTrust:
    """`file`: where it is kept. A repository that is moved or cloned again has to be trusted again."""

    def __init__(self, file: Path, ask: AskPerson) -> None:
        self._file, self._ask = file, ask
        self._lock = asyncio.Lock()

    async def require(self, ctx: Context, repository: Repository, found: FoundRules) -> None:
        """Ask a person, unless one has trusted exactly these rules here. Raises NotConfirmed, ConfigError."""
        if await self.holds(repository, found.sha256):
            return
        asked = {"repo": repository.name, "rules": found.sha256}
        by = await self._ask(ctx, question(repository, found.rules), asked)
        async with self._lock:
            await asyncio.to_thread(self._add, repository, found.sha256, by)

    async def holds(self, repository: Repository, sha256: str) -> bool:
        """Whether a person has trusted these rules. Raises ConfigError for a file that can't be believed."""
        entries = await asyncio.to_thread(self._entries)
        return any(each["repository"] == str(repository.path) and each["sha256"] == sha256 for each in entries)

    def _entries(self) -> list[dict[str, str]]:
        found = read_own_file(self._file)
        try:
            entries = json.loads(found[0])["trusted"] if found else []
            return [{key: str(each[key]) for key in ("repository", "sha256", "by", "at")} for each in entries]
        except (ValueError, KeyError, TypeError):
            raise ConfigError(f"{self._file} is damaged", hint="remove it: people are asked again") from None

    def _add(self, repository: Repository, sha256: str, by: str) -> None:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        new = {"repository": str(repository.path), "sha256": sha256, "by": by, "at": at}
        entries = [*self._entries(), new][-MAX_KEPT:]
        write_text_atomically(self._file, json.dumps({"trusted": entries}, indent=1) + "\n")


def question(repository: Repository, rules: CommitRules) -> str:
    """What a person is asked: every command that would run."""
    lines = [
        f"{repository.name} wants to run these commands before each commit, in a sandbox without network.",
        f"Trust its {FILE} as it is now?",
        *(f"  mends files: {spelled(command)}" for command in rules.fixes),
        *(f"  {'' if each.required else 'only warns: '}{spelled(each.command)}" for each in rules.pre_commit),
    ]
    return "\n".join(lines)


def spelled(command: str | list[str]) -> str:
    """A command as it is shown."""
    return shown(" ".join(words_of(command)), MAX_LINE)
