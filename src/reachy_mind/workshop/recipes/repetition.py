"""Recipe `repeat`: an action every N seconds for M minutes."""

from __future__ import annotations

import re
from dataclasses import replace

from reachy_mind.brains.reflex import quantities
from reachy_mind.workshop.draft import Case
from reachy_mind.workshop.recipes import actions, timing
from reachy_mind.workshop.recipes.recipe import (
    DAY_S,
    ERROR,
    HOUR_S,
    SUCCESS,
    Parameters,
    ToolRecipe,
    case,
    filled_with_actions,
    tool_name,
)
from reachy_mind.workshop.recipes.request import ToolRequest
from reachy_mind.workshop.recipes.timing import Timing

SHORTEST_S = 0.5

TEMPLATE = '''\
"""$summary"""

import asyncio
import math
import time

from reachy_mind import tools


async def $tool(interval_s: float = $interval_s, duration_s: float = $duration_s) -> dict:
    """$summary

    Args:
        interval_s: Seconds from one time to the next, at least 0.5.
        duration_s: Seconds in all, at most a day.

    Returns:
        dict: status, message, done (how many times it was done) and problems${photo_doc}.
    """
    if not (interval_s >= 0.5 and 0 < duration_s <= 86400):
        problem = "The interval is at least 0.5 s; the duration is above 0 and at most a day."
        return {"status": "error", "message": problem}
    rounds = max(1, math.ceil(duration_s / interval_s))
    began = time.monotonic()
    done = 0
    problems = []${photo_list}
    for number in range(rounds):
        await asyncio.sleep(max(0.0, began + number * interval_s - time.monotonic()))
        try:
$actions
            done += 1
        except tools.ToolError as error:
            problems.append(error.message)
    return {
        "status": "success" if done else "error",
        "message": $repeated if done else $not_done,
        "done": done,${photo_result}
        "problems": problems[:10],
    }
'''
_PHOTOS = re.compile(
    (
        r"\b(?P<count>\d+|\w+(?:-\w+)?)\s+(?:photos|pictures|snapshots|images|shots|selfies|fotos|im[aá]genes"
        r"|bilder"
        r"|clich[eé]s)\b"
    ),
    re.IGNORECASE,
)
_ONE_EACH = re.compile(r",?\s*\b(?:one|une|una|eins|eines|ein|once|each)$", re.IGNORECASE)
_TIME_LAPSE = re.compile(
    r"^(?:make |take |record |shoot |do |film )?(?:a |an )?time[- ]?lapse\b(?: (?:video|film|of [\w ]+))?[\s:,]*",
    re.IGNORECASE,
)


def matches(request: ToolRequest) -> Parameters | None:
    when = request.timing
    interval = when.interval_s
    if interval is None or interval < SHORTEST_S or when.delay_s is not None or when.open_end:
        return None
    if request.is_statement:
        return None
    when = _counted(when, request.language)
    wanted = actions.read(when.rest, request.understand, request.language)
    if wanted is None:
        return None
    duration = interval * when.times if when.times else when.duration_s or _usual_duration(interval)
    if duration > DAY_S or duration < interval or interval >= DAY_S:
        return None
    args = {"interval_s": interval, "duration_s": float(duration)}
    return Parameters(
        tool_name(request, f"{wanted.name}_repeatedly"),
        args,
        duration + wanted.seconds,
        actions=wanted,
        topic=wanted.words,
        language=request.language,
    )


def _usual_duration(interval_s: float) -> float:
    """Where none was said: an hour, or eight times if that is longer, and never more than a day."""
    return min(DAY_S, max(HOUR_S, 8 * interval_s))


def _counted(when: Timing, language: str) -> Timing:
    """With "ten photos" as how often, and a photo as what to do."""
    rest = _ONE_EACH.sub("", when.rest)
    lapse = _TIME_LAPSE.match(rest)
    if lapse:
        rest = "take a photo"
    elif found := _PHOTOS.search(rest):
        count = quantities.number(found["count"], language)
        if count and count >= 2:
            rest = rest[: found.start("count")] + rest[found.end("count") :]
            when = replace(when, times=round(count))
    when = replace(when, rest=" ".join(rest.split()))
    return timing.without_times(when, language) if when.duration_s is None and when.times is None else when


def code(parameters: Parameters) -> str:
    return filled_with_actions(TEMPLATE, parameters, summary(parameters), "repeated", "not_done", indent=12)


def summary(parameters: Parameters) -> str:
    return f"Do this again and again: {parameters.wanted.name.replace('_', ' ')}."


def cases(parameters: Parameters) -> tuple[Case, ...]:
    slow = any(tool in ("speak", "dance") for tool in parameters.wanted.tools)
    short = {"interval_s": 30.0, "duration_s": 60.0} if slow else {"interval_s": 5.0, "duration_s": 15.0}
    rounds = 2 if slow else 3
    return (
        case(short, {**SUCCESS, "done": rounds}, robot=parameters.wanted.seen(rounds)),
        case({"interval_s": 0.0, "duration_s": 10.0}, ERROR),
        case({"interval_s": 5.0, "duration_s": -1.0}, ERROR),
    )


RECIPE = ToolRecipe("repeat", matches, code, cases, summary)
