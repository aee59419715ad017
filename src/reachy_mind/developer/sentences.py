"""How people ask for work in repositories: the sentences that need no language model.

Each is read only where its words can mean nothing else: a repository that is cloned, or words of git.
"""

from __future__ import annotations

import re
from typing import Any

from reachy_mind.brains.word_lists import spaced
from reachy_mind.developer.repository_commands import repository_command
from reachy_mind.developer.sentence_patterns import SENTENCES
from reachy_mind.developer.service import Developer
from reachy_mind.developer.workspace import NAME
from reachy_mind.errors import MindError
from reachy_mind.tools.definition import ToolUse

MAX_CHARS = 300
_POLITE = re.compile(
    r"^(?:(?:hey|ok(?:ay)?|now|then|and|so|well|alright|right|great|good|also|just|first|next|oops|sorry|hmm|uh|oh"
    r"|linus|reachy|please)[, ]+"
    r"|(?:can|could|would|will) you (?:please |just )?|i (?:want|need|would like|'d like)(?: you)? to "
    r"|i'd like(?: you)? to |let'?s |let us |can we |go ahead and )*",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"(?:[\s,]+(?:please|for me|(?:right |for )?now|for the moment|for a while|thanks|thank you|then|too|as well|linus"
    r"|reachy))*[\s.!?]*$",
    re.IGNORECASE,
)
_NEEDS_REPOSITORY = frozenset(("github_list_files",))
_WITH_A_REPOSITORY = frozenset(
    spaced("github_commit github_add github_push github_pull github_read_file github_edit_file github_diff github_exec")
)
"""Tools whose sentences mean a repository as soon as there is one."""
_PLAIN_GIT = re.compile(r"\b(?:git|repo(?:sitory|sitories|s)?|branch(?:es)?|commits?|rebase|clone)\b", re.IGNORECASE)
"""Words that only speak of repositories."""


class DeveloperSentences:
    """Reads sentences for one mind."""

    def __init__(self, developer: Developer) -> None:
        self._developer = developer
        self._patterns = [
            (tool, re.compile(pattern, re.IGNORECASE), arguments) for tool, pattern, arguments in SENTENCES
        ]

    def read(self, tool: str, text: str) -> ToolUse | None:
        """The call of a tool that a sentence asks for; None where it asks for none."""
        said = bare(text)
        if not said:
            return None
        for name, pattern, arguments in self._patterns:
            if name == tool and (found := pattern.fullmatch(said)):
                groups = {key: value.strip() for key, value in found.groupdict().items() if value}
                if self._meant(tool, said, groups.get("repo", "")):
                    given = self._completed(tool, {key: value for key, value in arguments(groups).items() if value})
                    return ToolUse(tool, given) if given is not None else None
        return None

    def _completed(self, tool: str, given: dict[str, Any]) -> dict[str, Any] | None:
        """With what a sentence leaves open: the program that was written last, the tests of a repository."""
        if tool in ("execute_code", "code_move_to_repo") and "path" not in given:
            last = self._developer.last_program
            return given | {"path": last} if last else None
        if tool == "github_exec" and "command" not in given:
            return given | {"command": self._tests(given.get("repo", ""))}
        return given

    def _tests(self, repo: str) -> str:
        """How the tests of a repository are run."""
        try:
            folder = self._developer.workspace.repository(repo or self._developer.last_repository("")).path
        except MindError:  # the tool says what is wrong
            folder = None
        return repository_command("tests", folder)

    def _meant(self, tool: str, said: str, repo: str) -> bool:
        """Whether it is about repositories: it names one that is here, or has words that mean nothing else."""
        if tool in ("code", "execute_code"):
            return True
        if tool == "github_clone":
            named = "/" in repo or "repo" in said.casefold()
            return named or (bool(NAME.fullmatch(repo)) and "_" in repo)
        if repo and tool != "github_list_repos":
            try:
                self._developer.workspace.repository(repo)
            except MindError:
                return "git" in said.casefold().split() and NAME.fullmatch(repo.rpartition("/")[2]) is not None
            return True
        return tool not in _NEEDS_REPOSITORY and self._speaks_of_git(tool, said)

    def _speaks_of_git(self, tool: str, said: str) -> bool:
        if tool in _WITH_A_REPOSITORY:
            return bool(self._developer.workspace.repositories())
        return _PLAIN_GIT.search(said) is not None


def bare(text: str) -> str:
    """A sentence without its courtesy and its end; empty for a long one."""
    said = " ".join(text.split())
    if len(said) > MAX_CHARS:
        return ""
    said = _ENDING.sub("", said)
    return said[found.end() :] if (found := _POLITE.match(said)) else said
