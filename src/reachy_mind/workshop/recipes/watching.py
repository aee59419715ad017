"""Recipe `watch`: looks again and again and says aloud what is new or gone, anything or one kind of thing."""

from __future__ import annotations

import re

from reachy_mind.brains.reflex import condition_clauses
from reachy_mind.workshop.draft import Case
from reachy_mind.workshop.recipes import texts
from reachy_mind.workshop.recipes.recipe import (
    DAY_S,
    ERROR,
    HOUR_S,
    SUCCESS,
    Parameters,
    ToolRecipe,
    case,
    explained,
    filled,
    tool_name,
)
from reachy_mind.workshop.recipes.request import ToolRequest

INTERVAL_S = 3.0

TEMPLATE = '''\
"""$summary"""

import asyncio
import time
from collections import Counter

from reachy_mind import tools


async def $tool(
    thing: str = $thing, event: str = $event, interval_s: float = $interval_s, duration_s: float = $duration_s
) -> dict:
    """$summary

    Args:
        thing: Only this kind of thing, such as cup; anything, if empty.
        event: What to say aloud: appear, disappear or change (both).
        interval_s: Seconds from one look to the next, at least 0.5.
        duration_s: Seconds in all, at most a day.

    Returns:
        dict: status, message, alerts (when and what) and problems.
    """
    if event not in ("appear", "disappear", "change") or not (interval_s >= 0.5 and 0 < duration_s <= 86400):
        return {"status": "error", "message": "The event, the interval or the duration can't be used."}
    alerts = []
    problems = []
    looks = 0
    before = None
    began = time.monotonic()
$place    while before is None or time.monotonic() - began < duration_s:
        try:
            now = await _things(thing)
            if before is not None and now != before:
                await asyncio.sleep(0.4)
                again = await _things(thing)  # a second look: detectors flicker
                came, went = (now & again) - before, before - (now | again)
                now = again
                came = Counter() if event == "disappear" else came
                went = Counter() if event == "appear" else went
                await _tell(came, went, alerts, began)
            before = now
            looks += 1
        except tools.ToolError as error:
            problems.append(error.message)
            if not looks and len(problems) >= 3:
                break
        await asyncio.sleep(max(0.05, min(interval_s, began + duration_s - time.monotonic())))
        if time.monotonic() - began >= duration_s:
            break
    return {
        "status": "success" if looks else "error",
        "message": $watched if looks else $blind,
        "alerts": alerts,
        "looks": looks,
        "problems": problems[:10],
    }


async def _things(thing: str) -> Counter:
    """The names of the things that the camera sees now, with how many there are of each."""
    if thing == "person":
        return Counter({"person": (await tools.call("detect_faces"))["count"]})
    found = await tools.call("detect_objects", **({"names": [thing]} if thing else {}))
    return Counter(each["name"] for each in found["objects"])


async def _tell(came: Counter, went: Counter, alerts: list, began: float) -> None:
    """Say what is new and what is gone, and note it."""
    for kind, changed in (("new", came), ("gone", went)):
        if changed:
            names = ", ".join(sorted(changed))
            alerts.append({"after_s": round(time.monotonic() - began, 1), "kind": kind, "names": sorted(changed)})
            await tools.call("speak", text=$new if kind == "new" else $gone)
'''
_PLACES = {
    "table": r"table|desk|tabletop|mesa|escritorio|tisch|schreibtisch|bureau",
    "floor": r"floor|ground|sol|suelo|piso|boden",
    "ceiling": r"ceiling|plafond|techo|decke",
}
_LOOK_THERE = """\
    try:
        await tools.call("look_at_object", name="{place}")
    except tools.ToolError as error:
        problems.append(error.message)
"""
_TELL = (
    r"(?:alert|warn|notify|inform|tell|let (?:me|us) know|say|shout|announce|report|call out|call me"
    r"|give me a (?:shout|sign|heads[- ]up)|speak up|beep|ping me|signal|scream|an alarm|goe?s? off"
    r"|pr[eé]viens|avertis|alerte|dis|signale|annonce|informe|crie"
    r"|av[ií]sa(?:me|nos)?|dime|alerta(?:me)?|al[eé]rtame|notif[ií]ca(?:me)?|di|anuncia|inf[oó]rma(?:me)?"
    r"|grita"
    r"|adv[ií]erte(?:me)?"
    r"|sag|melde|warne?|benachrichtige|gib|alarmiere|k[uü]ndige|informiere|ruf)"
)
_WATCH = (
    r"(?:monitor|watch|keep (?:an eye|watch|your eyes?) (?:on|over|out)|observe|guard|look out|survey"
    r"|supervise|check"
    r"|look at|stand guard|be on the lookout|surveil"
    r"|surveille|observe|gardes? (?:un|l'|les) (?:œil|oeil|yeux)|guette|regarde|monte la garde"
    r"|vigila|observa|monitorea|controla|supervisa|mira|echa un ojo"
    r"|beobachte|[uü]berwache|behalte|pass(?:e)?|bewache|schau)"
)
_ANYTHING = (
    r"(?:something|anything|some ?thing|things?|objects?|items?|stuff|what|quelque chose|objets?|choses?"
    r"|algo"
    r"|alguna cosa|objetos?|cosas?|(?:sich )?etwas|(?:sich )?was|dinge?|objekte?"
    r"|gegenst[aä]nde?|irgendetwas)"
)
_NEW = (
    r"(?:new|appears?|shows? up|arrives?|added|put|placed|comes?|turns up|nouve\w+|appara[iî]t\w*|arrive"
    r"|ajout\w+"
    r"|nuev[oa]s?|aparec\w+|aparezc\w+|llegu?\w+|neue?[sn]?|auftauch\w*|erschein\w*|dazukomm\w*"
    r"|hinzukomm\w*)"
)
_GONE = (
    r"(?:gone|disappears?|vanish\w*|taken|removed|missing|stolen|leaves?|dispara[iî]\w*|enlev\w+|manque"
    r"|vol[eé]\w*|desapare\w+|falt\w+|quit\w+|verschwind\w*|fehl\w*|weg\w*|entfernt\w*)"
)
_CHANGE = (
    r"(?:chang\w+|different|move[sd]?|moving|happens?|cambi\w+|mueva|mueve|pase|ocurra|diferente|bouge\w*"
    r"|se passe|diff[eé]rent|[aä]nder\w*|ver[aä]nder\w*|beweg\w*|passiert|anders)"
)


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


_TELLS, _WATCHES, _ANY = _pattern(_TELL), _pattern(_WATCH), _pattern(_ANYTHING)
_IS_NEW, _IS_GONE, _IS_OTHER = _pattern(_NEW), _pattern(_GONE), _pattern(_CHANGE)
_CHANGES = _pattern(
    r"(?:(?:any |the )?changes|changements?|cambios|ver[aä]nderungen|[aä]nderungen"
    r"|new (?:\w+ )?(?:things?|objects?|items?|stuff)|nouve\w+ (?:objets?|choses?)"
    r"|(?:objetos?|cosas?) nuev[oa]s?|neue[sn]? (?:dinge?|objekte?|gegenst[aä]nde?)|what(?:'s"
    r"| is) new)"
)
_ONLY_TELL = re.compile(
    (
        rf"^(?:.*?\b(?:and|then|et|puis|y|luego|und|dann)\s+)?{_TELL}(?:[- ](?:me|us|moi|nous|mir|uns|mich|dich"
        rf"|bescheid"
        rf"|alarm|laut|it|so|loud|aloud|to me|an alert|something|out|le|lo|es))*$"
    ),
    re.IGNORECASE,
)


def matches(request: ToolRequest) -> Parameters | None:
    when = request.timing
    if request.is_statement or when.delay_s is not None or when.open_end:
        return None
    found = _anything(when.rest) or _one_kind(request)
    if found is None:
        return None
    thing, event, place = found
    interval, duration = when.interval_s or INTERVAL_S, when.duration_s or HOUR_S
    if interval < 0.5 or duration > DAY_S:
        return None
    name = (
        f"watch_for_{thing}"
        if thing
        else {"appear": "watch_for_new_things", "disappear": "watch_for_missing_things"}.get(event, "watch_for_changes")
    )
    args = {"thing": thing, "event": event, "interval_s": interval, "duration_s": duration}
    return Parameters(
        tool_name(request, name),
        args,
        duration + 10.0,
        kind=place,
        topic=thing or place or "scene",
        language=request.language,
    )


def _anything(text: str) -> tuple[str, str, str] | None:
    """Something, anything or "changes": new, gone or both."""
    if not _TELLS.search(text) and not _WATCHES.search(text):
        return None
    place = next((place for place, words in _PLACES.items() if _pattern(f"(?:{words})").search(text)), "")
    changes, new, gone = bool(_CHANGES.search(text)), _IS_NEW.search(text), _IS_GONE.search(text)
    if not changes and not (_ANY.search(text) and (new or gone or _IS_OTHER.search(text))):
        return None
    if (
        not changes
        and not _WATCHES.search(text)
        and not re.search(
            r"\b(?:when|if|once|as soon as|every time|si|quand|d[eè]s|cuando|en cuanto|wenn|falls|sobald)\b",
            text,
            re.IGNORECASE,
        )
    ):
        return None
    event = "change" if (new and gone) or (not new and not gone) else "appear" if new else "disappear"
    return "", event, place


def _one_kind(request: ToolRequest) -> tuple[str, str, str] | None:
    """One kind of thing: "let me know when a cup appears"."""
    plain = request.plain_timing.rest
    clause = condition_clauses.split(plain, request.language, standing=True)
    if (
        clause is None
        or clause.what.kind == "heard"
        or clause.what.at_least > 1
        or clause.otherwise
        or not _ONLY_TELL.match(clause.action.strip(" .,"))
    ):
        return None
    return clause.what.thing.name, "appear" if clause.what.kind == "seen" else "disappear", ""


def code(parameters: Parameters) -> str:
    place = _LOOK_THERE.format(place=parameters.kind) if parameters.kind else ""
    return filled(TEMPLATE, parameters, summary(parameters), "watched", "blind", "new", "gone", place=place)


def summary(parameters: Parameters) -> str:
    where = f" at the {parameters.kind}" if parameters.kind else ""
    return f"Look{where} again and again and say aloud what is new or gone."


def cases(parameters: Parameters) -> tuple[Case, ...]:
    change = {"at": 5.0} | ({"remove": "duck"} if parameters.args["event"] == "disappear" else {"add": "ball"})
    watches_all = not parameters.args["thing"]
    told = {"robot": {"sentences": {">=": 1}}, "scene": [change]} if watches_all else {}
    return (
        case({"interval_s": 2.0, "duration_s": 20.0}, SUCCESS, **told),
        case({"interval_s": 0.0}, ERROR),
        case({"event": "explode"}, ERROR),
    )


def _explanation(parameters: Parameters) -> str:
    event = texts.text("events", str(parameters.args["event"]), parameters.language)
    told = explained("watch", parameters, event=event)
    return f"{told} ({parameters.args['thing']})" if parameters.args["thing"] else told


def _capabilities(parameters: Parameters) -> set[str]:
    return {"camera", "speak"} | ({"motion"} if parameters.kind else set())


RECIPE = ToolRecipe("watch", matches, code, cases, summary, _capabilities, _explanation)
