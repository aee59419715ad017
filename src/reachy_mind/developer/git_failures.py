"""What git's messages mean: typed errors with a hint. git speaks English here, and its words are shown as data."""

from __future__ import annotations

import re

from reachy_mind.developer import errors
from reachy_mind.developer.shown_text import shown

MAX_CHARS = 400
_LINE = re.compile(r"^(?:fatal|error|hint|warning|remote|! .*|CONFLICT.*)\b.*", re.MULTILINE)
_NOISE = ("hint:", "warning:")

_MEANINGS: tuple[tuple[str, type[errors.GitFailed], str, str], ...] = (
    (
        (
            r"could not resolve (?:host|proxy)|failed to connect|couldn't connect|network is unreachable"
            r"|connection (?:timed out|refused|reset)|operation timed out|empty reply from server"
            r"|unable to access .*ssl"
        ),
        errors.RemoteUnreachable,
        "the remote can't be reached",
        "is there a network? What is here can be used meanwhile",
    ),
    (
        (
            r"could not read username|authentication failed|invalid username or (?:password|token)|error: 40[13]"
            r"|permission to .* denied|terminal prompts disabled"
        ),
        errors.RemoteRefused,
        "the remote did not accept who we are",
        "set developer.github_token to a token that may use this repository",
    ),
    (
        (
            r"repository .*not found|returned error: 404|does not appear to be a git repository|no such file or"
            r" directory|does not exist$"
        ),
        errors.RemoteRefused,
        "there is no such repository, or it is not open to us",
        "check owner and name; a private one needs developer.github_token",
    ),
    (
        r"non-fast-forward|fetch first|failed to push some refs.*rejected|\[rejected\]|stale info",
        errors.RemoteRefused,
        "the remote has commits that are not here",
        "pull first, then push again",
    ),
    (
        r"\[remote rejected\]|pre-receive hook declined|protected branch|gh006",
        errors.RemoteRefused,
        "the remote refused the push",
        "the branch may be protected: push another one and open a pull request",
    ),
    (
        r"not possible to fast-forward|diverging branches|need to specify how to reconcile",
        errors.GitConflict,
        "the branch here and the remote's have both gone on",
        "rebase it onto the remote's: github_pull with rebase, or github_rebase",
    ),
    (
        r"conflict|could not apply|fix conflicts",
        errors.GitConflict,
        "changes contradict one another",
        "a person has to settle it",
    ),
    (
        (
            r"would be overwritten|unstaged changes|uncommitted changes|please commit (?:your changes )?or stash"
            r"|local changes|index contains"
        ),
        errors.UncommittedChanges,
        "there are changes that are not committed",
        "commit or discard them first: github_status shows them",
    ),
    (
        r"index\.lock|another git process|cannot lock ref|unable to create .*\.lock",
        errors.GitFailed,
        "another git is working in this repository",
        "wait for it; if none is running, remove .git/index.lock",
    ),
    (
        r"already exists",
        errors.GitFailed,
        "that name is taken",
        "choose another name, or switch to it",
    ),
    (
        (
            r"unknown revision|bad revision|not a valid object name|invalid reference|needed a single revision"
            r"|ambiguous argument"
        ),
        errors.GitFailed,
        "there is no such branch or commit",
        "github_branch and github_log list them",
    ),
    (
        r"transport '.*' not allowed|redirect|returned error: 30\d",
        errors.RemoteRefused,
        "the remote led to another place",
        "use its present address, https://HOST/OWNER/NAME",
    ),
    (
        r"did not match any|pathspec .* did not match",
        errors.NothingToDo,
        "git knows no such file",
        "github_status and github_list_files show them",
    ),
    (r"no space left", errors.GitFailed, "the disk is full", "free some space"),
)


def failure(command: str, said: str) -> errors.GitFailed:
    """The error for what git said when a command failed."""
    words = _words(said)
    for pattern, kind, meaning, hint in _MEANINGS:
        if re.search(pattern, said, re.IGNORECASE | re.MULTILINE):
            return kind(f"git {command}: {meaning}{f' ({words})' if words else ''}", hint=hint)
    return errors.GitFailed(
        f"git {command} failed{f': {words}' if words else ''}", hint="github_status shows the state"
    )


def _words(said: str) -> str:
    lines = [shown(line.strip(), MAX_CHARS) for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if _LINE.match(line) and not line.startswith(_NOISE)]
    return shown("; ".join((telling or lines)[:3]), MAX_CHARS)
