"""What a program's output says in a few words, to be said aloud."""

from __future__ import annotations

import re

from reachy_mind.developer.program_output import last_line
from reachy_mind.developer.program_result import ProgramResult
from reachy_mind.developer.shown_text import decoded, shown
from reachy_mind.tools.time_expressions import duration

MAX_SAID = 160
_SUMMARIES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^=* ?(?P<said>(?:\d+ \w+, )*\d+ (?:passed|failed|errors?|skipped|deselected|xfailed)[^=\n]*?) in [\d.]+s",
        r"^=* ?(?P<said>no tests ran) in [\d.]+s",
        r"^(?P<said>Found \d+ errors?\b[^\n]*)",
        r"^(?P<said>All checks passed!)",
        r"^(?P<said>Success: no issues found[^\n]*)",
        r"^(?P<said>\d+ files? (?:re|would be re|already |left )\w*format\w*[^\n]*)",
        r"^(?P<said>test result: [^\n;]*; \d+ failed)",
        r"^(?P<said>Tests: +[^\n]+)",
        r"^(?P<said>FAILED \([^)]*\)|OK(?: \([^)]*\))?)$",
        r"^(?P<said>make: \*\*\* [^\n]+)",
    )
)


def said_of(result: ProgramResult) -> str:
    """The summary that the program itself wrote last, else its last line; empty where it wrote nothing."""
    text = shown(decoded(result.output), 1 << 18, lines=True)
    for pattern in _SUMMARIES:
        if found := [*pattern.finditer(text)]:
            return _short(found[-1]["said"])
    return _short(shown(last_line(result.output)))


def how_it_ended(result: ProgramResult, memory_mb: int) -> str:
    """`succeeded after 3 seconds`, `failed with status 1 ...`, `was ended: ...`."""
    took = f"after {duration(max(result.seconds, 1))}"
    match result.ending:
        case "timeout":
            return f"was ended {took}, which was its limit"
        case "memory":
            return f"was ended {took}: it used more than {memory_mb} MB of memory"
        case "output":
            return f"was ended {took}: it wrote too much"
        case "killed":
            return f"was killed {took}"
    return f"succeeded {took}" if result.status == 0 else f"failed with status {result.status} {took}"


def _short(text: str) -> str:
    plain = " ".join(text.split()).rstrip(".!")  # it becomes part of a sentence
    return plain if len(plain) <= MAX_SAID else f"{plain[: MAX_SAID - 1]}…"
