"""Who speaks: names that are given, asked back, denied and corrected, whatever the reader took them for.

A name counts only where the text plainly gives it (`memory/introductions.py`). The reader may take any word after "I
am" for one: what it proposes is kept for a common first name, asked about where it may be one, and dropped else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from reachy_mind.brains.brain import Turn
from reachy_mind.brains.reflex.plan import Guess, Part, Plan, Step, Talk
from reachy_mind.memory import clauses, introductions, name_denials
from reachy_mind.memory.discourse import Told
from reachy_mind.memory.introductions import Introduction
from reachy_mind.memory.mentions import Exchange
from reachy_mind.memory.name_words import is_first_name, is_state
from reachy_mind.memory.sentences import second_person, sentence

_PROFILE = "update_user_profile"
_WHAT_THEY_ARE = re.compile(
    r"^\W*(?:i'm|i am|ich bin|je suis|soy)(?: an?| une?| una?| eine?)? [A-ZÄÖÜÀ-Þ][\wäöüßà-ÿ-]+\W*$"
    r"|^\W*(?:I'm|I am|Ich bin|Je suis|Soy)(?: an?| une?| una?| eine?)? [A-ZÄÖÜÀ-Þ][\wäöüßà-ÿ-]*[a-zäöüßà-ÿ][\w-]*\W*$"
)
"""A noun or a nationality in capitals after "I am"."""
_WHERE_THEY_ARE = re.compile(
    r"^\W*(?:i'm|i am) (?:at|on|in|near|into) (?:the |my |our |a )?(?:work|home|school|office|train|bus|kitchen"
    r"|garden|car|phone"
    r"|way|meeting|library|shop|town|bath|chess|football|music|diet|holiday|call|break)\b[^,.!]*\W*$",
    re.I,
)
_ILL = re.compile(
    r"\b(?:ill|sick|well|unwell|poorly|hurts?|hurting|pains?|aches?|\w*aching|\w+ache|fever|temperature|cold|flu"
    r"|cough\w*"
    r"|sneez\w*|dizzy"
    r"|nause\w*|vomit\w*|throw(?:ing)? up|threw up|migraine|stomach|tummy|throat|tooth|nose|doctor|hospital|medicine"
    r"|pills?"
    r"|infect\w*|allerg\w*|asthma|diabet\w*|injur\w*|broke|broken|sprain\w*|bleed\w*|swollen|sore|weak|feel\w*|slept"
    r"|sleep|covid"
    r"|virus|hungry|hangover|cancer|chemo\w*|surgery|operation|dentist"
    r"|malade|mal|fievre|fi\u00e8vre|rhume|grippe|toux|tousse|t\u00eate|ventre|gorge|dent|docteur|m\u00e9decin"
    r"|h\u00f4pital|douleurs?"
    r"|enferm[oa]|duele|dolor|fiebre|gripe|tos|cabeza|barriga|garganta|m\u00e9dico|resfriad[oa]|mare\w*"
    r"|krank|weh|schmerz\w*|\w+schmerzen|\w+weh|fieber|grippe|husten|erk\u00e4lt\w*|schnupfen|\u00fcbel|schwindlig"
    r"|arzt|unwohl|schlecht)\b",
    re.I,
)
"""Words of who is ill; without one, the reader may have taken any other sentence for that."""
_NAMING = re.compile(
    r"\b(?:call me|my name|nenn mich|ich hei(?:ß|ss)e|mein name|appelle[sz]?-moi|je m'appelle|mon (?:pr[eé])?nom"
    r"|ll[aá]mame"
    r"|me llamo|mi nombre)\b",
    re.I,
)
"""Words that say that a name is given, wherever they stand."""
_POLITE = ("@greet", "@bye", "@thanks", "@how_are_you", "@name")


def plan(turn: Turn, made: Plan, told: Told, before: Sequence[Exchange]) -> Plan | None:
    """What to do about a turn in which a name is given or denied; None for any other."""
    name = next((fact.value for fact in told.facts if fact.key == "name"), "")
    language = _language(turn, made, before)
    if told.denies is not None and not told.about_others:
        key = "name_corrected" if name else "name_refused" if _was_asked(before) else "name_denied"
        return Plan((Talk("@correct", turn.text, key, name),), language)
    if name:
        return _met(turn, made, told, name, language)
    unsure = _unsure(turn.text)
    if unsure is not None and not _acts(made):
        return Plan((*_greetings(made, turn), Talk("@tell", turn.text, "name_ask", unsure.name)), unsure.language)
    return None


def without_false_names(turn: Turn, made: Plan) -> Plan:
    """The plan without a name that the text does not give; one that may be a name is asked about."""
    parts: list[Part] = []
    for part in made.parts:
        if not isinstance(part, Step) or part.tool != _PROFILE or part.args.get("key") != "name":
            parts.append(_no_guess(part, turn))
            continue
        value, said = str(part.args.get("value", "")), part.said or turn.text
        if name_denials.denied(turn.text) or turn.text.rstrip().endswith("?") or not value:
            parts.append(Talk("@unclear", said))
        elif is_first_name(value) or (_NAMING.search(turn.text) and value[:1].isupper() and not is_state(value)):
            parts.append(part)
        elif value[:1].isupper() and not is_state(value) and len(value.split()) <= introductions.MOST_WORDS:
            parts.append(Talk("@tell", said, "name_ask", value))
        else:
            parts.append(Talk("@tell", said))
    return replace(made, parts=tuple(parts))


def without_false_feelings(turn: Turn, made: Plan) -> Plan:
    """ "ich bin Münchner" and "I'm Bavarian" tell no feeling, whatever the reader took the word for."""
    felt = [part for part in made.parts if isinstance(part, Talk) and part.kind.startswith("@feel_")]
    said = turn.text.replace("\u2019", "'")
    if felt and felt[0].kind == "@feel_ill" and len(felt) == len(made.parts) and not _ILL.search(said):
        return replace(made, parts=(Talk("@report", turn.text),))
    if len(felt) != len(made.parts) or not felt or not (_WHAT_THEY_ARE.match(said) or _WHERE_THEY_ARE.match(said)):
        return made
    return replace(made, parts=(Talk("@tell", turn.text),))


def _no_guess(part: Part, turn: Turn) -> Part:
    """ "my name is what?" is a question, and nothing to be written down."""
    names = isinstance(part, Guess) and any(step.tool == _PROFILE for step in part.steps)
    return Step("get_user_profile", {}, turn.text) if names and turn.text.rstrip().endswith("?") else part


def _met(turn: Turn, made: Plan, told: Told, name: str, language: str) -> Plan:
    """Glad to meet them; what else they told is said back, and what they asked for is done."""
    others = [each for each in told.sentences if introductions.read(each) is None]
    english = language == "en" or told.about_others
    more = " ".join(sentence(second_person(each, told.language)) for each in others) if english else ""
    asked = [part for part in made.parts if isinstance(part, Step) and part.tool not in (_PROFILE, "store_memory")]
    named = [part for part in made.parts if isinstance(part, Step) and part.tool == _PROFILE]
    if named and (not others or any(step.tool == "store_memory" for step in made.steps)):
        first = replace(named[0], args={"key": "name", "value": name})
        if language == "en":
            kept = [part for part in made.parts if isinstance(part, Step) or _is_polite(part)]
            return replace(made, parts=tuple(first if part is named[0] else part for part in kept))
        return Plan((replace(first, quiet=True), Talk("@tell", turn.text, "met", name), *asked), language)
    talk: list[Part] = [Talk("@tell", turn.text, "met", name)]
    if more:
        talk.append(Talk("@tell", turn.text, "told_fact", more))
    return Plan((*_greetings(made, turn), *talk, *asked), language)


def _is_polite(part: Part) -> bool:
    return isinstance(part, Talk) and part.kind in _POLITE


def _greetings(made: Plan, turn: Turn) -> list[Part]:
    """What else was said out of politeness, unless all of it was taken for that."""
    polite = [part for part in made.parts if isinstance(part, Talk) and part.kind in _POLITE]
    return [part for part in polite if part.said.strip() != turn.text.strip()]


def _unsure(said: str) -> Introduction | None:
    found = [each for clause in clauses.statements(said) if (each := introductions.read(clause)) is not None]
    return found[0] if found and not found[0].sure else None


def _acts(made: Plan) -> bool:
    return any(isinstance(part, Step) and part.tool not in (_PROFILE, "store_memory") for part in made.parts)


def _was_asked(before: Sequence[Exchange]) -> bool:
    return bool(before) and introductions.asked_back(before[-1].said, before[-1].reply) is not None


def _spoken_before(before: Sequence[Exchange]) -> str:
    """The language in which a name was given or asked for just before; empty without one."""
    for clause in clauses.statements(before[-1].said) if before else ():
        if (found := introductions.read(clause)) is not None:
            return found.language
    return ""


def _language(turn: Turn, made: Plan, before: Sequence[Exchange]) -> str:
    for clause in clauses.statements(turn.text):
        if (found := introductions.read(clause)) is not None:
            return found.language
    if before and (answered := introductions.answered(turn.text, before[-1].reply)) is not None:
        return answered.language
    return name_denials.language(turn.text) or _spoken_before(before) or made.language
