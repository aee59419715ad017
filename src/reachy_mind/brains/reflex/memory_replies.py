"""What memory answered, as it is said: by rules, in the language of the question."""

from __future__ import annotations

import re
from typing import Any

from reachy_mind.brains.reflex.plan import Step
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.memory.sentences import UNKNOWN, aspect
from reachy_mind.models.wordpiece import without_accents
from reachy_mind.tools.definition import Outcome

TOOLS = ("search_memories", "get_user_profile")
_KEYS = {
    "name": r"\bnamen?\b|\bnombre\b|\bnom\b|prenom|who (?:am|i)|called|appell|llam|heiss|qui suis|quien soy|wer bin",
    "birthday": r"birthday|born|anniversaire|cumple|geburtstag",
    "home": r"\blive\b|\bhome\b|address|habit|vivo|wohn",
    "age": r"how old|\bage\b|quel age|cuantos anos|wie alt",
    "dislikes": r"\bhate|dislike|don'?t like|deteste|odio|hasse",
    "allergies": r"allerg",
    "likes": r"\blike|\blove|enjoy|\baime|gusta|\bmag\b|liebe",
    "language": r"language|speak|langue|idioma|sprache",
    "job": r"\bjob\b|work|for a living|travail|trabaj|arbeit",
}
_ALL = re.compile(
    r"what (?:do|have) you (?:know|remember|learn|stored)|about me|know me|remember me|who am i|who i am|profile"
    r"|sais|sabes|weisst|de moi|de mi\b(?! nombre)|uber mich"
)

_WARNINGS = ("Better not", "Mieux vaut", "Mejor no", "Besser nicht")


def told(step: Step, outcome: Outcome, wording: Wording) -> str:  # noqa: PLR0911 -- the first that fits
    """What to say; empty to leave it to what the tool says itself."""
    data = outcome.data if isinstance(outcome.data, dict) else {}
    if step.tool == "get_user_profile":
        return _about(data, wording, without_accents(wording.said).replace("\u00df", "ss"))
    if wording.language == "en":
        return ""
    if data.get("about"):  # a question about somebody: the answer is in the words it was told in
        return str(data["message"]) if data.get("sure") else wording.say("recalled_not_about", what=data["about"])
    if data.get("message") == UNKNOWN:
        return wording.say("recalled_nothing")
    if data.get("own"):
        plainly = str(data["message"]).startswith(_WARNINGS)
        return str(data["message"]) if plainly else wording.say("recalled", what=data["own"])
    every = [one for one in data.get("memories", ()) if isinstance(one, dict)]
    found = [one for one in every if one.get("type") != "conversation"] or every  # a summary repeats what they say
    sure = [one for one in found if one.get("sure")]
    if not found:
        return wording.say("recalled_nothing")
    if not sure:
        return wording.say("recalled_maybe", what=found[0]["content"])
    return wording.say("recalled", what="; ".join(one["content"] for one in sure[:3]))


def _about(data: dict[str, Any], wording: Wording, said: str) -> str:
    """One thing about who asks, where one was asked for; else all."""
    known = dict(data.get("profile") or {}) | ({"name": data["name"]} if data.get("name") else {})
    wanted = "" if _ALL.search(said) else _wanted(known, said)
    if wording.language != "en":
        value = known.get(wanted, "")
        listed = [", ".join(value) if isinstance(value, list) else str(value)] if wanted else data.get("latest", [])
        told = "; ".join(str(one) for one in listed[:5] if one)
        return wording.say("recalled", what=told) if told else wording.say("recalled_nothing")
    if not wanted:
        return ""
    if not known.get(wanted):
        return wording.say("recalled_nothing")
    sentence = aspect(wanted, known[wanted])
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _wanted(known: dict[str, Any], said: str) -> str:
    """The key that was asked for: one that is named, else the one that is meant."""
    named = [key for key in known if re.search(rf"\b{re.escape(without_accents(key))}\b", said)]
    if named:
        return max(named, key=len)
    return next((key for key, words in _KEYS.items() if re.search(words, said)), "")
