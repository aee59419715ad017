"""`.reachy/commit_rules.yaml`: what a repository wants to be run before each commit.

pre_commit:
  - {name: lint, command: ruff check ., required: true}
auto_fix:
  enabled: true
  commands: [ruff format .]
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from reachy_mind.developer.command_words import checked_words, command_words
from reachy_mind.developer.worktree_files import WorktreeFiles
from reachy_mind.errors import MindError

FILE = ".reachy/commit_rules.yaml"
MAX_BYTES = 64 << 10
MAX_BRACKETS = 500
DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S = 300, 1800
HINT = f"mend {FILE}; docs/developer.md shows its form"


class InvalidCommitRules(MindError):
    """The commit rules of a repository can't be read."""

    code = "INVALID_COMMIT_RULES"


def _runnable(command: str | list[str]) -> str | list[str]:
    words_of(command)
    return command


Command = Annotated[
    Annotated[str, Field(min_length=1, max_length=4000)] | Annotated[list[str], Field(min_length=1, max_length=200)],
    AfterValidator(_runnable),
]


def words_of(command: str | list[str]) -> list[str]:
    """A command as its words. Raises ValueError with what is wrong."""
    try:
        return checked_words(command) if isinstance(command, list) else command_words(command)
    except MindError as error:
        raise ValueError(f"{error.message} ({error.hint})") from None


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CommitCheck(_Part):
    """A command that has to succeed; without `required`, its failure is only told."""

    name: Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$")]
    command: Command
    required: bool = True
    timeout: Annotated[int, Field(ge=1, le=MAX_TIMEOUT_S)] = DEFAULT_TIMEOUT_S


class AutoFix(_Part):
    """Commands that mend files before the checks."""

    enabled: bool = False
    commands: Annotated[list[Command], Field(max_length=20)] = []


class CommitRules(_Part):
    pre_commit: Annotated[list[CommitCheck], Field(max_length=40)] = []
    auto_fix: AutoFix = AutoFix()

    @property
    def fixes(self) -> list[str | list[str]]:
        return list(self.auto_fix.commands) if self.auto_fix.enabled else []


@dataclass(frozen=True)
class FoundRules:
    """The rules of a repository, and the hash of the file that they are in."""

    rules: CommitRules
    sha256: str


def read_rules(files: WorktreeFiles) -> FoundRules | None:
    """The rules of a working tree; None without any. Blocks. Raises InvalidCommitRules, PathRefused."""
    if not files.exists(FILE):
        return None
    found = files.read(FILE, MAX_BYTES + 1)
    if len(found.data) > MAX_BYTES:
        raise InvalidCommitRules(f"{FILE} has more than {MAX_BYTES >> 10} KB", hint=HINT)
    return FoundRules(parsed(found.data), hashlib.sha256(found.data).hexdigest())


def parsed(data: bytes) -> CommitRules:
    """Raises InvalidCommitRules with the place of what is wrong."""
    try:
        text = data.decode("utf-8")
        if text.count("[") + text.count("{") > MAX_BRACKETS:  # its reader is slow with them
            raise InvalidCommitRules(f"{FILE} has more than {MAX_BRACKETS} brackets", hint=HINT)
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, yaml.SafeLoader)):
            raise InvalidCommitRules(f"{FILE} refers to parts of itself (*), which is not taken", hint=HINT)
        tree: Any = yaml.safe_load(text)
    except UnicodeDecodeError:
        raise InvalidCommitRules(f"{FILE} is no text", hint=HINT) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        what = " ".join(str(error).split())[:200] or "it is nested too deep"
        raise InvalidCommitRules(f"{FILE} is no YAML: {what}", hint=HINT) from None
    try:
        return CommitRules.model_validate({} if tree is None else tree)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if not str(part).startswith(("function", "constrained")))
        raise InvalidCommitRules(f"{FILE}: {where or 'all of it'}: {first['msg']}"[:500], hint=HINT) from None
