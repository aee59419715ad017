"""Reads a command with regular expressions."""

import re
import textwrap

PATTERN = re.compile(r"(?P<verb>turn|look|go)\s+(?:to the )?(?P<side>left|right)(?:\s+by\s+(?P<angle>\d+(?:\.\d+)?))?", re.I)


def parse_command(text: str) -> dict:
    """Read a sentence such as: turn left by 30."""
    match = PATTERN.search(text)
    if not match:
        return {"status": "error", "message": textwrap.shorten(text, 20)}
    return {"status": "success", **match.groupdict(), "upper": re.sub(r"\b[a-z]", lambda m: m[0].upper(), text)}
