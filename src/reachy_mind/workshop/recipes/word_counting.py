"""Recipe `count_words`: listens for a while and says how often certain words were said."""

from __future__ import annotations

import re

from reachy_mind.workshop.draft import Case
from reachy_mind.workshop.recipes.recipe import (
    DAY_S,
    ERROR,
    SUCCESS,
    Parameters,
    ToolRecipe,
    case,
    filled,
    tool_name,
)
from reachy_mind.workshop.recipes.request import ToolRequest

MINUTES_S = 300.0
LONGEST_PHRASE = 60

TEMPLATE = '''\
"""$summary"""

import re
import time

from reachy_mind import tools


async def $tool(phrase: str = $phrase, duration_s: float = $duration_s) -> dict:
    """$summary

    Args:
        phrase: The word or words to count.
        duration_s: Seconds in all, at most a day.

    Returns:
        dict: status, message, total (how often it was said) and problems.
    """
    wanted = _words(phrase)
    if not wanted.strip() or not 0 < duration_s <= 86400:
        return {"status": "error", "message": "A word and a duration of at most a day are needed."}
    total = times = 0
    problems = []
    began = time.monotonic()
    while times == 0 or time.monotonic() - began < duration_s:
        left = began + duration_s - time.monotonic()
        try:
            heard = (await tools.call("listen", duration_seconds=max(0.5, min(10.0, left))))["text"]
            times += 1
            total += _words(heard).count(wanted)
        except tools.ToolError as error:
            problems.append(error.message)
            if not times and len(problems) >= 3:
                break
    message = $counted_words if times else $deaf
    if times:
        try:
            await tools.call("speak", text=message)
        except tools.ToolError as error:
            problems.append(error.message)
    return {
        "status": "success" if times else "error",
        "message": message,
        "total": total,
        "problems": problems[:10],
    }


def _words(text: str) -> str:
    """The words without punctuation, each between spaces of its own."""
    return "".join(f" {word} " for word in re.findall(r"\\w+", text.casefold()))
'''
_QUOTE = r"[\"'\u201c\u201e\u00ab]?"
_PHRASE = (
    rf"(?:the words? |le mot |la palabra |das wort )?{_QUOTE}(?P<phrase>[^\"'\u201c\u201d\u00ab\u00bb,?]+?){_QUOTE}"
)
_END = r"(?=[\s,.?!]*$|[,?]|\s+(?:and|et|y|und|in|during)\b)"
_SAID = re.compile(
    r"(?:how (?:often|many times)(?: do| does| did| will)? (?:i|we|he|she|they|you|some(?:one|body)|any(?:one"
    r"|body)|people"
    rf"|(?:the |my )?\w+) (?:say|says|use|uses|mention|mentions)|combien de fois (?:je|on|nous|quelqu'un) (?:dis"
    rf"|dit|disons)"
    rf"|cu[aá]ntas veces (?:yo |alguien )?(?:digo|dice|decimos|diga)|wie oft (?:sage ich|sagt (?:jemand|man|\w+)"
    rf"|sagen wir))\s+"
    rf"{_PHRASE}{_END}",
    re.IGNORECASE,
)
_SAID_LAST = re.compile(
    rf"wie oft (?:ich|jemand|wir|man) {_PHRASE} (?:sage|sagt|sagen)\b"
    rf"|every time (?:i|we|someone) says? {_PHRASE.replace('phrase', 'other')}{_END}",
    re.IGNORECASE,
)
_COUNTS = re.compile(r"\b(?:count|tally|track|compte|cuenta|z[aä]hle?)\b", re.IGNORECASE)
_PAST = re.compile(r"\b(?:did|so far|today|yesterday|already|have)\b", re.IGNORECASE)


def matches(request: ToolRequest) -> Parameters | None:
    when = request.plain_timing
    found = _SAID.search(when.rest) or _SAID_LAST.search(when.rest)
    if found is None or when.delay_s is not None or when.open_end or _PAST.search(when.rest):
        return None
    if when.duration_s is None and not _COUNTS.search(when.rest):
        return None  # a question, not a request
    phrase = (found["phrase"] or found.groupdict().get("other") or "").strip()
    duration = when.duration_s or MINUTES_S
    if not 0 < len(phrase) <= LONGEST_PHRASE or duration > DAY_S:
        return None
    args = {"phrase": phrase, "duration_s": duration}
    return Parameters(tool_name(request, "count_words"), args, duration + 15.0, topic=phrase, language=request.language)


def code(parameters: Parameters) -> str:
    return filled(TEMPLATE, parameters, summary(parameters), "counted_words", "deaf")


def summary(parameters: Parameters) -> str:  # noqa: ARG001 -- one sentence for all
    return "Listen for a while and say how often certain words were said."


def cases(parameters: Parameters) -> tuple[Case, ...]:  # noqa: ARG001 -- all tools of this recipe have the same cases
    return (case({"duration_s": 5.0}, SUCCESS), case({"duration_s": 0.0}, ERROR), case({"phrase": ""}, ERROR))


RECIPE = ToolRecipe("count_words", matches, code, cases, summary, lambda _: {"microphone", "speak"})
