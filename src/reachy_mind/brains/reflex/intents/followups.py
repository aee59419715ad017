"""What means something only after what was done before."""

from __future__ import annotations

import re
from typing import Any

from reachy_mind.brains.reflex import followups, quantities
from reachy_mind.brains.reflex.intents.clause import Clause, Parts, Rules, step
from reachy_mind.brains.reflex.numbers import plain
from reachy_mind.models.wordpiece import without_accents

RULES = Rules()
_PACES = {
    1: re.compile(r"\b(?:faster|quicker|more quickly|plus vite|mas rapido|schneller)\b"),
    -1: re.compile(r"\b(?:slower|more slowly|moins vite|plus lentement|mas despacio|mas lento|langsamer)\b"),
}


@RULES.of("@again", "@both_do")
def _again(clause: Clause) -> Parts:
    if re.match(r"(?:now )?(?:say|repeat|dis|repete|di|repite|sag)", clause.plainly) and (last := clause.last("speak")):
        return step("speak", dict(last.args))
    if sign := next((sign for sign, words in _PACES.items() if words.search(clause.plainly)), 0):
        return _listed(followups.paced(clause.before, sign, clause.plainly))
    times = quantities.times(clause.found.said, clause.language)
    if times is None and re.search(r"\d|\btimes\b|\bfois\b|\bveces\b|mal\b", clause.found.said):
        times = quantities.count(clause.found.said, clause.language)
    return _listed(followups.repeated(clause.before, times or 1))


@RULES.of("@more", "@less")
def _scaled(clause: Clause) -> Parts:
    sign = 1 if clause.found.label == "@more" else -1
    by = next(reversed(quantities.numbers_in(clause.found.said, clause.language)), None)
    if by and (last := clause.last("rotate", "move_head")) and last.args.get("direction") in followups.OPPOSITE:
        way = last.args["direction"] if sign > 0 else followups.OPPOSITE[last.args["direction"]]
        degrees = by if last.tool == "rotate" else by + float(last.args.get("degrees") or 0)
        return step(last.tool, {**last.args, "direction": way, "degrees": plain(min(abs(degrees), 320.0))})
    return _listed(followups.scaled(clause.before, sign, without_accents(clause.found.said)))


@RULES.of("@other_way")
def _other_way(clause: Clause) -> Parts:
    return _listed(followups.turned_round(clause.before))


@RULES.of("@faster", "@slower")
def _paced(clause: Clause) -> Parts:
    sign = 1 if clause.found.label == "@faster" else -1
    return _listed(followups.paced(clause.before, sign, without_accents(clause.found.said)))


@RULES.of("@undo")
def _undone(clause: Clause) -> Parts:
    return _listed(followups.undone(clause.before))


@RULES.of("@not_that")
def _another(clause: Clause) -> Parts:
    return _listed(followups.another(clause.before))


def _listed(answer: Any) -> Parts:
    return answer if isinstance(answer, list | tuple) or answer is None else [answer]
