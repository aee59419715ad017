"""Conditions on what is there now: "if somebody is there, wave, otherwise look around".

The robot looks, then does one thing or the other. A standing rule ("whenever ...") needs a program: not read here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from reachy_mind.brains.brain import ToolCall
from reachy_mind.brains.reflex import condition_clauses, perceived
from reachy_mind.brains.reflex.condition_clauses import ELSE, Acts, ConditionClause, parts
from reachy_mind.brains.reflex.conditions import saw
from reachy_mind.brains.reflex.perceived import Perceived
from reachy_mind.brains.reflex.plan import Condition, Part, Plan, Step
from reachy_mind.eyes.object_names import PEOPLE

Understand = Callable[[str], Plan]


def at_once(text: str, understand: Understand) -> Plan | None:
    """The plan of a request whose condition is decided by one look; None for any other request."""
    language = understand(text).language

    def acts(words: str) -> bool:
        return bool(_steps(words, understand))

    clause = asked(text, language, acts) or condition_clauses.split(text, language, acts=acts)
    if clause is None or clause.standing or clause.what.kind == "heard" or _ONLY_LOOKS.fullmatch(clause.action):
        return None
    then, otherwise = _steps(clause.action, understand), _steps(clause.otherwise, understand)
    if not then or (clause.otherwise and not otherwise):
        return None
    condition = Condition(text.strip(), _test(clause.what), then, otherwise)
    return Plan((_look(clause.what), condition), language)


_ONLY_LOOKS = re.compile(
    r"(?:look|check|see|guck|schau|sieh|regarde|v[eé]rifie|mira|comprueba)(?: mal| nach| here| there)*", re.IGNORECASE
)
"""A question in other words: "look if anyone is there"."""
_WHETHER = re.compile(
    r"^(?:please |can you |could you |bitte |kannst du |peux-tu |puedes )?(?:look|check|see|find out|guck|schau"
    r"|sieh|regarde"
    r"|v[eé]rifie|mira|comprueba)(?: mal| nach| bien)*,? (?:if|whether|ob|si) (?P<about>.+?)[\s,?.]+(?:(?:and|und"
    r"|et|y) )?"
    r"(?:if|wenn|falls|si|s') ?(?P<rest>.+)$",
    re.IGNORECASE,
)
"""Look whether it is so, and if it is (or is not), do this."""
_QUESTION = re.compile(
    r"^(?:(?:is|are) (?P<en>.+?)|ist (?P<de>.+?)|(?:est-ce qu'|y a-t-)?(?P<fr>il(?: y a)? .+?)"
    r"|\u00bf?(?P<es>hay .+?))\s*\?\s*"
    r"(?:and |und |et |y )?(?:if|wenn|si) (?P<rest>.+)$",
    re.IGNORECASE,
)
"""A question, and what to do if the answer is yes, or no."""
_ANSWER = re.compile(
    r"^(?:(?P<yes>so|yes|it is|they are|ja|oui|c'est le cas|s[ií]|es as[ií])|(?P<no>not|it isn't|nicht|nein|non"
    r"|no))\b[\s,:]*"
    r"(?:then |dann |alors |entonces )?(?P<action>\S.*)$",
    re.IGNORECASE,
)


def asked(text: str, language: str, acts: Acts) -> ConditionClause | None:
    """A question about what is there with what depends on the answer: "is anybody there? If so, wave"."""
    said = " ".join(text.replace("\u2019", "'").split()).strip(" .!")
    question = _QUESTION.match(said)
    found = question or _WHETHER.match(said)
    if found is None:
        return None
    about = _statement(question) if question else found["about"]
    answer, what = _ANSWER.match(found["rest"]), perceived.read(about, language)
    if answer is None:  # "... and if it is gone, ...": a condition of its own
        own = parts(about, found["rest"], language, acts)
        return ConditionClause(own[0], own[1], own[2]) if own is not None else None
    if what is None or what.kind == "heard":
        return None
    action, *other = ELSE.split(answer["action"], maxsplit=1)
    if answer["no"]:
        what = replace(what, kind="gone" if what.kind == "seen" else "seen")
    return ConditionClause(what, action, other[0].strip(" ,.!?") if other else "")


def _statement(found: re.Match[str]) -> str:
    """A question as a statement: "is anybody there" is "anybody is there"."""
    if found["en"]:
        first, _, rest = found["en"].partition(" ")
        return f"{first} is {rest}"
    if found["de"]:
        return f"{found['de']} ist"
    return found["fr"] or found["es"] or ""


def _steps(words: str, understand: Understand) -> tuple[Part, ...]:
    """What to do; nothing when any of it is not understood."""
    made = understand(words) if words else Plan()
    return made.parts if made.steps and made.understood else ()


def _look(what: Perceived) -> Step:
    if what.thing.name == PEOPLE:
        return Step("detect_faces", quiet=True)
    return Step("detect_objects", {"names": [what.thing.name]}, quiet=True)


def _test(what: Perceived) -> Callable[[str, Sequence[ToolCall]], bool | None]:
    def test(_said: str, calls: Sequence[ToolCall]) -> bool | None:
        looked = next((call for call in reversed(calls) if call.name in ("detect_faces", "detect_objects")), None)
        if looked is None or looked.outcome.status != "ok":
            return None
        return _there(looked, what) == (what.kind == "seen")

    return test


def _there(looked: ToolCall, what: Perceived) -> bool:
    if not what.thing.colour and what.at_least == 1:
        return saw(looked)
    data = looked.outcome.data if isinstance(looked.outcome.data, dict) else {}
    there = [seen for key in ("objects", "faces") for seen in data.get(key, ()) if isinstance(seen, dict)]
    return sum(what.thing.colour in ("", seen.get("colour")) for seen in there) >= what.at_least
