"""Recipe `count`: counts people or things over time, and says how many there were."""

from __future__ import annotations

import re

from reachy_mind.brains.reflex import thing_names
from reachy_mind.brains.word_lists import spaced
from reachy_mind.workshop.draft import Case
from reachy_mind.workshop.recipes.recipe import (
    DAY_S,
    ERROR,
    HOUR_S,
    SUCCESS,
    Parameters,
    ToolRecipe,
    case,
    filled,
    tool_name,
)
from reachy_mind.workshop.recipes.request import ToolRequest

INTERVAL_S = 2.0
ONE_LOOK_S = 1.0

TEMPLATE = '''\
"""$summary"""

import asyncio
import time

from reachy_mind import tools


async def $tool(thing: str = $thing, interval_s: float = $interval_s, duration_s: float = $duration_s) -> dict:
    """$summary

    Args:
        thing: What to count, such as person or cup; everything, if empty.
        interval_s: Seconds from one look to the next, at least 0.5.
        duration_s: Seconds in all, at most a day.

    Returns:
        dict: status, message, total (how many came into view), most (at once), counts (of the last looks) and problems.
    """
    if not (interval_s >= 0.5 and 0 < duration_s <= 86400):
        problem = "The interval is at least 0.5 s; the duration is above 0 and at most a day."
        return {"status": "error", "message": problem}
    counts = []
    problems = []
    total = before = 0
    began = time.monotonic()
    while True:
        try:
            now = await _count(thing)
            total += max(0, now - before)
            before = now
            counts.append(now)
        except tools.ToolError as error:
            problems.append(error.message)
            if not counts and len(problems) >= 3:
                break
        left = began + duration_s - time.monotonic()
        if left <= interval_s:
            break
        await asyncio.sleep(interval_s)
    most = max(counts, default=0)
    message = $counted if counts else $blind
    if counts:
        try:
            await tools.call("speak", text=message)
        except tools.ToolError as error:
            problems.append(error.message)
    return {
        "status": "success" if counts else "error",
        "message": message,
        "total": total,
        "most": most,
        "counts": counts[-100:],
        "problems": problems[:10],
    }


async def _count(thing: str) -> int:
    """How many of them the camera sees now."""
    if thing == "person":
        return (await tools.call("detect_faces"))["count"]
    return (await tools.call("detect_objects", **({"names": [thing]} if thing else {})))["count"]
'''
_VERB = re.compile(
    (
        r"^(?:(?:keep |make |do )?(?:an? |the )?(?:running )?(?:count|tally)(?: of| up)?|count(?: up)?"
        r"|tally(?: up)?|number"
        r"|keep track of|register|log|compte[rz]?|d[eé]nombre|cuenta|contar|z[aä]hle?|z[aä]hl)\b[\s,]*(?:mal "
        r"|for me |pour moi |bitte |please )*"
        r"(?P<what>.+)$"
    ),
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"^(?:how many times|how often|combien de fois|cu[aá]ntas veces|wie oft|how many|combien de|cu[aá]nt[oa]s?"
    r"|wie ?viele?)"
    r"\s+(?:does |do |will )?(?P<what>.+)$",
    re.IGNORECASE,
)
_COUNTER = re.compile(
    r"^(?:(?:make|build|create|write|be|become)(?: yourself| me| us)? )?(?:an? |the )?(?P<what>[\w ]+?)[- ]counter\b",
    re.IGNORECASE,
)
_INNER = re.compile(
    (
        r"^(?:how many times|how often|combien de fois|cu[aá]ntas veces|wie oft|how many|the number of|all"
        r"|all the|all of the|combien de|le nombre de|cu[aá]nt[oa]s?"
        r"|el n[uú]mero de"
        r"|wie ?viele?|die anzahl (?:der|von))\s+"
    ),
    re.IGNORECASE,
)
_ENDS = re.compile(
    (
        r"\s*(?:,|\b(?:that|who|which|you|there|walk\w*|come|comes|coming|pass|passes|passing|go|goes|going"
        r"|are|is|on|in"
        r"|enter\w*|show|appear\w*|jump\w*|run\w*|fly|flies|drive\w*|cross\w*|cross|devant|delante|qui|que tu|sur"
        r"|dans|pass\w+|que|en|sobre|entran?|pasan?|hay|auf|du"
        r"|vorbei\w*|and|et|y|und|in front|around|we|it|were|moving|visible)\b).*$"
    ),
    re.IGNORECASE,
)
_EVERYTHING = frozenset(
    spaced("objects things items stuff everything objets choses objetos cosas objekte dinge gegenst\u00e4nde sachen")
)
_PASSING = re.compile(
    r"\b(?:walk|come|pass|go|enter|drive|cross|jump|run|fly|flies)\w*\b|\bpassent\b|\bentrent\b|\bpasan\b"
    r"|\bentran\b|\bvorbei\w*",
    re.IGNORECASE,
)


def matches(request: ToolRequest) -> Parameters | None:
    when = request.timing
    text = when.rest.strip(" ?!.")
    found = _VERB.match(text) or _COUNTER.match(text) or _HOW_MANY.match(text)
    if found is None or when.delay_s is not None or when.open_end:
        return None
    if when.duration_s is None and not request.wants_tool and not (_PASSING.search(text) and found.re is not _HOW_MANY):
        return None  # one look is a tool that exists
    words = _ENDS.sub("", _INNER.sub("", found["what"])).strip()
    if words.casefold() in ("me", "us", "moi", "nous", "mich", "uns"):
        return None  # "count me in"
    everything = words.casefold().split()[-1:] and words.casefold().split()[-1] in _EVERYTHING
    thing = None if everything else thing_names.read(words, request.language)
    if not everything and thing is None:
        return None
    name = thing.name if thing is not None else ""
    duration = when.duration_s or (HOUR_S if _PASSING.search(text) else ONE_LOOK_S)
    interval = when.interval_s or INTERVAL_S
    if duration > DAY_S or interval < 0.5:
        return None
    args = {"thing": name, "interval_s": interval, "duration_s": duration}
    called = {"person": "people", "": "things"}.get(name, name)
    return Parameters(
        tool_name(request, f"count_{called}"), args, duration + 15.0, topic=words, language=request.language
    )


def code(parameters: Parameters) -> str:
    return filled(TEMPLATE, parameters, summary(parameters), "counted", "blind")


def summary(parameters: Parameters) -> str:
    return f"Count {parameters.args['thing'] or 'things'} with the camera for a while and say how many there were."


def cases(parameters: Parameters) -> tuple[Case, ...]:  # noqa: ARG001 -- all tools of this recipe have the same cases
    return (case({"interval_s": 1.0, "duration_s": 5.0}, SUCCESS), case({"duration_s": 0.0}, ERROR))


RECIPE = ToolRecipe("count", matches, code, cases, summary, lambda _: {"camera", "speak"})
