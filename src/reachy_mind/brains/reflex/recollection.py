"""Company without a language model: what people tell about somebody is acknowledged, what they ask is looked up.

The text decides, whatever the reader made of it: "my daughter is six" is no birthday of the speaker's. A question in
which a pronoun stands for somebody who was mentioned is asked of the memory in full: "how old is my aunt Rosa". What is
told is stored after the turn by `TurnMemory`, which understands it by the same function.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reachy_mind.brains.brain import Turn
from reachy_mind.brains.reflex import acquaintance
from reachy_mind.brains.reflex.plan import Guess, Part, Plan, Step, Talk, Unknown, Words
from reachy_mind.memory import (
    age_comparisons,
    answers,
    clauses,
    discourse,
    mentions,
    own_names,
    own_questions,
    own_things,
    questions,
)
from reachy_mind.memory.discourse import Told
from reachy_mind.memory.mentions import Exchange
from reachy_mind.memory.questions import Question
from reachy_mind.memory.sentences import second_person, sentence
from reachy_mind.memory.subjects import Subject

LONGEST = 400
"""Characters of what is read so."""
_SEARCH, _STORE = "search_memories", "store_memory"
_LOOKUPS = frozenset((_SEARCH, "get_user_profile", "update_user_profile", "get_robot_state", "get_time", "get_pose"))
"""Tools that a question about somebody may be taken for."""
_LOOKS = frozenset(("analyze_scene", "detect_objects", "look_at_object", "detect_faces"))
_TOLD = frozenset(("@tell", "@correct", "@report", "@unclear", "@no", "@yes", "@complaint", "@apology", "@likes"))
"""Kinds of talk that what somebody tells may be taken for."""
_ASKED = frozenset((*_TOLD, "@knowledge", "@age", "@name", "@are_you", "@maker", "@can_you", "@abilities"))
_PERSONAL = frozenset(("age", "name", "home", "work", "job", "allergy", "like", "dislike", "birthday", "origin"))
"""What is asked about people, so that a pronoun must stand for one."""

_OF_STRANGERS = (_PERSONAL | {"who"}) - {"origin"}
"""What is asked about people and not about places."""

_SECOND_QUESTION = re.compile(
    r"\b(?:and|et|y|und) (?:who|what|where|when|how|why|qui|o\u00f9|quand|comment|d\u00f3nde|cu\u00e1ndo|wo|wann|wie"
    r"|was|wer)\b",
    re.I,
)
"""Where a second question begins, whose pronoun stands for somebody in the first."""
_ENGLISH = re.compile(r"(?:i|i'm|i've|my|we|we're|our)\b", re.I)
_PLAIN = re.compile(r":(?:age|home|birthday|origin|allergy|taste|work|kind)\b| name\b")
"""Keys of facts that are told without any feeling: "my aunt is ninety"."""


def plan(turn: Turn, made: Plan) -> Plan:
    """What to do about a turn, given what the reader made of it."""
    if len(turn.text) > LONGEST:
        return made
    before = [Exchange(past.said, past.reply) for past in turn.history]
    known = _remembered(turn)
    spoken = mentions.mentioned(before[-mentions.MOST_EXCHANGES :], known)
    remembered = [mentions.named(claim) for _, claim in mentions.claims_of(known)]
    if _tells_secret(turn.text) and _taken_for(made, frozenset((_STORE, "update_user_profile")), _TOLD):
        return Plan((Talk("@tell", turn.text, "told_secret"),), made.language)
    answered = _told_and_asked(turn, made) or _compared(turn, before, known)
    if answered or (answered := _about_oneself(turn, made, before, known)):
        return answered
    question = questions.read(turn.text, [each.name for each in (*spoken, *remembered) if each.name])
    if question is not None:
        return _asked(question, turn, made, before, spoken, remembered, known) or made
    if questions.asks_who(turn.text) and _taken_for(made, _LOOKUPS, _ASKED) and _keeps(turn, _SEARCH):
        contents = [*(fact.content for fact in mentions.earlier(before)), *known]
        told_who = answers.answer(turn.text, contents) is not None
        return Plan((Step(_SEARCH, {"query": turn.text.strip(" ?")}, turn.text),), made.language) if told_who else made
    told = discourse.told(turn.text, before, known)
    named = acquaintance.plan(turn, made, told, before)
    return named or _told(told, turn, acquaintance.without_false_names(turn, made))


def _compared(turn: Turn, before: Sequence[Exchange], known: Sequence[str]) -> Plan | None:
    """ "who is older?", and "by how many years?" after it."""
    contents = [*(fact.content for fact in mentions.earlier(before)), *known]
    asked = next((each.said for each in reversed(before) if age_comparisons.reads(each.said)), "")
    found = age_comparisons.answer(turn.text, contents, asked)
    if found is not None:
        return Plan((Words(found.text),), age_comparisons.reads(turn.text) or "en")
    language = age_comparisons.reads(turn.text)
    told_one = language and age_comparisons.ages(contents)
    return Plan((Talk("@recall", turn.text, "recalled_nothing"),), language) if told_one else None


_STATED_THEN_ASKED = re.compile(r"^(?P<told>.+[.!;])\s+(?P<asked>[^.!?]+\?)\W*$", re.S)
_REMEMBER = re.compile(
    r"^\W*(?:please )?(?:remember|note|keep in mind|don't forget|retiens|rappelle-toi|souviens-toi|recuerda|merk dir)"
    r"(?: that| que|,? dass|:)?[\s,]*",
    re.I,
)


def _tells_secret(text: str) -> bool:
    """Whether a password is told that nobody asked to remember."""
    return clauses.is_secret(text) and not _REMEMBER.match(text) and not text.rstrip().endswith("?")


def _told_and_asked(turn: Turn, made: Plan) -> Plan | None:
    """ "Remember that my car is red. What colour is my car?": what was just told answers it."""
    found = _STATED_THEN_ASKED.match(turn.text.strip())
    if found is None or "?" in found["told"]:
        return None
    stated = list(clauses.statements(found["told"]))
    asked = found["asked"]
    answer = own_questions.answer(asked, stated) or own_things.answer(asked, stated)
    if answer is None:
        others = [fact.content for fact in discourse.told(found["told"]).facts]
        answer = answers.answer(asked, others)
    if answer is None or not answer.known:
        return None
    wished = [step for step in made.steps if step.tool not in _LOOKUPS | _LOOKS | {_STORE}]
    language = made.language
    words = answer.text if language == "en" else sentence(second_person(answer.content or answer.text, language))
    if _keeps(turn, _STORE) and _REMEMBER.match(found["told"]):
        store = Step(_STORE, {"content": _REMEMBER.sub("", found["told"]).strip(" .!")}, found["told"])
        return Plan((store, *wished, Words(words)), made.language)
    phrase = "told_fact" if _keeps(turn, _STORE) else "told_fact_off"
    return Plan((Talk("@tell", turn.text, phrase, words), *wished), made.language)


_MINE = re.compile(r"^\W*(?:and|et|y|und) (?:mine|my name|me|le mien|moi|el m[ií]o|yo|meiner|mein name|ich)\W*$", re.I)
_NAMES = re.compile(r"\b(?:name|names|called|nom|appelle|nombre|llama|hei(?:ß|ss)t)\b", re.I)


def _and_mine(text: str, before: Sequence[Exchange]) -> bool:
    """ "and mine?", after a question for a name."""
    return bool(before) and bool(_MINE.match(text)) and bool(_NAMES.search(before[-1].said))


_OF_ONESELF = frozenset((*_ASKED, "@calendar", "@convert", "@impossible", "@danger", "@game", "@feel_ill"))
"""Kinds of talk that a question about oneself may be taken for."""


def _about_oneself(turn: Turn, made: Plan, before: Sequence[Exchange], known: Sequence[str]) -> Plan | None:
    """The plan for a question about the speaker that what they told answers in other words; None for any other."""
    if (
        (own_names.asks(turn.text) or _and_mine(turn.text, before))
        and _taken_for(made, _LOOKUPS, _OF_ONESELF)
        and _keeps(turn, "get_user_profile")
    ):
        return Plan((Step("get_user_profile", {}, turn.text),), made.language)
    question = own_questions.read(turn.text)
    if question is None and own_things.read(turn.text) is None:
        return None
    if not _taken_for(made, _LOOKUPS | _LOOKS | {"search_web", "list_timers"}, _OF_ONESELF):
        return None
    told = [clause for each in reversed(before) for clause in clauses.statements(each.said)]
    contents = [*told, *known]
    found = own_questions.answer(turn.text, contents) or own_things.answer(turn.text, contents)
    if found is None and (
        question.kind in ("day", "should") if question else not own_things.is_about_oneself(turn.text)
    ):
        return None
    if _keeps(turn, _SEARCH):
        return Plan((Step(_SEARCH, {"query": turn.text.strip(" ?")}, turn.text),), made.language)
    return Plan((Words(found.text),), made.language) if found is not None else None


def _remembered(turn: Turn) -> list[str]:
    remembered: Any = turn.context.get("remembered")
    facts = remembered.get("facts") if isinstance(remembered, dict) else None
    return [fact for fact in facts if isinstance(fact, str)] if isinstance(facts, list) else []


def _keeps(turn: Turn, tool: str) -> bool:
    """Whether there is a memory, and this tool for it."""
    return turn.context.get("memory") != "off" and (not turn.tools or any(each.name == tool for each in turn.tools))


def _asked(  # noqa: PLR0911 -- the first that fits
    question: Question,
    turn: Turn,
    made: Plan,
    before: Sequence[Exchange],
    spoken: Sequence[Subject],
    remembered: Sequence[Subject],
    known: Sequence[str],
) -> Plan | None:
    """The plan for a question about somebody; None to leave it to the reader."""
    reckoned = any(char.isdigit() for char in question.text)  # "how old is Ben, born in 1990"
    kinds = _ASKED if reckoned else _ASKED | {"@calendar", "@convert"}
    if not _taken_for(made, _LOOKUPS, kinds) and not _tells(question, made, before, known):
        return None
    language = made.language if question.language == "en" else question.language
    subject = mentions.resolve(question.subject, spoken, remembered)
    if subject is None:
        if (
            _SECOND_QUESTION.search(turn.text)
            or question.aspect not in _PERSONAL
            or question.subject.pronoun in ("it", "its", "they", "their", "es")
        ):
            return None
        return Plan((Talk("@knowledge", turn.text, "who_is_meant"),), language)
    query = questions.in_full(question, subject)
    if not _keeps(turn, _SEARCH):
        told = [fact.content for fact in mentions.earlier(before)]
        answer = answers.answer(query, told)
        if answer is not None and answer.known:
            return Plan((Words(answer.text),), language)
        return Plan((Talk("@recall", turn.text, "memory_off"),), language)
    stranger = not subject.noun and not any(each.is_like(subject) for each in (*spoken, *remembered))
    if stranger and not any(step.tool == _SEARCH for step in made.steps):
        unknown = Plan((Talk("@knowledge", turn.text, "stranger", subject.words),), language)
        return unknown if not made.steps and question.aspect in _OF_STRANGERS else None
    return Plan((Step(_SEARCH, {"query": query}, turn.text),), language)


def _tells(question: Question, made: Plan, before: Sequence[Exchange], known: Sequence[str]) -> bool:
    """Whether what it was taken for, a look around, is not needed: it was told where the keys are."""
    if question.subject.pronoun or not _taken_for(made, _LOOKUPS | _LOOKS, _ASKED):
        return False
    answer = answers.answer(question.text, [*(fact.content for fact in mentions.earlier(before)), *known])
    return answer is not None and answer.known


def _told(told: Told, turn: Turn, made: Plan) -> Plan:  # noqa: PLR0911 -- the first that fits
    """The plan with an acknowledgement of what was told, in place of what it was taken for."""
    if not told.facts:
        return _labelled(turn, acquaintance.without_false_feelings(turn, made))
    stored = any(step.tool in (_STORE, "forget_memory") for step in made.steps)
    if stored and not (told.corrects and told.complete):
        return _resolved_note(told, made)
    if _feels(made) and not any(_PLAIN.search(fact.key) for fact in told.facts):
        return made  # it is stored all the same
    language = told.language if told.about_others and told.language != "en" else made.language
    if not told.about_others and all(_ENGLISH.match(fact.content) for fact in told.facts):
        language = "en"  # a few words may have been read as another
    if told.about_others and turn.text.rstrip().endswith("?") and not told.complete:
        asks = any(isinstance(part, Talk) and part.kind in ("@knowledge", "@arithmetic") for part in made.parts)
        return made if asks else Plan((Talk("@knowledge", turn.text),), language)
    if told.about_others:
        noted = {_STORE} if told.corrects and told.complete else set[str]()
        wished = [step for step in made.steps if step.tool not in _LOOKUPS | noted]
        if wished and "," in turn.text:  # "my son runs about, follow him": it says why
            return replace(made, parts=tuple(part for part in made.parts if not _is_profile(part)))
        steps = [] if told.complete else wished
    elif language != "en" and _is_noted(told, made, turn):
        return Plan((Talk("@tell", turn.text, "told_store_memory"),), language)
    elif made.steps or not _taken_for(made, frozenset(), _TOLD):
        return made
    else:
        steps = []
    if language != "en" and not told.about_others:
        return made  # nothing can be said in the second person there
    what = " ".join(sentence(second_person(each, told.language)) for each in told.sentences)
    phrase = "told_correction" if told.corrects else "told_fact"
    phrase = phrase if _keeps(turn, _STORE) else "told_fact_off"
    talk = Talk("@correct" if told.corrects else "@tell", turn.text, phrase, what)
    polite = [part for part in made.parts if isinstance(part, Talk) and part.kind in ("@greet", "@bye", "@thanks")]
    kept: list[Part] = [part for part in polite if part.said.strip() != turn.text.strip()]
    return Plan((*kept, talk, *steps), language)


def _is_noted(told: Told, made: Plan, turn: Turn) -> bool:
    """Whether it only tells something about the speaker, in a language in which that can't be repeated to them."""
    lost = all(isinstance(part, Guess | Unknown) for part in made.parts)
    plainly = (told.complete or lost) and not told.about_others and _keeps(turn, _STORE)
    return plainly and _taken_for(made, _LOOKUPS, _TOLD | {"@game", "@knowledge", "@age"})


def _feels(made: Plan) -> bool:
    """Whether the reader found a feeling in it."""
    return any(isinstance(part, Talk) and part.kind.startswith("@feel_") for part in made.parts)


def _is_profile(part: Part) -> bool:
    return isinstance(part, Step) and part.tool == "update_user_profile"


def _labelled(turn: Turn, made: Plan) -> Plan:
    """What the reader takes for something told or corrected, and no rule here understands."""
    parts: list[Part] = []
    for part in made.parts:
        match part:
            case Talk("@tell", said, ""):
                stores = _keeps(turn, _STORE) and not turn.text.rstrip().endswith("?")
                parts.append(Step(_STORE, {"content": said}, said) if stores else replace(part, kind="@report"))
            case Talk("@correct", _, ""):
                parts.append(replace(part, kind="@complaint"))
            case _:
                parts.append(part)
    return replace(made, parts=tuple(parts))


def _resolved_note(told: Told, made: Plan) -> Plan:
    """ "remember that she is ninety": who she is belongs to what is remembered."""
    stores = [step for step in made.steps if step.tool == _STORE]
    if not (told.about_others and told.complete and len(stores) == 1):
        return made
    content = ". ".join(told.sentences)
    parts = tuple(replace(part, args={"content": content}) if part is stores[0] else part for part in made.parts)
    return replace(made, parts=parts)


def _taken_for(made: Plan, tools: frozenset[str], kinds: frozenset[str]) -> bool:
    """Whether the reader's plan has nothing but these, or what it was not sure of."""
    return all(
        isinstance(part, Unknown | Guess)
        or (isinstance(part, Step) and part.tool in tools)
        or (isinstance(part, Talk) and part.kind in kinds)
        for part in made.parts
    )
