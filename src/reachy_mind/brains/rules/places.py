"""Where to look and turn: head, body, antennas."""

from __future__ import annotations

import re
from typing import Any

from reachy_mind.brains.clauses import Clause
from reachy_mind.brains.manner import Manner
from reachy_mind.brains.numbers import plain
from reachy_mind.brains.phrases import spaced
from reachy_mind.brains.plan import Part, Pause, Setting, Step
from reachy_mind.brains.rules.rule import Answer, Match, Rulebook

BOOK = Rulebook()

LOOK = frozenset(spaced("look glance peek gaze stare peer face watch"))
TURN = frozenset(spaced("turn rotate spin swivel pivot twist swing twirl revolve"))
TILT = frozenset(spaced("tilt lean incline cock roll bend tip"))
MOVE = frozenset(
    spaced(
        """move point aim raise lift lower drop bring put direct orient shift set hold bow duck steer position
        droop perk hang prick straighten whip crane angle"""
    )
)
BARE = frozenset(spaced("head face eyes chin body antennas antenna ears nose both"))
"""A clause may begin with the part itself: "head up"."""
VERBS = LOOK | TURN | TILT | MOVE
RAISING = frozenset(spaced("raise lift perk prick straighten"))
LOWERING = frozenset(spaced("lower drop bow duck droop hang"))
WIGGLE = frozenset(spaced("wiggle twitch flap wag waggle jiggle flick flutter wave shake vibrate"))

LANDMARKS = frozenset(spaced("window door wall corner room camera screen lamp plant window's shelf"))
"""Things that stand where somebody says: "to the window on your left"."""

FAR: dict[str, dict[str, float]] = {
    "sideways": {"small": 15, "half": 20, "large": 50, "full": 60},
    "upright": {"small": 10, "half": 12, "large": 30, "full": 40},
    "turn": {"small": 20, "half": 80, "large": 120, "full": 160},
    "tilt": {"small": 10, "half": 10, "large": 25, "full": 30},
}
USUAL_TILT = 20.0
MOST_TILT, MOST_UPRIGHT, MOST_TURN, MOST_ANTENNA = 30.0, 45.0, 320.0, 180.0
MOST_AXIS = {"pitch": 45.0, "yaw": 45.0, "roll": 30.0}
LONGEST_HOLD_S = 60.0
UPRIGHT = ("up", "down")
SIDES = ("left", "right")

_AXIS = (
    r"(?:(?: ,)?(?: and| with| at| to| a)? (?:pitch|yaw|roll)(?: of| to| at| angle| is| :)?"
    r" -?\d+(?:\.\d+)?(?: degrees)?)"
)
_WHOLE_HEAD = r"(?:your |the )?(?:head|head pose|pose|gaze)"


@BOOK.pattern(
    rf"(?P<exact>look at|go to|goto|look to|assume|take)(?: the| a)?(?: pose| position| exact pose)?(?: with| "
    rf"of)?{_AXIS}{{1,3}}",
    rf"(?:move|set|turn|bring|put|point|tilt|rotate|hold) {_WHOLE_HEAD}(?: to| at)?(?: the)?{_AXIS}{{1,3}}",
    rf"(?:set|move|change)(?: your| the)?(?: head)?{_AXIS}{{1,3}}",
)
def exact_angles(match: Match) -> Answer:
    """ "set your head to pitch 10 and yaw -20"."""
    found = re.findall(r"(pitch|yaw|roll)\D*?(-?\d+(?:\.\d+)?)", match[0])
    args = {axis: plain(min(max(float(value), -MOST_AXIS[axis]), MOST_AXIS[axis])) for axis, value in found}
    return Step("look_at" if "exact" in match.groups else "move_head", args, match.said.as_said())


@BOOK.pattern(r"(?:look|point|gaze) at (?:the )?pixel(?: at)?(?: u)? (?P<u>\d+)(?: ,| and| by| x)?(?: v)? (?P<v>\d+)")
def look_at_pixel(match: Match) -> Answer:
    return Step("look_at_pixel", {"u": int(match["u"]), "v": int(match["v"])}, match.said.as_said())


_METRES = r"-?\d+(?:\.\d+)?(?: (?:m|meters?|metres?))?"


@BOOK.pattern(
    rf"(?:look|point|gaze|turn) (?:at|to|towards) (?:the |a )?(?:point|coordinates?|position|world point|spot)(?: "
    rf"at)?(?: x)?"
    rf" (?P<x>{_METRES})(?: ,| and)?(?: y)? (?P<y>{_METRES})(?: ,| and| , and)?(?: z)? (?P<z>{_METRES})",
    rf"(?:look|point|gaze) at x (?P<x>{_METRES})(?: ,| and)? y (?P<y>{_METRES})(?: ,| and| , and)? z (?P<z>{_METRES})",
)
def look_at_world(match: Match) -> Answer:
    args = {axis: plain(float(match[axis].split()[0])) for axis in ("x", "y", "z")}
    return Step("look_at_world", args, match.said.as_said())


@BOOK.rule
def head_body_antennas(clause: Clause, setting: Setting) -> Answer:  # noqa: PLR0911 -- a part each
    """ "look up a bit", "turn thirty degrees left", "raise your left antenna", "now right"."""
    words = clause.core.words
    if not words:
        return None
    if words[:2] in (("take", "a"), ("have", "a")) and words[2:3] and words[2] in LOOK:
        words = words[2:]
    verb = words[0] if words[0] in VERBS | WIGGLE else ""
    rest = words[1:] if verb else words
    manner = Manner.of(list(rest))
    if manner.directions and not manner.antenna and verb and set(manner.strange) <= LANDMARKS:
        manner.strange.clear()
    if manner.strange or (not verb and not (rest[0] in BARE or manner.antenna or (setting.verb and manner.directions))):
        return None
    if not verb and words[0] not in BARE and not manner.antenna:
        verb = setting.verb
        if verb not in VERBS:
            return None
    if verb in LOOK and "around" in words:
        return None
    if manner.antenna:
        return _antennas(verb, manner, clause)
    if verb in WIGGLE - VERBS or (clause.negated and not manner.directions):
        return None
    if verb in TILT and "body" not in manner.parts:
        return _tilted(manner, clause)
    if (verb in TURN and "head" not in manner.parts) or ("body" in manner.parts and verb not in LOOK):
        return _turned(manner, clause)
    return _looked(verb, manner, clause)


def _looked(verb: str, manner: Manner, clause: Clause) -> Answer:
    towards = list(dict.fromkeys(manner.directions))
    if not towards and "head" in manner.parts and verb in RAISING | LOWERING:
        towards = ["up" if verb in RAISING else "down"]
    if "behind" in towards:
        return _turned(manner, clause) if verb in LOOK | TURN and towards == ["behind"] else None
    if not towards or (verb in MOVE and "head" not in manner.parts):
        return None
    if "front" in towards:
        return _held("move_head", {"direction": "front"}, manner, clause) if len(towards) == 1 else None
    upright = [way for way in towards if way in UPRIGHT]
    sideways = [way for way in towards if way in SIDES]
    if len(upright) > 1 or len(sideways) > 1:  # "look left and right", "move your head up and down"
        return [Step("move_head", {"direction": way} | _paced(manner), clause.core.as_said()) for way in towards]
    args: dict[str, Any] = {"direction": "_".join(upright + sideways)}
    degrees = manner.degrees if manner.degrees is not None else manner.bare
    if degrees is None and manner.amount:
        degrees = FAR["upright" if upright else "sideways"][manner.amount]
    note = ""
    if degrees is not None:
        given = min(max(abs(degrees), 1.0), MOST_UPRIGHT if upright else 180.0)
        note = "" if given == abs(degrees) else f"{given:g} degrees is as far as my head goes."
        args["degrees"] = plain(given)
    return _held("move_head", args, manner, clause, note)


def _tilted(manner: Manner, clause: Clause) -> Answer:
    towards = list(dict.fromkeys(manner.directions))
    if len(towards) > 1 or not (towards or "head" in manner.parts):
        return None
    if towards and towards[0] not in SIDES:
        return _looked("look", manner, clause)
    degrees = manner.degrees if manner.degrees is not None else manner.bare
    if degrees is None:
        degrees = FAR["tilt"].get(manner.amount, USUAL_TILT)
    given = min(abs(degrees), MOST_TILT)
    note = "" if given == abs(degrees) else f"{given:g} degrees is as far as my head tilts."
    side = -1 if towards != ["right"] else 1
    return _held("move_head", {"roll": plain(side * given)}, manner, clause, note)


def _turned(manner: Manner, clause: Clause) -> Answer:
    towards = list(dict.fromkeys(manner.directions))
    if any(way in UPRIGHT for way in towards):
        return None
    if "front" in towards:
        return _held("rest" if "body" in manner.parts else "move_head", {} if "body" in manner.parts
                     else {"direction": "front"}, manner, clause)  # fmt: skip
    sides = [way for way in towards if way in SIDES]
    if len(sides) > 1:
        return [Step("rotate", {"direction": side} | _paced(manner), clause.core.as_said()) for side in sides]
    degrees = manner.degrees if manner.degrees is not None else manner.bare
    if degrees is None and manner.amount and not ("behind" in towards and manner.amount == "full"):
        degrees = FAR["turn"][manner.amount]
    if "behind" in towards or (not towards and clause.core.words[0] in ("spin", "twirl", "revolve", "pivot")):
        degrees = degrees or 180.0
    if not towards and degrees is None:
        return None
    args: dict[str, Any] = {"direction": sides[0] if sides else "left"}
    if degrees is not None:
        if degrees < 0:
            args["direction"] = "right" if args["direction"] == "left" else "left"
        args["degrees"] = plain(min(max(abs(degrees), 1.0), MOST_TURN))
    return _held("rotate", args, manner, clause)


def _antennas(verb: str, manner: Manner, clause: Clause) -> Answer:
    sides = [part.split()[0] for part in manner.parts if part in ("left antenna", "right antenna")]
    if not sides or len(sides) == 2:
        sides = ["left", "right"]
    ways = [way for way in manner.directions if way in (*UPRIGHT, "front")]
    if verb in WIGGLE or (verb in ("move", "shift") and not ways and manner.degrees is None and manner.bare is None):
        return Step("set_antennas", {"wiggle": True}, clause.core.as_said())
    degrees = manner.degrees if manner.degrees is not None else manner.bare
    if degrees is None:
        if verb in RAISING or "up" in ways or "front" in ways:
            degrees = {"small": 45.0, "half": 45.0}.get(manner.amount, 0.0)
        elif verb in LOWERING or "down" in ways:
            degrees = {"small": 45.0, "half": 90.0, "full": 180.0}.get(manner.amount, 150.0)
        elif len(manner.directions) == 1 and manner.directions[0] in SIDES:
            return None
        else:
            return None
    bounded = plain(min(max(degrees, -MOST_ANTENNA), MOST_ANTENNA))
    return Step("set_antennas", dict.fromkeys(sides, bounded), clause.core.as_said())


def _paced(manner: Manner) -> dict[str, Any]:
    return {"speed": manner.speed} if manner.speed and manner.speed != "normal" else {}


def _held(tool: str, args: dict[str, Any], manner: Manner, clause: Clause, note: str = "") -> list[Part]:
    """With its pace, and a pause when it is to stay there."""
    args |= _paced(manner)
    if manner.over_s is not None and tool == "move_head":
        args["duration"] = plain(min(max(manner.over_s, 0.1), 30.0))
    parts: list[Part] = [Step(tool, args, clause.core.as_said(), note)]
    if manner.times and manner.times > 1:
        parts *= min(manner.times, 5)
    if manner.hold_s:
        parts.append(Pause(min(manner.hold_s, LONGEST_HOLD_S)))
    return parts


@BOOK.pattern(
    r"(?:look|glance|peek|gaze) (?:all )?around(?: you| yourself| the room| here| the place)?",
    r"(?:look|glance) (?:from )?(?:side to side|left to right|everywhere|in all directions|both ways|to both sides)",
    r"(?:have|take) a look around(?: you| the room)?|scan (?:the|this) room|survey (?:the|this) room|check your "
    r"surroundings",
)
def look_around(match: Match) -> Answer:
    said = match.said.as_said()
    return [Step("move_head", {"direction": way}, said) for way in ("left", "right", "front")]


@BOOK.pattern(
    r"(?:do|make|take|perform|give me|try) (?:a |an )?(?:quick |little |slow |full |complete |half "
    r")?(?P<side>left|right)?"
    r" ?(?:hand )?(?:turn|spin|rotation|twirl|pirouette)(?: to the (?P<way>left|right))?",
    r"(?:do|make|take|perform) (?:a |an )?(?P<degrees>\d+)(?: degrees?)?(?: (?:turn|spin|rotation))?"
    r"(?: to the (?P<way>left|right))?",
)
def do_a_turn(match: Match) -> Answer:
    """ "make a left turn", "do a 180"."""
    said = match.groups
    args: dict[str, Any] = {"direction": said.get("side") or said.get("way") or "left"}
    if "degrees" in said:
        args["degrees"] = plain(min(max(float(said["degrees"]), 1.0), MOST_TURN))
    elif "side" not in said and "way" not in said:
        args["degrees"] = 180
    return Step("rotate", args, match.said.as_said())


@BOOK.pattern(
    r"(?:center|straighten|reset|level|recenter|align|straighten out)(?: <the>(?:head|gaze|neck|face|view|chin))",
    r"(?:return|go|come|get|move|turn|bring <the>head)(?: back)? to (?:the |your )?(?:center|middle|front)(?: "
    r"position)?",
    r"(?:look|face|turn) (?:back |straight |right )?(?:at|to|towards|toward) (?:the )?(?:front|center|middle)",
    r"(?:look|face) (?:back|here|over here|straight|this way)|(?:back|eyes) (?:to (?:the )?)?(?:front|center|middle)",
    r"(?:put|bring|move|turn) <the>head (?:back|straight|back straight)",
)
def to_the_front(match: Match) -> Answer:
    return Step("move_head", {"direction": "front"}, match.said.as_said())
