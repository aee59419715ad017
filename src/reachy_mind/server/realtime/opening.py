"""What a program writes to have the robot begin the conversation, which are no words of a person: "Greet the user"."""

from __future__ import annotations

import re

GREETING = "Hello!"
"""What the mind is told instead: it greets in its own manner."""
_EXACTLY = re.compile(r"\bsay(?:ing)?\b[^\"“]{0,60}\bexactly\b[^\"“]{0,60}[\"“]([^\"”]{1,400})[\"”]", re.IGNORECASE)
_BEGIN = re.compile(
    r"\bgreet\b|\b(?:start|begin|open) (?:the|this|a|your) (?:conversation|session|talk)\b"
    r"|\b(?:conversation|session) (?:has )?just (?:started|begun)\b|\bsay (?:hello|hi) to the (?:user|person)\b",
    re.IGNORECASE,
)


def verbatim(text: str) -> str:
    """What is to be said word for word; empty if nothing is."""
    found = _EXACTLY.search(text)
    return found[1].strip() if found is not None else ""


def is_opening(text: str) -> bool:
    """Whether a program asks the robot to begin."""
    return _BEGIN.search(text) is not None
