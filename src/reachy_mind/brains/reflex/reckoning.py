"""What can be worked out from the words alone: sums, amounts in other units, questions about days, and about itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from reachy_mind.brains.reflex import (
    arithmetic,
    arithmetic_followups,
    calendar_answers,
    conversions,
    dates,
    word_problems,
)
from reachy_mind.brains.reflex.plan import Guess, Part, Plan, Step, Talk, Unknown
from reachy_mind.brains.reflex.self_knowledge import ability, topic
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.brains.word_lists import spaced
from reachy_mind.models.wordpiece import without_accents
from reachy_mind.profiles.phrasebook import LANGUAGES

KINDS = ("@arithmetic", "@convert", "@calendar")
_OPEN = ("@knowledge", "@unclear", "@age", "@are_you")
"""Kinds of talk as which such a question may be read."""
_QUESTION = re.compile(
    r"\?\s*$|^\W*(?:and |et |y |und )?(?:what|which|when|how|is|will|was|convert|tell me|do you know|calculate|work out"
    r"|quel|quelle|quand|combien|est-ce|convertis|calcule|qu[e\u00e9]|cu[a\u00e1]l|cu[a\u00e1]nd|cu[a\u00e1]nt"
    r"|convierte|es\b"
    r"|welche|wann|wie|was|ist|rechne|\d)",
    re.IGNORECASE,
)


_NO_TOOL = ("self_eat", "self_dream", "self_size", "self_love", "self_gender", "self_limits", "self_shares",
            "self_languages", "self_friend", "self_model", "self_death", "self_lie", "self_smarter", "self_smart",
            "self_family", "self_colour", "self_thinking", "self_cannot", "self_sleep", "self_mistakes",
            "self_away")  # fmt: skip
"""Questions about the robot that no tool can answer."""
MOST_WORDS = 10
_ASKS_IT = re.compile(
    r"\W*(?:do you|are you|can you|could you"
    r"|est-ce que tu|peux-tu|tu peux|sais-tu|tu sais|m'enregistres|tu m'|tu enregistres"
    r"|puedes|sabes|me grabas|estas|kannst du|nimmst du|horst du|zeichnest du)\b"
)

_COMMANDS = re.compile(
    r"\W*(?:take|subtract|add|multiply|divide|enl[e\u00e8]ve|soustrais|ajoute|multiplie|divise|resta|suma|multiplica"
    r"|divide"
    r"|zieh|addiere|teile|multipliziere)\b",
    re.IGNORECASE,
)
"""How a sum is asked for as a command, which may be taken for something to be done by hand."""


def answered(talk: Talk, wording: Wording, today: date) -> str:
    """What to say to it, also when it can't be worked out. A sum may have been read as units, or units as one."""
    for kind in sorted(KINDS, key=lambda kind: kind != talk.kind):
        if told := _worked_out(kind, talk.said, wording, today):
            return told
    return wording.say(f"{talk.kind.removeprefix('@')}_lost")


def can_answer(talk: Talk, language: str, today: date) -> bool:
    """Whether it can be worked out."""
    return any(_worked_out(kind, talk.said, Wording(language), today) for kind in KINDS)


def settled(made: Plan, today: date) -> Plan:
    """The plan, with what was taken for a sum, units or days and is none as a question."""
    made = _in_english(made)
    wording = Wording(made.language)
    return replace(made, parts=tuple(_settled(part, wording, today) for part in made.parts))


_NATIVE = re.compile(
    r"[\u00e0-\u00ff\u00bf]|\b(?:grad|sind|wie|viele?|ist|meilen|zoll|pfund|liter|und|combien|dans|degres|pouces"
    r"|livres?|font|milles"
    r"|son|cuant\w*|grados|millas|libras|pulgadas|litros|metros|litres? font|pieds|en)\b",
    re.IGNORECASE,
)


def _in_english(made: Plan) -> Plan:
    """ "30 celsius in fahrenheit" is English where no word of another language is in it."""
    amounts = [part for part in made.parts if isinstance(part, Talk) and part.kind == "@convert"]
    if made.language == "en" or len(amounts) != 1 or len(made.parts) != 1 or _NATIVE.search(amounts[0].said):
        return made
    return replace(made, language="en") if conversions.answer(amounts[0].said, Wording("en")) else made


def _settled(part: Part, wording: Wording, today: date) -> Part:
    if not isinstance(part, Talk) or part.kind not in ("@convert", "@calendar"):
        return part
    if not can_answer(part, wording.language, today):
        return Talk("@knowledge", part.said)
    return part


def recognised(made: Plan, text: str, today: date) -> Plan:
    """The plan, with questions that were taken for others as what they are."""
    wording = Wording(made.language)
    if len(made.parts) <= 1 and (kind := _about_it(made, text)):
        return replace(made, parts=(Talk(kind, text),))
    return replace(made, parts=tuple(_recognised(part, text, wording, today) for part in made.parts))


_HARMLESS = frozenset(
    spaced(
        """search_memories get_user_profile update_user_profile get_time store_memory set_timer search_web
        analyze_scene detect_objects"""
    )
)
"""Tools that a sum in words may be taken for."""


def told_as_a_story(made: Plan, text: str) -> Plan | None:
    """The plan for a sum that is told as a little story, whatever it was taken for; None for anything else."""
    if any(step.tool not in _HARMLESS for step in made.steps) or not word_problems.answer(text, made.language):
        return None
    return replace(made, parts=(Talk("@arithmetic", text),))


def goes_on(made: Plan, text: str, said: str, reply: str) -> Plan | None:
    """The plan for a sum that goes on from the reply before, to what was `said`; None for anything else."""
    further, language = arithmetic_followups.continued(text, said, reply)
    return replace(made, parts=(Talk("@arithmetic", further),), language=language) if further else None


MOST_BEFORE = 4
"""Turns back to which an amount may refer, each by the one after it."""


def converted_further(made: Plan, text: str, before: Sequence[str]) -> Plan | None:
    """The plan for "and in feet?" and "and 170?" after an amount in other units; None for anything else."""
    for language in dict.fromkeys((made.language, *LANGUAGES)):
        asked = ""
        for said in before[-MOST_BEFORE:]:
            plainly = said if conversions.answer(said, Wording(language)) else ""
            asked = plainly or (conversions.continued(said, asked, language) if asked else "")
        if asked and (further := conversions.continued(text, asked, language)):
            return Plan((Talk("@convert", further),), language)
    return None


def _about_it(made: Plan, text: str) -> str:
    """The kind of talk, for a question about the robot that was taken for something else; empty for any other."""
    said = without_accents(text).replace("\u2019", "'")
    about = topic(said)
    if about in _NO_TOOL and len(said.split()) <= MOST_WORDS and _QUESTION.search(text):
        return "@are_you"
    if not _ASKS_IT.match(said):
        return ""
    if about == "self_records":
        return "@are_you"
    return "@can_you" if all(isinstance(part, Unknown | Guess) for part in made.parts) and ability(said) else ""


def _recognised(part: Part, text: str, wording: Wording, today: date) -> Part:  # noqa: PLR0911 -- the first that fits
    match part:
        case Talk(kind, said) if kind in _OPEN:
            kinds: tuple[str, ...] = KINDS
        case Talk("@impossible", said) if _COMMANDS.match(said):
            result = arithmetic.answer(said, wording.language)
            return replace(part, kind="@arithmetic") if result else part
        case Unknown(said, "unsure" | "question"):
            kinds = KINDS
        case Guess():
            said, kinds = text, KINDS
        case Step("get_time", args) if not args:
            return _another_day(part, text, wording, today)
        case _:
            return part
    if topic(without_accents(said).replace("\u2019", "'")):
        return Talk("@are_you", said)
    if not _QUESTION.search(said):
        return part
    for kind in kinds:
        if _worked_out(kind, said, wording, today):
            return Talk(kind, said)
    return part


def _another_day(step: Step, text: str, wording: Wording, today: date) -> Part:
    """The clock tells the time and today's date; any other day is looked up in the calendar."""
    told = calendar_answers.answer(text, wording, today)
    now = wording.say("calendar_today", date=dates.told(today, wording.language))
    return Talk("@calendar", text) if told and told != now else step


def _worked_out(kind: str, said: str, wording: Wording, today: date) -> str:
    if kind == "@arithmetic":
        result = word_problems.answer(said, wording.language) or arithmetic.answer(said, wording.language)
        return wording.say("arithmetic", answer=result) if result else ""
    if kind == "@convert":
        return conversions.answer(said, wording)
    return calendar_answers.answer(said, wording, today)
