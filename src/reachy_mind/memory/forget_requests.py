"""Recognises requests to forget everything, in the four languages."""

from __future__ import annotations

import re

from reachy_mind.memory.normalization import plain

EVERYTHING = re.compile(
    r"(?:forget |delete |erase )?(?:all|everything)(?: (?:that )?you (?:know|remember|have)| i (?:ever )?told you)?"
    r"(?: (?:about|of|on) (?:me|us))?(?: now| please)*|(?:forget )?(?:me|all about me|what you know about me)"
    r"|(?:oublie )?(?:tout(?: (?:sur|de) moi)?|moi)|(?:olvida )?todo(?: (?:sobre|de) mi)?|olvidame"
    r"|(?:vergiss )?(?:alles(?: uber mich)?|mich)"
)
"""Of normalized text."""


def is_everything(query: str) -> bool:
    """Whether the query asks to forget everything."""
    return EVERYTHING.fullmatch(plain(query)) is not None
