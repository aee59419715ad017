"""Where to look and turn: head, body, antennas, points in the room and in the picture."""

from __future__ import annotations

import re
from typing import Any

from reachy_mind.brains.reflex import followups, quantities, thing_names
from reachy_mind.brains.reflex.intents.clause import IT, Clause, Parts, Rules, step, within
from reachy_mind.brains.reflex.numbers import plain
from reachy_mind.brains.reflex.plan import Ask, Pause, Step
from reachy_mind.brains.reflex.tokens import Spoken
from reachy_mind.brains.reflex.visual_questions import last_thing
from reachy_mind.models.wordpiece import without_accents

RULES = Rules()

FAR: dict[str, dict[str, float]] = {
    "sideways": {"small": 15, "large": 50, "full": 60},
    "upright": {"small": 10, "large": 30, "full": 40},
    "turn": {"small": 20, "large": 120, "full": 160},
    "tilt": {"small": 10, "large": 25, "full": 30},
}
"""Degrees that "a bit", "a lot" and "as far as you can" stand for."""
USUAL_TILT = 20.0
MOST_TILT, MOST_UPRIGHT, MOST_TURN, MOST_ANTENNA = 30.0, 45.0, 320.0, 180.0
MOST_AXIS = {"pitch": 45.0, "yaw": 45.0, "roll": 30.0}
LONGEST_HOLD_S = 60.0
MOST_TIMES = 5
"""Nods, shakes and waves of one request."""

_AMOUNTS = {"little": "small", "much": "large", "max": "full"}
_HOLD = re.compile(r"\b(?:for|pendant|durante|lang|por)\b")


_BARE_HEAD = re.compile(
    r"(?:please )?(?:turn|move|rotate) (?:your |the )?head|(?:tourne|bouge) (?:la |ta )?tete"
    r"|(?:gira|mueve) la cabeza|(?:dreh|beweg)e? (?:den |deinen )?kopf"
)
"""Says that the head should move, and not where."""


@RULES.of("move_head")
def _move_head(clause: Clause) -> Parts:
    given = _angles(clause)
    if given and not clause.picked("direction") and not clause.picked("tilt"):
        exact = {axis: plain(within(value, MOST_AXIS[axis])) for axis, value in given.items()}
        return step("move_head", exact | clause.pace)
    raised = re.search(
        r"-?\d+(?:\.\d+)? ?(mm|millimet|cm|centimet)", quantities.english(clause.found.said, clause.language)
    )
    if raised and (way := clause.picked("direction")) in ("up", "down"):
        by = (quantities.number(clause.found.said, clause.language) or 0) * (10 if raised[1].startswith("c") else 1)
        return step("look_at", {"z": plain(within(by if way == "up" else -by, 50.0))})
    degrees = clause.number("degrees", quantities.degrees)
    far = _AMOUNTS.get(clause.picked("amount"), "")
    if side := clause.picked("tilt"):
        lean = min(abs(degrees) if degrees is not None else FAR["tilt"].get(far, USUAL_TILT), MOST_TILT)
        note = f"{lean:g} degrees is as far as my head tilts." if degrees is not None and abs(degrees) > lean else ""
        return _held(clause, {"roll": plain(lean if side == "right" else -lean)}, note)
    way = clause.picked("direction")
    last = clause.last("move_head")
    if not way and last:
        way = str(last.args.get("direction", ""))
        way = followups.OPPOSITE.get(way, way) if clause.opposite else way
    if not way or (way == "front" and _BARE_HEAD.fullmatch(clause.plainly)):
        return None
    upright = way.startswith(("up", "down"))
    args: dict[str, Any] = {"direction": way}
    note = ""
    if way != "front" and (degrees is not None or far):
        wanted = abs(degrees) if degrees is not None else FAR["upright" if upright else "sideways"][far]
        most = MOST_UPRIGHT if upright else 180.0
        note = f"{most:g} degrees is as far as my head goes." if wanted > most else ""
        args["degrees"] = plain(min(max(wanted, 1.0), most))
    return _held(clause, args, note)


def _angles(clause: Clause) -> dict[str, float]:
    """Angles by their names, those the reader marked and those that plainly stand there."""
    said = Spoken.of(quantities.english(clause.found.said, clause.language)).text
    out: dict[str, float] = {}
    for axis in ("pitch", "yaw", "roll"):
        value = clause.number(axis, quantities.degrees)
        if value is None and (found := re.search(rf"\b{axis}\b\D{{0,12}}?(-?\d+(?:\.\d+)?)", said)):
            value = float(found[1])
        if value is not None:
            out[axis] = value
    return out


def _held(clause: Clause, args: dict[str, Any], note: str) -> Parts:
    """With its pace; "over two seconds" is how long it takes, "for two seconds" how long it stays."""
    duration = clause.number("duration", quantities.seconds)
    args |= clause.pace
    if duration is None:
        return step("move_head", args, note)
    if _HOLD.search(without_accents(clause.found.said.lower())):
        return [Step("move_head", args, note=note), Pause(min(duration, LONGEST_HOLD_S))]
    return step("move_head", args | {"duration": plain(within(duration, 30.0, 0.1))}, note)


@RULES.of("look_around")
def _look_around(clause: Clause) -> Parts:  # noqa: ARG001
    return [Step("move_head", {"direction": way}) for way in ("left", "right", "front")]


@RULES.of("rotate")
def _rotate(clause: Clause) -> Parts:
    degrees = clause.number("degrees", quantities.degrees)
    amount, way = clause.picked("amount"), clause.picked("direction")
    if amount == "half_turn" and degrees is None:
        degrees = 180.0
    elif amount and degrees is None:
        degrees = FAR["turn"][_AMOUNTS[amount]]
    last = clause.last("rotate")
    if not way and last and (degrees is not None or clause.pace or clause.again or clause.opposite):
        way = str(last.args.get("direction", "left"))
        way = followups.OPPOSITE.get(way, way) if clause.opposite else way
        if degrees is None and (clause.again or clause.opposite):
            degrees = last.args.get("degrees")
    if not way and degrees is None:
        degrees = 180.0
    args: dict[str, Any] = {"direction": way or "left"}
    if degrees is not None:
        if degrees < 0:
            args["direction"] = "right" if args["direction"] == "left" else "left"
        args["degrees"] = plain(min(max(abs(degrees), 1.0), MOST_TURN))
    return step("rotate", args | clause.pace)


@RULES.of("set_antennas")
def _set_antennas(clause: Clause) -> Parts:
    side, to = clause.picked("side"), clause.picked("to")
    degrees = clause.number("degrees", quantities.degrees)
    level = re.search(
        r"\b(?:level|horizontal\w*|sideways|flat|waagerecht|waagrecht)\b", without_accents(clause.found.said)
    )
    if degrees is None and level:
        degrees = 90.0
    last = clause.last("set_antennas")
    if degrees is None and not to and last is not None:
        if last.args.get("wiggle"):
            to = "wiggle"
        else:
            degrees = last.args.get("left", last.args.get("right"))
    if degrees is None and to == "wiggle":
        return step("set_antennas", {"wiggle": True})
    if degrees is None:
        if not to:
            return step("set_antennas", {"wiggle": True}) if not side else None
        degrees = 0.0 if to == "up" else 180.0
    sides = [side] if side in ("left", "right") else ["left", "right"]
    return step("set_antennas", dict.fromkeys(sides, plain(within(degrees, MOST_ANTENNA))))


@RULES.of("nod", "shake", "wave")
def _gesture(clause: Clause) -> Parts:
    args: dict[str, Any] = {}
    times = clause.number("times", quantities.count)
    if times is None:
        times = quantities.times(clause.found.said, clause.language)
    note = ""
    if times is not None:
        args["times"] = min(max(int(times), 1), MOST_TIMES)
        note = f"{MOST_TIMES} times is the most I do at once." if times > MOST_TIMES else ""
    if side := clause.picked("side"):
        args["side"] = side
    return step(clause.found.label, {**clause.again, **args, **clause.pace}, note)


@RULES.of("look_at")
def _look_at(clause: Clause) -> Parts:
    most = {"pitch": 45.0, "yaw": 180.0, "roll": 45.0, "z": 50.0}
    named = _angles(clause)
    args = {
        axis: plain(within(value, bound))
        for axis, bound in most.items()
        if (value := named.get(axis, _axis(clause, axis))) is not None
    }
    return step("look_at", args) if args else None


def _axis(clause: Clause, axis: str) -> float | None:
    value = clause.number(axis, quantities.number)
    if value is None or axis != "z":
        return value
    said = quantities.english(clause.found.said, clause.language).lower()
    lowered = re.search(r"lower|down|baisse|abaiss|baja|senk", said) and value > 0
    return (-value if lowered else value) * (10 if re.search(r"\bcm\b|centim", said) else 1)


@RULES.of("look_at_world")
def _look_at_world(clause: Clause) -> Parts:
    if told := _metres(quantities.english(clause.found.said, clause.language)):
        return step("look_at_world", told)
    args: dict[str, Any] = {"x": 0, "y": 0, "z": 0}
    for axis in args:
        text = quantities.english(clause.words(axis), clause.language)
        if text and (value := quantities.number(text)) is not None:
            args[axis] = plain(within(value / (100 if re.search(r"\bcm\b|centim", text) else 1), 100.0))
    if not clause.found.spans and len(values := quantities.numbers_in(clause.found.said, clause.language)) >= 3:
        args = dict(zip("xyz", map(plain, values), strict=False))
    return step("look_at_world", args)


_DISTANCE = re.compile(
    r"(-?\d+(?:\.\d+)?)(?: and a half)? ?(?:m|meters?|metres?|(?P<cm>cm|centimet\w+))\b(?P<where>[^,;\d]*)"
)
_TOWARDS = {
    ("x", 1): r"front|ahead|forward|away|devant|delante|vor\b|vorn|frente",
    ("x", -1): r"behind|derriere|detras|hinter",
    ("y", 1): r"left|gauche|izquierda|links",
    ("y", -1): r"right|droite|derecha|rechts",
    ("z", 1): r"up|above|high|height|haut|arriba|alto|altura|hoch|hohe|uber",
    ("z", -1): r"down|below|under|bas\b|dessous|abajo|unten|unter",
}


def _metres(said: str) -> dict[str, Any]:
    """ "two metres ahead, one to your right, half a metre up"."""
    args: dict[str, Any] = {}
    said = re.sub(r"\b(?:half a|half an|1 half) (?=met|m\b)", "0.5 ", without_accents(said))
    said = re.sub(r"\b(?:a|an|un|une|ein|einen|einem) (?=met|m\b)", "1 ", said)
    said = Spoken.of(said).text
    for found in _DISTANCE.finditer(said):
        value = float(found[1]) / (100 if found["cm"] else 1)
        for (axis, sign), words in _TOWARDS.items():
            if axis not in args and re.search(rf"\b(?:{words})", found["where"]):
                args[axis] = plain(round(sign * value, 3))
                break
    if high := re.search(r"(?:height of|hauteur de|altura de|hohe von) (-?\d+(?:\.\d+)?) ?(cm|centim)?", said):
        args["z"] = plain(float(high[1]) / (100 if high[2] else 1))
    return {"x": 0, "y": 0, "z": 0} | args if len(args) >= 2 else {}


@RULES.of("look_at_pixel")
def _look_at_pixel(clause: Clause) -> Parts:
    u, v = (clause.number(axis, quantities.number) for axis in ("u", "v"))
    if u is None or v is None:
        values = [value for value in quantities.numbers_in(clause.found.said, clause.language) if value >= 0]
        if len(values) < 2:
            return None
        u, v = values[:2]
    return step("look_at_pixel", {"u": int(u), "v": int(v)})


def _looked_at(said: str) -> str:
    """The thing in "look at the table", where the reader did not mark it."""
    found = re.search(
        r"\b(?:look|stare|glance|gaze|peek) (?:down |over )?(?:at|for) (?:the|my|that|this|a|an) (\w+)", said, re.I
    )
    return found[1] if found else ""


@RULES.of("look_at_object")
def _look_at_object(clause: Clause) -> Parts:
    name = re.sub(r"^(?:the|a|an|my|your|le|la|les|un|une|mon|ma|el|los|las|der|die|das|den|dem) ", "",
                  clause.words("name") or _looked_at(clause.found.said), flags=re.IGNORECASE)  # fmt: skip
    if not name or name.casefold() in IT:
        name = last_thing((*clause.earlier, *clause.before))
    elif clause.language != "en" and (thing := thing_names.read(name, clause.language)) is not None:
        name = f"{thing.colour} {thing.name}".strip()  # as the detectors call it
    return step("look_at_object", {"name": name}) if name else (Ask("thing", Step("look_at_object")),)
