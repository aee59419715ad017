"""Feelings, dances, moves, rest."""

from __future__ import annotations

import re
from typing import Any

from reachy_mind.brains.reflex import quantities
from reachy_mind.brains.reflex.intents.clause import Clause, Parts, Rules, step
from reachy_mind.brains.reflex.intents.movement import LONGEST_HOLD_S
from reachy_mind.brains.reflex.plan import Pause
from reachy_mind.models.wordpiece import without_accents
from reachy_mind.motion.library.dances import MAX_REPEATS

RULES = Rules()

_MOVES = {
    "shrug": r"shrug|epaul|hombro|schulter|achsel",
    "peekaboo": r"peek.?a|coucou|cucu|kuckuck",
}
_MORE = re.compile(r"\b(?:more|stronger|less|weaker|plus fort|moins|mas|menos|starker|mehr|weniger)\b")


@RULES.of("express_emotion")
def _express_emotion(clause: Clause) -> Parts:
    strength = {"little": 0.4, "much": 1.0}.get(clause.picked("amount"))
    if re.search(
        r"as (?:strong\w*|much|hard|big) as|maximum|full on|with all|al maximo|au maximum|so stark wie", clause.plainly
    ):
        strength = 1.0
    if exact := re.search(r"\b(0?\.\d+|1\.0)\b", clause.found.said):
        strength = float(exact[1])
    emotion = clause.picked("emotion")
    last = clause.last("express_emotion")
    if last and (not emotion or (len(clause.found.said.split()) <= 6 and _MORE.search(clause.plainly))):
        emotion = str(last.args.get("emotion", ""))
    if not emotion:
        return None
    return step("express_emotion", {"emotion": emotion} | ({"intensity": strength} if strength else {}))


@RULES.of("dance")
def _dance(clause: Clause) -> Parts:
    args: dict[str, Any] = {"name": clause.picked("name") or "random"}
    again = clause.number("repeat", quantities.count)
    if again is not None and (lasting := quantities.length(clause.words("repeat"), clause.language)):
        again = sum(value * quantities.UNIT_SECONDS[unit] for unit, value in lasting.items()) / 10
    if again is not None:
        args["repeat"] = min(max(round(again), 1), MAX_REPEATS)
    last = clause.last("dance")
    if again is not None and args["name"] == "random" and last:
        args["name"] = last.args.get("name", "random")
    return step("dance", args)


@RULES.of("play_move")
def _play_move(clause: Clause) -> Parts:
    name = clause.words("name")
    plainly = without_accents(name or clause.found.said)
    known = next((move for move, words in _MOVES.items() if re.search(words, plainly)), "")
    if not name and (
        called := re.search(r"(?:move|recording|mouvement|movimiento|bewegung)(?: called| named)? (\S+)", plainly)
    ):
        name = called[1].strip(".,!?\"'")
    name = known or re.sub(r"^(?:the|a|an|my|your) ", "", name.lower()).replace(" ", "_").replace("-", "_")
    return step("play_move", {"name": name}) if name else None


@RULES.of("rest")
def _rest(clause: Clause) -> Parts:
    return step("rest", clause.pace)


@RULES.of("pause")
def _pause(clause: Clause) -> Parts:
    seconds = clause.number("duration", quantities.seconds)
    return (Pause(min(seconds if seconds is not None else 2.0, LONGEST_HOLD_S)),)
