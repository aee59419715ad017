"""Recipe `follow`: keeps the head turned to one thing while it moves. For faces there is `head_tracking`."""

from __future__ import annotations

import re

from reachy_mind.brains.reflex import thing_names
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

MINUTE_S = 60.0

TEMPLATE = '''\
"""$summary"""

import asyncio
import time

from reachy_mind import tools


async def $tool(thing: str = $thing, duration_s: float = $duration_s) -> dict:
    """$summary

    Args:
        thing: What to follow, such as cup or red ball.
        duration_s: Seconds in all, at most a day.

    Returns:
        dict: status, message, looks, seen (in how many of them it was seen) and problems.
    """
    if not thing or not 0 < duration_s <= 86400:
        return {"status": "error", "message": "A thing and a duration of at most a day are needed."}
    looks = seen = 0
    problems = []
    began = time.monotonic()
    while True:
        try:
            found = await tools.call("look_at_object", name=thing, duration=0.4)
            looks += 1
            seen += bool(found.get("found", True))
        except tools.ToolError as error:
            problems.append(error.message)
            if len(problems) >= 3 and not looks:
                break
        if time.monotonic() - began >= duration_s:
            break
        await asyncio.sleep(0.2)
    return {
        "status": "success" if looks else "error",
        "message": $followed if looks else $not_done,
        "looks": looks,
        "seen": seen,
        "problems": problems[:10],
    }
'''
_VERB = re.compile(
    (
        r"^(?:.*\b(?:so that you|so you|and)\s+)?(?:follow|track|chase|keep (?:on )?(?:looking|staring|gazing"
        r"|pointing"
        r"|facing)(?: at| to| towards)?|keep (?:track of|following|tracking|watching|your (?:eyes?|gaze|head"
        r"|camera"
        r"|view) (?:on|(?:fixed|pointed|turned|trained|locked) (?:on|at|to|towards?))"
        r"|(?:facing|the camera on))|keep(?= [\w ]+ in (?:view|sight|the (?:cent|middle)|focus|frame))"
        r"|(?:do not|don't"
        r"|never) (?:lose sight of|take your eyes off(?: of)?|look away from|lose)|stay (?:focused|fixed"
        r"|locked) on"
        r"|stare at|lock on(?:to| to)?|always look at"
        r"|(?:suis|poursuis|ne quitte pas|ne perds pas|garde les yeux sur|continue (?:[aà]|de) regarder)"
        r"|(?:sigue"
        r"|persigue|no pierdas de vista|mant[eé]n la (?:vista|mirada) (?:en|sobre)|no quites los ojos de"
        r"|no dejes de mirar)"
        r"|(?:verfolge?|folge?|schau immer auf|blick auf|lass|behalte))\s+(?P<what>.+)$"
    ),
    re.IGNORECASE,
)
_MANNER = re.compile(
    r",?\s*\b(?:with (?:your|the) (?:head|eyes?|gaze|camera|face)|avec (?:ta |la )?(?:t[eê]te|cam[eé]ra)"
    r"|(?:avec|de) (?:tes|les) yeux|des yeux|du regard|con (?:la|tu) (?:cabeza|mirada|vista|c[aá]mara)"
    r"|con (?:los|tus) ojos|mit (?:dem|deinem) (?:kopf|blick)|mit (?:den|deinen) augen)\b",
    re.IGNORECASE,
)
_HELD = re.compile(
    r",?\s+(?:(?:that |which )?(?:i'm|i am|im|i|we|he|she|they|you)\b.*|(?:that|which|who)\b.*|in (?:my|his"
    r"|her) hands?"
    r"|que (?:je|tu|j'|nous|on|tengo|tienes|llevo|est[aá]|tiene|sostengo|muevo)\b.*|qui\b.*|dans (?:ma|la) main"
    r"|en (?:mi|la) mano"
    r"|(?:den|die|das|der) (?:ich|du|wir|er|sie|sich|man)\b.*|in (?:meiner|der) hand)$",
    re.IGNORECASE,
)
"""Where the thing is, or who holds it."""
_ENDS = re.compile(
    (
        r"\s*(?:,|\b(?:with (?:your|the)|as (?:it|he|she)|wherever|while|when|whenever|all|around|everywhere"
        r"|in (?:view"
        r"|sight|the)|where|at all|no matter|even|and look|moving|du regard|avec|des yeux|de vue|partout"
        r"|o[uù] qu|pendant que|quand|tandis"
        r"|con (?:la|los|tu)|de vista|mientras|vaya|cuando|por todas|por todos|mit (?:dem|deinem|den|deinen)"
        r"|nicht aus"
        r"|im (?:auge|blick)|wohin|egal|solange|w[aä]hrend|[uü]berall|wenn)\b).*$"
    ),
    re.IGNORECASE,
)
_MINE = re.compile(r"^(?:my|mine|mon|ma|mes|mi|mis|mein\w*)\b", re.IGNORECASE)


def matches(request: ToolRequest) -> Parameters | None:
    when = request.timing
    found = _VERB.match(" ".join(_MANNER.sub(" ", when.rest).split()).strip(" ?!.,"))
    if found is None or when.interval_s is not None or when.delay_s is not None or when.open_end:
        return None
    words = _HELD.sub("", _ENDS.sub("", found["what"]).strip(" .,")).strip(" .,")
    if words.casefold() in ("it", "him", "that"):
        thing = thing_names.first_in(found[0][: found.start("what")], request.language)
    else:
        thing = thing_names.read(words, request.language)
    if thing is None or thing.name == "person" or (_MINE.match(words) and found[0].casefold().startswith("track")):
        return None
    duration = when.duration_s or MINUTE_S
    if duration > DAY_S:
        return None
    called = f"{thing.colour} {thing.name}".strip()
    args = {"thing": called, "duration_s": duration}
    return Parameters(
        tool_name(request, f"follow_{called}"), args, duration + 30.0, topic=called, language=request.language
    )


def code(parameters: Parameters) -> str:
    return filled(TEMPLATE, parameters, summary(parameters), "followed", "not_done")


def summary(parameters: Parameters) -> str:
    return f"Keep the head turned to one thing while it moves: {parameters.args['thing']}."


def cases(parameters: Parameters) -> tuple[Case, ...]:  # noqa: ARG001 -- all tools of this recipe have the same cases
    return (case({"duration_s": 5.0}, SUCCESS), case({"duration_s": 0.0}, ERROR), case({"thing": ""}, ERROR))


RECIPE = ToolRecipe("follow", matches, code, cases, summary, lambda _: {"motion", "camera"})
