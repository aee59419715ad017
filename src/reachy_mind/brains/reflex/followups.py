"""Sentences that mean something only after what was done before: "again", "a bit more", "the other way", "slower"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reachy_mind.brains.reflex.plan import Before, Part, Step, Words
from reachy_mind.motion.library.dances import DANCES
from reachy_mind.tools.tunables import revised

Answer = Sequence[Part] | Part

OPPOSITE = {
    "left": "right", "right": "left", "up": "down", "down": "up", "up_left": "down_right", "up_right": "down_left",
    "down_left": "up_right", "down_right": "up_left",
}  # fmt: skip
_FEELINGS = ("happy sad", "excited calm", "proud shy", "curious bored", "angry loving", "agreeing disagreeing",
             "scared determined", "relieved nervous", "grateful disappointed", "playful tired")  # fmt: skip
OPPOSITE_FEELINGS = {one: other for pair in _FEELINGS for one, other in (pair.split(), reversed(pair.split()))}
COUNTED, MOST_TIMES = frozenset(("nod", "shake", "wave")), 5
"""Tools that are told how often."""
NOTHING_YET = Words("There is nothing to go on from yet. Tell me what to do first.")


def repeated(before: Sequence[Before], times: int = 1) -> Answer:
    """The same once more, or some times."""
    if not before:
        return NOTHING_YET
    if times > 1 and len(before) == 1 and before[0].tool in COUNTED:
        return Step(before[0].tool, {**before[0].args, "times": min(times, MOST_TIMES)})
    return [Step(call.tool, dict(call.args)) for call in before] * min(max(times, 1), 5)


_SMALL = re.compile(r"\b(?:bit|little|slightly|just|tad|touch|peu|poco|poquito|bisschen|wenig|etwas|tick)\b")
_LARGE = re.compile(r"\b(?:lot|much|way|far|beaucoup|mucho|viel|weit)\b")


def scaled(before: Sequence[Before], sign: int, how: str = "") -> Answer:
    """More (1) or less (-1) of the last thing; `how` are the words that tell by how much."""
    if not before:
        return NOTHING_YET
    call = before[-1]
    for axis in ("amplitude", "volume", "count")[: 2 if sign > 0 else 3]:  # more of a nod is the same nod again
        if (args := revised(call.tool, call.args, axis, sign, _size(how))) is not None:
            return Step(call.tool, args)
    return Step(call.tool, dict(call.args)) if sign > 0 else Words("I can't do that any less.")


def _size(how: str) -> str:
    return "small" if _SMALL.search(how) else "large" if _LARGE.search(how) else "medium"


def turned_round(before: Sequence[Before]) -> Answer:  # noqa: PLR0911 -- a tool each
    """The last thing, the other way."""
    for call in reversed(before):
        args = dict(call.args)
        if args.get("direction") in OPPOSITE:
            return Step(call.tool, args | {"direction": OPPOSITE[args["direction"]]})
        if call.tool == "move_head" and isinstance(args.get("roll"), int | float):
            return Step(call.tool, args | {"roll": -args["roll"]})
        if call.tool == "set_antennas" and ("left" in args) != ("right" in args):
            return Step(call.tool, {"right" if "left" in args else "left": args.get("left", args.get("right"))})
        if call.tool == "wave":
            return Step("wave", args | {"side": "left" if args.get("side") == "right" else "right"})
        if call.tool == "nod":
            return Step("shake", args)
        if call.tool == "shake":
            return Step("nod", args)
        if isinstance(args.get("enabled"), bool):
            return Step(call.tool, args | {"enabled": not args["enabled"]})
        if (feeling := OPPOSITE_FEELINGS.get(str(args.get("emotion")))) is not None:
            return Step(call.tool, args | {"emotion": feeling})
    return Words("Which way? Tell me left, right, up or down.") if before else NOTHING_YET


def paced(before: Sequence[Before], sign: int, how: str = "") -> Answer:
    """The same, faster (1) or slower (-1)."""
    if not before:
        return NOTHING_YET
    calls = before[-1:] if before[-1].tool == "speak" else before
    able = [(call.tool, revised(call.tool, call.args, "speed", sign, _size(how))) for call in calls]
    steps = [Step(tool, args) for tool, args in able if args is not None]
    return steps or Words("I can't change the pace of that.")


def undone(before: Sequence[Before]) -> Answer:  # noqa: PLR0911 -- a tool each
    """Back to how it was before the last thing."""
    for call in reversed(before):
        args = dict(call.args)
        if call.tool == "rotate":
            return Step("rotate", args | {"direction": OPPOSITE.get(str(args.get("direction")), "right")})
        if call.tool == "move_head":
            return Step("move_head", {"direction": "front"})
        if call.tool in ("set_timer", "set_reminder"):
            name = args.get("label") or args.get("text")
            return Step("cancel_timer", {"label": name} if name else {})
        if call.tool == "store_memory":
            return Step("forget_memory", {"query": args.get("content", "")})
        if isinstance(args.get("enabled"), bool):
            return Step(call.tool, args | {"enabled": not args["enabled"]})
        if call.tool == "sleep":
            return Step("wake_up")
        if call.tool == "wake_up":
            return Step("sleep")
        if call.tool in ("set_antennas", "express_emotion", "nod", "shake", "wave", "dance", "play_move"):
            return Step("rest")
    return Words("I can't take that back.") if before else NOTHING_YET


def another(before: Sequence[Before]) -> Answer:
    """Something else of the same kind: "not that one"."""
    for call in reversed(before):
        if call.tool == "dance":
            known = list(DANCES)
            place = known.index(call.args["name"]) if call.args.get("name") in known else 0
            return Step("dance", {"name": known[(place + 1) % len(known)]})
        if call.tool == "set_antennas" and ("left" in call.args) != ("right" in call.args):
            return turned_round(before)
    return Words("Which one then?") if before else NOTHING_YET
