"""The almanac: timeless facts that people ask a robot, answered without a language model and without a network.

A question is answered when its key words are those of a question in `almanac/*.txt`, no more and no fewer: "what is
the capital of France" is, "the best restaurant in the capital of France" is not. After an answer, "and of Greece?",
"and the second largest?" and "who painted it?" are read with what was asked before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from reachy_mind.brains.brain import Turn
from reachy_mind.brains.reflex import reckoning
from reachy_mind.brains.reflex.facts import AlmanacFact, Facts, facts_of
from reachy_mind.brains.reflex.key_words import LANGUAGES, PRONOUNS, folded, is_personal, key_words, plain, vocabulary
from reachy_mind.brains.reflex.plainer_questions import plainer
from reachy_mind.brains.reflex.plan import Guess, Part, Plan, Step, Talk, Unknown, Words

MOST_WORDS, MOST_FOLLOWING = 18, 8
"""Words of a question, and of one that follows another."""
_WEB = re.compile(
    r"\b(?:web|internet|online|google|search|look (?:it |that |this )?up|news|latest|cherche|recherche|en ligne"
    r"|busca|buscar|en linea|such|suche|nachrichten)\b"
)
_REMEMBERED = re.compile(r"\b(?:remember|remind|told|forgot|souviens|rappelles|recuerdas|dije|erinnerst|gesagt)\b")
_SEEN = re.compile(r"\b(?:colou?rs?|couleurs?|colores|farben?|this|that|these|those|here|see|look|vois|ves|siehst)\b")
_OPEN = ("@knowledge", "@unclear", "@report", "@tell", "@game")
"""Kinds of talk that a question may be taken for."""
MOST_BEFORE = 4
"""Turns back to which a question may refer, each by the one after it."""
_WHERE = frozenset(("wher", "ou", "dond", "wo"))
_FIRST_NAMES = frozenset(("sofia", "victori", "victoria", "florenc", "santiago", "sofi", "sof"))


def answered(made: Plan, turn: Turn, today: date) -> Plan:
    """The plan, or the almanac's answer where the plan has none to a question that the almanac knows."""
    if len(made.parts) > 1:
        if all(isinstance(part, Talk) for part in made.parts) and (whole := answer(turn.text, made.language)):
            return Plan((Words(whole[0]),), whole[1])  # a greeting before a question
        return replace(made, parts=tuple(_part_answered(part, made.language) for part in made.parts))
    before = [past.said for past in turn.history]
    leaves_open = _leaves_open(made, turn.text, today)
    follows = bool(turn.history) and not turn.history[-1].calls and not leaves_open and _leads(turn.text, made.language)
    if not leaves_open and not follows:
        return made
    found = answer(turn.text, made.language, before)
    return Plan((Words(found[0]),), found[1]) if found else made


def _part_answered(part: Part, language: str) -> Part:
    """A question among other things to do: "nod, and tell me the capital of Portugal"."""
    if not isinstance(part, Talk) or part.kind != "@knowledge":
        return part
    found = answer(_TELL_ME.sub("", part.said), language)
    return Words(found[0]) if found else part


_TELL_ME = re.compile(r"^\W*(?:and |then )*(?:tell me|tell us|say|dis-moi|dime|sag mir)\b", re.IGNORECASE)


def answer(text: str, language: str = "en", before: Sequence[str] = ()) -> tuple[str, str] | None:
    """The answer to a question and its language; None for all that the almanac does not have.

    `before` is what the person said in this conversation, `language` the one that it is probably in.
    """
    for way in (text, *plainer(text)):
        for each in dict.fromkeys((language, *LANGUAGES)):
            if each in LANGUAGES and (found := _answered(way, each, before[-MOST_BEFORE:])):
                return found.answer, each
    return None


def _leads(text: str, language: str) -> bool:
    """Whether it goes on from what was asked before: "and an ant?"."""
    return any(vocabulary(each).lead.match(plain(text, each)) for each in dict.fromkeys((language, *LANGUAGES)))


def _leaves_open(made: Plan, text: str, today: date) -> bool:
    """Whether a plan has no answer of its own to what may be a question about the world."""
    match made.parts:
        case (Talk(kind) as talk,):
            return kind in _OPEN or (kind in reckoning.KINDS and not reckoning.can_answer(talk, made.language, today))
        case (Unknown(_, why),):
            return why in ("unsure", "question")
        case (Step("search_web"),):
            return not _WEB.search(folded(text))
        case (Step("search_memories"),):
            return not _REMEMBERED.search(folded(text))
        case (Step("analyze_scene" | "detect_objects"),):
            return not _SEEN.search(folded(text))
        case parts:
            return not parts or (len(parts) == 1 and isinstance(parts[0], Guess))


def _answered(text: str, language: str, before: Sequence[str]) -> AlmanacFact | None:
    asked: tuple[frozenset[str], AlmanacFact] | None = None
    for said in (*before, text):
        words = plain(said, language)
        if not words or len(words.split()) > MOST_WORDS or is_personal(words, language):
            asked = None
            continue
        facts = facts_of(language)
        keys = key_words(words, language)
        if len(keys) == 2 and keys & _WHERE and keys & _FIRST_NAMES:  # "where is Sofia" is about somebody
            asked = None
            continue
        if found := facts.find(keys) or facts.find(_without_lead(words, language)) or facts.find(facts.respelled(keys)):
            asked = keys, found
        else:
            asked = _following(facts, words, *asked) if asked else None
    return asked[1] if asked else None


def _without_lead(words: str, language: str) -> frozenset[str]:
    """The key words after "and": "and what is the capital of Spain"."""
    lead = vocabulary(language).lead.match(words)
    return key_words(words[lead.end() :], language) if lead else frozenset()


def _following(
    facts: Facts, words: str, asked: frozenset[str], last: AlmanacFact
) -> tuple[frozenset[str], AlmanacFact] | None:
    """The fact that plain words ask for after another question, which had the key words `asked`."""
    known = vocabulary(facts.language)
    tokens = words.split()
    if len(tokens) > MOST_FOLLOWING:
        return None
    if lead := known.lead.match(f"{words} "):
        new = key_words(words[lead.end() :], facts.language)
        if (fact := facts.row(last.relation, new)) is not None:
            return (asked - facts.keys(last.subject)) | new, fact
        kept = asked
        for group in known.groups:
            kept = kept - group if new & group else kept
        changed = kept != asked or new & known.groups[0]
        if new and changed and (fact := facts.find(kept | new)):
            return kept | new, fact
    pronouns = PRONOUNS[facts.language]
    if any(token in pronouns for token in tokens):
        new = key_words(" ".join(token for token in tokens if token not in pronouns), facts.language)
        new -= key_words("and et y und", facts.language)
        for meant in (last.subject, last.object):
            full = new | facts.keys(meant)
            if new and meant and (fact := facts.find(full)):
                return full, fact
    return None
