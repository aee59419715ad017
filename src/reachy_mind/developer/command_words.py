"""A command as its words: split as a shell would, with nothing of a shell besides."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from reachy_mind.errors import InvalidParameter, MindError

MAX_COMMAND_CHARS = 4000
MAX_WORDS = 200
_OPERATORS = frozenset(";&|<>()`$\n\r{}*?!#~")
"""What a shell takes for more than a letter, where it is not quoted."""
_EXPANDED = frozenset("`$")
"""What it takes so within double quotes."""


class CommandRefused(MindError):
    """This command is not run."""

    code = "COMMAND_REFUSED"


def command_words(text: str) -> list[str]:
    """The words of one command. Raises CommandRefused for what only a shell understands, and InvalidParameter."""
    if len(text) > MAX_COMMAND_CHARS or "\0" in text:
        raise InvalidParameter("this command is too long", hint=f"at most {MAX_COMMAND_CHARS} characters")
    found = _operator(text)
    if found:
        raise CommandRefused(
            f"{found!r} needs a shell, and commands are run without one",
            hint="one command with its arguments, such as: pytest -q tests; put the rest into a script",
        )
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InvalidParameter(f"this command can't be read: {error}", hint="is a quote missing?") from None
    return checked_words(words)


def checked_words(words: Sequence[str]) -> list[str]:
    """Words that can be passed to a program. Raises InvalidParameter."""
    if not words or not words[0].strip():
        raise InvalidParameter("there is no command", hint="such as: pytest -q tests")
    if len(words) > MAX_WORDS or any("\0" in word for word in words):
        raise InvalidParameter("these arguments can't be passed to a program", hint=f"at most {MAX_WORDS} words")
    return list(words)


def _operator(text: str) -> str:
    """The first sign that only a shell understands; empty for none."""
    quote = ""
    signs = iter(text)
    for sign in signs:
        if sign == "\\" and quote != "'":
            next(signs, "")
        elif quote:
            if sign == quote:
                quote = ""
            elif quote == '"' and sign in _EXPANDED:
                return sign
        elif sign in "'\"":
            quote = sign
        elif sign in _OPERATORS:
            return sign
    return ""
