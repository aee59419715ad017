"""Recipe `rule`: standing rules on what is seen or heard: "whenever you see a person, wave"."""

from __future__ import annotations

import re
from typing import Any

from reachy_mind.brains.reflex import condition_clauses
from reachy_mind.eyes.object_names import PEOPLE
from reachy_mind.workshop.draft import Case
from reachy_mind.workshop.recipes import actions, texts
from reachy_mind.workshop.recipes.actions import Actions
from reachy_mind.workshop.recipes.imperatives import imperative
from reachy_mind.workshop.recipes.recipe import (
    DAY_S,
    ERROR,
    HOUR_S,
    SUCCESS,
    Parameters,
    ToolRecipe,
    case,
    explained,
    filled_with_actions,
    tool_name,
)
from reachy_mind.workshop.recipes.request import ToolRequest

INTERVAL_S = 2.0

SEEN = '''\
"""$summary"""

import asyncio
import time

from reachy_mind import tools


async def $tool(
    thing: str = $thing,$colour_parameter interval_s: float = $interval_s, duration_s: float = $duration_s
) -> dict:
    """$summary

    Args:
        thing: What to look for, such as person or cup.${colour_doc}
        interval_s: Seconds from one look to the next, at least 0.5.
        duration_s: Seconds in all, at most a day.

    Returns:
        dict: status, message, happened (how often it was so), done (how often it was acted on), problems${photo_doc}.
    """
    if not thing or not (interval_s >= 0.5 and 0 < duration_s <= 86400):
        problem = "A thing, an interval of at least 0.5 s and a duration of at most a day are needed."
        return {"status": "error", "message": problem}
    happened = done = looks = absent = 0
    was_there = False
    problems = []${photo_list}
    began = time.monotonic()
    while looks == 0 or time.monotonic() - began < duration_s:
        try:
            there = await _count(thing$colour_argument) > 0
            looks += 1
            absent = 0 if there else absent + 1
            $came
            if there or absent >= 2:  # one look without it may be a detector's slip
                was_there = there
            if triggered:
                happened += 1
$actions
                done += 1
        except tools.ToolError as error:
            problems.append(error.message)
            if not looks and len(problems) >= 3:
                break
        await asyncio.sleep(max(0.05, min(interval_s, began + duration_s - time.monotonic())))
        if time.monotonic() - began >= duration_s:
            break
    return {
        "status": "success" if looks else "error",
        "message": $ruled if looks else $blind,
        "happened": happened,
        "done": done,${photo_result}
        "problems": problems[:10],
    }


async def _count(thing: str$colour_signature) -> int:
    """How many of them the camera sees now."""
    if thing == "person":
        faces = (await tools.call("detect_faces"))["count"]
        if faces:
            return faces
    try:
        found = await tools.call("detect_objects", names=[thing])
    except tools.ToolError:
        if thing == "person":
            return 0  # faces are found without a detector of things
        raise
    return $counted
'''
HEARD = '''\
"""$summary"""

import re
import time

from reachy_mind import tools


async def $tool(phrase: str = $phrase, duration_s: float = $duration_s) -> dict:
    """$summary

    Args:
        phrase: The words to listen for; any speech, if empty.
        duration_s: Seconds in all, at most a day.

    Returns:
        dict: status, message, happened (how often it was so), done (how often it was acted on), problems${photo_doc}.
    """
    if not 0 < duration_s <= 86400:
        return {"status": "error", "message": "The duration is above 0 and at most a day."}
    wanted = _words(phrase)
    happened = done = times = 0
    problems = []${photo_list}
    began = time.monotonic()
    while times == 0 or time.monotonic() - began < duration_s:
        left = began + duration_s - time.monotonic()
        try:
            heard = (await tools.call("listen", duration_seconds=max(0.5, min(4.0, left))))["text"]
            times += 1
            if heard and (not phrase.strip() or wanted in _words(heard)):
                happened += 1
$actions
                done += 1
        except tools.ToolError as error:
            problems.append(error.message)
            if not times and len(problems) >= 3:
                break
    return {
        "status": "success" if times else "error",
        "message": $ruled if times else $deaf,
        "happened": happened,
        "done": done,${photo_result}
        "problems": problems[:10],
    }


def _words(text: str) -> str:
    """The words without punctuation, each between spaces."""
    return " " + " ".join(re.findall(r"\\w+", text.casefold())) + " "
'''
_CONDITION = re.compile(r"\b(?:if|when|whenever|unless|until|si|quand|cuando|wenn|falls|sobald)\b", re.IGNORECASE)
"""A second condition, which this recipe does not serve."""
_JOINED = re.compile(r"(?:\s*,\s*|\s+)(?:and|et|y|und)\s+|\s*[,;]\s*", re.IGNORECASE)


def matches(request: ToolRequest) -> Parameters | None:
    when = request.plain_timing
    if when.delay_s is not None or when.open_end:
        return None

    def read(words: str) -> Actions | None:
        asked = imperative(_without_watching(words), request.language)
        return actions.read(asked, request.understand, request.language)

    clause = condition_clauses.split(
        when.rest, request.language, standing=request.wants_tool or None, acts=lambda words: read(words) is not None
    )
    if (
        clause is None
        or clause.what.at_least > 1
        or clause.otherwise
        or not (clause.standing or clause.what.phrase)
        or _CONDITION.search(clause.action)
    ):
        return None
    wanted = read(clause.action)
    if wanted is None:
        return None
    duration = when.duration_s or HOUR_S
    what = clause.what
    if what.kind == "heard":
        args: dict[str, Any] = {"phrase": what.phrase, "duration_s": duration}
        name = f"{wanted.name}_on_{what.phrase or 'speech'}"
    else:
        args = {"thing": what.thing.name, **({"colour": what.thing.colour} if what.thing.colour else {})}
        args |= {"interval_s": when.interval_s or INTERVAL_S, "duration_s": duration}
        name = f"{wanted.name}_when_{what.thing.name}_{what.kind}"
    if duration > DAY_S or (when.interval_s or INTERVAL_S) < 0.5:
        return None
    return Parameters(
        tool_name(request, name),
        args,
        duration + wanted.seconds,
        actions=wanted,
        kind=what.kind,
        topic=wanted.words,
        language=request.language,
    )


def _without_watching(words: str) -> str:
    """Without "watch the door and": the rule does that."""
    joined = _JOINED.search(words) if condition_clauses.WATCHING.match(words) or words.startswith("look") else None
    return words[joined.end() :] if joined is not None else words


def code(parameters: Parameters) -> str:
    colour = parameters.args.get("colour")
    heard, gone = parameters.kind == "heard", parameters.kind == "gone"
    return filled_with_actions(
        HEARD if heard else SEEN,
        parameters,
        summary(parameters),
        "ruled",
        "deaf" if heard else "blind",
        indent=16,
        came="triggered = was_there and absent == 2" if gone else "triggered = there and not was_there",
        colour_parameter=f" colour: str = {colour!r}," if colour else "",
        colour_doc="\n        colour: Only things of this colour; any, if empty." if colour else "",
        colour_argument=", colour" if colour else "",
        colour_signature=", colour: str" if colour else "",
        counted='sum(colour in ("", each.get("colour")) for each in found["objects"])' if colour else 'found["count"]',
    )


def summary(parameters: Parameters) -> str:
    done = parameters.wanted.name.replace("_", " ")
    if parameters.kind == "heard":
        return f"Do this each time certain words are heard: {done}."
    return f"Do this each time something {'is gone' if parameters.kind == 'gone' else 'comes into view'}: {done}."


def cases(parameters: Parameters) -> tuple[Case, ...]:
    wrong = case({"duration_s": 0.0}, ERROR)
    if parameters.kind == "heard":
        return (wrong,)
    if parameters.kind == "gone" or parameters.args.get("colour"):
        return (case({"duration_s": 8.0}, SUCCESS), wrong)
    thing = str(parameters.args["thing"])
    comes = {"at": 2.0} | ({"person": True} if thing == PEOPLE else {"add": thing})
    seen = {name: {">=": 1} if name == "photos" else what for name, what in parameters.wanted.seen(1).items()}
    return (case({"duration_s": 20.0}, SUCCESS, robot=seen, scene=[comes]), wrong)


def _explanation(parameters: Parameters) -> str:
    if parameters.kind == "heard":
        phrase = str(parameters.args["phrase"]) or "..."
        return explained("rule_heard", parameters, phrase=f"\u201c{phrase}\u201d")
    thing = f"{parameters.args.get('colour', '')} {parameters.args['thing']}".strip()
    return explained(
        "rule_seen", parameters, thing=thing, event=texts.text("events", parameters.kind, parameters.language)
    )


def _capabilities(parameters: Parameters) -> set[str]:
    return parameters.wanted.capabilities | {"microphone" if parameters.kind == "heard" else "camera"}


RECIPE = ToolRecipe("rule", matches, code, cases, summary, _capabilities, _explanation)
