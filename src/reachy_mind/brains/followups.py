"""Sentences that mean something only after what was done before: "again", "a bit more", "the other way", "slower"."""

from __future__ import annotations

import re
from typing import Any

from reachy_mind.brains.numbers import plain
from reachy_mind.brains.plan import Before, Step, Words
from reachy_mind.brains.rules.rule import Answer, Match, Rulebook

BOOK = Rulebook()

OPPOSITE = {
    "left": "right", "right": "left", "up": "down", "down": "up", "up_left": "down_right", "up_right": "down_left",
    "down_left": "up_right", "down_right": "up_left",
}  # fmt: skip
USUAL_DEGREES = {"up": 20, "down": 25, "left": 35, "right": 35}
STEP_DEGREES = {"small": 8, "": 15, "large": 25}
MOST_DEGREES = {"up": 45, "down": 45}
USUAL_TURN, TURN_STEP = 90, 30
NOTHING_YET = Words("There is nothing to go on from yet. Tell me what to do first.")

_SIZE = (
    r"(?P<size>(?:a (?:tiny |little )?(?:bit|little|lot)|a little|slightly|much|even|a lot|just|way|far|quite a bit)?)"
)


@BOOK.pattern(
    r"(?:and )?(?:again|once more|1 more time|1 times more|another 1|1 more|encore|repeat|repeat (?:that|it|this)"
    r"|same again|the same again|same thing|do the same(?: thing)?(?: again)?|another time|and again|one more)",
    r"(?:do|play|show(?: me)?|try|say|perform|make|run) (?:that|it|this|that 1|the same(?: thing)?|the last "
    r"(?:one|1|thing|move)|the same move|so)(?: (?:again|once more|1 more time|1 times more|another time|over|1 "
    r"more))*",
    r"(?:do|repeat|play|perform|again|show)?(?: (?:that|it|this))?(?: again)? ?(?P<times>\d+)(?: more)? times(?: "
    r"more)?",
)
def again(match: Match) -> Answer:
    before = match.setting.before
    if not before:
        return NOTHING_YET
    times = min(int(match["times"]), 5) if "times" in match.groups else 1
    return [Step(call.tool, dict(call.args), match.said.as_said()) for call in before] * times


@BOOK.pattern(
    rf"{_SIZE} ?(?:more|further|farther|stronger|bigger|higher|lower)(?: please)?(?: in (?:that|the same) "
    rf"direction| that way| than that)?",
    rf"(?:go|turn|look|move|keep going|continue|do it|do that|rotate|tilt|lean|keep turning|keep looking)(?: on)? "
    rf"?{_SIZE} ?(?:more|further|farther)?(?: that way| in that direction)?",
)
def more(match: Match) -> Answer:
    if (
        match[0]
        in ("go", "turn", "look", "move", "do it", "do that", "rotate", "tilt", "lean", "just", "keep turning", "go on")
        and "size" not in match.groups
    ):
        return None
    return _scaled(match, 1)


@BOOK.pattern(
    rf"{_SIZE} ?(?:less|not so (?:much|far)|not that (?:much|far)|too (?:much|far|high|low)|weaker|smaller|back a "
    rf"(?:bit|little))(?: than that)?",
    rf"(?:that is|that was|it is|you went) {_SIZE} ?too (?:much|far)|not (?:quite )?(?:so|that|as) (?:much|far)",
)
def less(match: Match) -> Answer:
    return _scaled(match, -1)


def _scaled(match: Match, sign: int) -> Answer:
    before = match.setting.before
    if not before:
        return NOTHING_YET
    word = match.groups.get("size", "")
    size = (
        "small"
        if re.search(r"bit|little|slightly|just", word)
        else "large"
        if re.search(r"lot|much|way|far", word)
        else ""
    )
    call = before[-1]
    if args := _more(call, sign, size):
        return Step(call.tool, args, match.said.as_said())
    return Step(call.tool, dict(call.args), match.said.as_said()) if sign > 0 else Words("I can't do that any less.")


def _more(call: Before, sign: int, size: str) -> dict[str, Any] | None:  # noqa: PLR0911 -- a tool each
    args = dict(call.args)
    if call.tool == "move_head" and args.get("direction") in OPPOSITE:
        way = str(args["direction"]).partition("_")[0]
        degrees = float(args.get("degrees") or USUAL_DEGREES[way]) + sign * STEP_DEGREES[size]
        return args | {"degrees": plain(min(max(degrees, 3), MOST_DEGREES.get(way, 90)))}
    if call.tool == "move_head" and isinstance(args.get("roll"), int | float):
        lean = abs(args["roll"]) + sign * STEP_DEGREES[size] / 2
        return args | {"roll": plain(min(max(lean, 3), 30) * (1 if args["roll"] > 0 else -1))}
    if call.tool == "rotate":
        # A turn goes on from where the body is; "less" is a little way back.
        way = str(args.get("direction", "left"))
        turn = {"small": 15, "large": 60}.get(size, TURN_STEP)
        return args | {"direction": way if sign > 0 else OPPOSITE.get(way, way), "degrees": turn}
    if call.tool == "express_emotion":
        strength = float(args.get("intensity") or 0.7) + sign * 0.3
        return args | {"intensity": round(min(max(strength, 0.1), 1.0), 2)}
    if call.tool == "set_volume":
        return args | {"volume": min(max(int(args.get("volume", 50)) + sign * 15, 0), 100)}
    if call.tool in ("nod", "shake", "wave") and sign < 0:
        return args | {"times": max(int(args.get("times", 2)) - 1, 1)}
    return None


@BOOK.pattern(
    r"(?:now |and )?(?:(?:go|turn|look|do it|rotate|move|try|do|face|tilt|and|lean)(?: your head)? ?)?(?:now "
    r")?(?:to |in |on |into |from )?(?:the )?(?:other|opposite) (?:way|side|direction|one|1)(?: (?:around|round"
    r"|now))?",
    r"(?:not that (?:way|side|direction)|wrong (?:way|side|direction)|the reverse|reverse(?: it| that)?|vice "
    r"versa|mirror (?:it|that))(?: .{0,20})?",
)
def other_way(match: Match) -> Answer:
    for call in reversed(match.setting.before):
        args = dict(call.args)
        if args.get("direction") in OPPOSITE:
            return Step(call.tool, args | {"direction": OPPOSITE[args["direction"]]}, match.said.as_said())
        if call.tool == "move_head" and isinstance(args.get("roll"), int | float):
            return Step(call.tool, args | {"roll": -args["roll"]}, match.said.as_said())
        if call.tool == "set_antennas" and ("left" in args) != ("right" in args):
            return Step(
                call.tool,
                {"right" if "left" in args else "left": args.get("left", args.get("right"))},
                match.said.as_said(),
            )
        if call.tool == "nod":
            return Step("shake", args, match.said.as_said())
        if call.tool == "shake":
            return Step("nod", args, match.said.as_said())
    return Words("Which way? Tell me left, right, up or down.") if match.setting.before else NOTHING_YET


@BOOK.pattern(
    r"(?:do (?:it|that) |again |now |a bit |a little |much |even |but |go |and |once more |, )*(?P<fast>faster"
    r"|quicker|more quickly|quickly|fast|speed up|hurry|hurry up)(?: (?:this time|again|than that))?",
    r"(?:do (?:it|that) |again |now |a bit |a little |much |even |but |go |and |once more |, )*(?P<slow>slower|more "
    r"slowly|slowly|slow down|not so fast|too fast)(?: (?:this time|again|than that))?",
)
def pace(match: Match) -> Answer:
    speed = "fast" if "fast" in match.groups else "slow"
    paced = [
        call for call in match.setting.before if call.tool in ("nod", "shake", "wave", "move_head", "rotate", "rest")
    ]
    if not paced:
        return NOTHING_YET if not match.setting.before else Words("I can't change the pace of that.")
    return [Step(call.tool, dict(call.args) | {"speed": speed}, match.said.as_said()) for call in paced]


@BOOK.pattern(
    r"(?:go |look |turn |come |move |now )?back(?: (?:again|now|please|there))?|undo(?: (?:that|it|this))?|take "
    r"(?:that|it) back",
)
def back(match: Match) -> Answer:
    for call in reversed(match.setting.before):
        if call.tool == "rotate":
            way = OPPOSITE.get(str(call.args.get("direction")), "right")
            return Step("rotate", dict(call.args) | {"direction": way}, match.said.as_said())
        if call.tool == "move_head":
            return Step("move_head", {"direction": "front"}, match.said.as_said())
        if call.tool in ("set_antennas", "express_emotion", "nod", "shake", "wave", "dance", "play_move"):
            return Step("rest", {}, match.said.as_said())
    return Step("move_head", {"direction": "front"}, match.said.as_said()) if "undo" not in match[0] else NOTHING_YET


VERB_OF = {
    "set_timer": "timer",
    "express_emotion": "act",
    "move_head": "look",
    "rotate": "turn",
    "set_antennas": "raise",
}


def verb_of(before: Before) -> str:
    """The verb a call stands for, for a clause that has none."""
    if before.tool == "move_head" and "roll" in before.args:
        return "tilt"
    return VERB_OF.get(before.tool, "")
