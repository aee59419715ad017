"""Whoever told of an allergy and asks whether they may eat something is reminded of it, and told nothing else.

No model and no rule here knows what is in a dish, and a wrong "yes" does harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from reachy_mind.brains.brain import Turn
from reachy_mind.brains.reflex.plan import Plan, Words
from reachy_mind.brains.reflex.wording import Wording

_ASKS = re.compile(
    r"\b(?:(?:can|could|may|should|shall) i|(?:ok|okay|safe|fine)(?: for me)? (?:to|if i)|am i allowed to)\b.{0,20}?"
    r"\b(?:eat|drink|taste|try|order|have (?:an?|some|the|this|that|one|it)\b(?! look))\b"
    r"|\b(?:puis-je|je peux|est-ce que je peux|pourrais-je|je pourrais)\b.{0,40}\b(?:manger|boire|go[uû]ter|prendre)\b"
    r"|\b(?:puedo|podr[ií]a|debo)\b.{0,40}\b(?:comer|tomar|beber|probar)\b"
    r"|\b(?:kann|darf|k[oö]nnte|soll) ich\b.{0,60}\b(?:essen|trinken|probieren|haben|nehmen)\b",
    re.IGNORECASE,
)
_ALLERGIC = re.compile(
    r"\b(?:i am|i'm|im|speaker is|you are)\b[^.!?]{0,30}\ballergic to (?P<en>[^.,;!?]{2,60})"
    r"|\bje suis\b[^.!?]{0,30}\ballergique (?:à|a|aux?|à la|à l')\s*(?P<fr>[^.,;!?]{2,60})"
    r"|\bsoy\b[^.!?]{0,30}\bal[eé]rgic[oa] (?:a(?:l| la| los| las)?)\s*(?P<es>[^.,;!?]{2,60})"
    r"|\bich bin\b[^.!?]{0,30}\ballergisch (?:gegen|auf) (?P<de>[^.,;!?]{2,60})",
    re.IGNORECASE,
)


def plan(turn: Turn, language: str) -> Plan | None:
    """A reminder of an allergy for a question about eating; None for any other turn."""
    if not _ASKS.search(turn.text):
        return None
    known = list(dict.fromkeys(_told([*_remembered(turn), *(past.said for past in turn.history)])))
    if not known:
        return None
    return Plan((Words(Wording(language).say("allergy_check", what=", ".join(known))),), language)


def _told(sentences: Iterable[str]) -> Iterable[str]:
    for sentence in sentences:
        if found := _ALLERGIC.search(sentence):
            yield next(what for what in found.groupdict().values() if what).strip()


def _remembered(turn: Turn) -> list[str]:
    remembered: Any = turn.context.get("remembered")
    if not isinstance(remembered, dict):
        return []
    known = remembered.get("person", {}).get("allergies", ())
    listed = [known] if isinstance(known, str) else list(known)
    return [*(f"I am allergic to {each}" for each in listed), *map(str, remembered.get("facts", ()))]
