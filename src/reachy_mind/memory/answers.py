"""Picks the memory that answers a question about somebody, and says it to the person who told it.

"how old is my aunt?" wants an age, "what does Rosa grow?" the same verb, "who is Rosa?" a relation. A question about
somebody who was never mentioned has no answer, whatever other memories share its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reachy_mind.memory import mentions, questions
from reachy_mind.memory.claims import Claim
from reachy_mind.memory.normalization import stem, terms
from reachy_mind.memory.predicates import base, years
from reachy_mind.memory.questions import Question
from reachy_mind.memory.sentences import second_person, sentence
from reachy_mind.memory.subjects import Subject, fold

MOST_FACTS = 4
"""In one answer."""
_COLOURS = frozenset(
    """red green blue yellow black white brown grey gray orange pink purple silver golden ginger beige""".split()  # noqa: SIM905
)


_NO_TRADES = frozenset(
    "name relation age home origin birthday taste allergy be have can place like live love".split()  # noqa: SIM905
)
"""What tells nothing about what somebody does."""


@dataclass(frozen=True)
class Answer:
    """`text` is a sentence for the person; `known`: it is what they told; `about`: whom, in the second person."""

    text: str
    known: bool
    about: str = ""
    everything: bool = False
    """Whether all about them was asked for."""
    content: str = ""
    """The memory in the speaker's own words, for an answer about themselves."""


def answer(text: str, contents: Sequence[str]) -> Answer | None:
    """The answer to a question about somebody, from memories, newest first; None when it is no such question."""
    told = list(mentions.claims_of(dict.fromkeys(contents)))
    roster = [mentions.named(claim) for _, claim in told]
    if (by_predicate := _who(text, told)) is not None:
        return by_predicate
    question = questions.read(text, [each.name for each in roster if each.name])
    if question is None or question.subject.pronoun:
        return None
    subject = mentions.resolve(question.subject, roster) or question.subject
    own = [claim for _, claim in told if _is_about(claim, question.subject, roster)]
    shown = second_person(subject.words, subject.language)
    if not own:
        everything = question.aspect == "all"
        return Answer(f"You have not told me about {shown} yet.", known=False, about=shown, everything=everything)
    if (found := _answered(question, subject, own)) is not None:
        return Answer(found, known=True, about=shown)
    return Answer(f"You have not told me that about {shown} yet.", known=False, about=shown)


def _is_about(claim: Claim, subject: Subject, roster: Sequence[Subject]) -> bool:
    whole = mentions.resolve(mentions.named(claim), roster) or claim.subject
    return whole.is_like(subject) or claim.subject.is_like(subject)


def _answered(question: Question, subject: Subject, own: Sequence[Claim]) -> str | None:  # noqa: PLR0911 -- the first that fits
    """The sentence that answers a question about a subject with these claims; None when none does."""
    aspect = question.aspect
    if aspect in ("name", "who"):
        return _identity(question, subject, own)
    if aspect == "all":
        return _joined([claim for claim in own if claim.aspect != "name"] or own)
    wanted = _wanted(question)
    found = [claim for claim in own if _tells(claim, aspect)]
    if aspect in ("like", "dislike"):
        asked = (
            _matching(found, wanted) if wanted else [c for c in found if c.predicate.negative == (aspect == "dislike")]
        )
        return _yes_or_no(asked, liked=aspect == "like") if wanted and question.yes_no else _joined(asked)
    if question.yes_no and aspect not in ("age", "home", "all") and wanted:
        found = found if aspect != "be" else list(own)
        return _yes_or_no(_matching(found, wanted))
    if question.yes_no and found:
        value = found[0].predicate.value
        same = (
            years(value) == years(" ".join(question.words)) if aspect == "age" else bool(_matching(found[:1], wanted))
        )
        return _yes_or_no(found[:1], holds=same)
    if aspect == "be":
        return _joined(_being(question, own))
    if not found and aspect == "job":
        found = [claim for claim in own if claim.aspect not in _NO_TRADES and not claim.aspect.startswith("its ")]
    if not found:
        found = _matching(own, wanted)
    return _joined(_matching(found, wanted, least=0))


def _identity(question: Question, subject: Subject, own: Sequence[Claim]) -> str | None:
    """Who somebody is, or what they are called."""
    owned = [mentions.named(claim) for claim in own]
    whole = {(each.owner, each.noun, each.name): each for each in owned if each.noun and each.name}
    if not whole and subject.noun and subject.name:
        whole = {("", "", ""): subject}
    if not whole:
        return _joined(own) if question.aspect == "who" else None
    said = []
    for each in list(whole.values())[:MOST_FACTS]:
        noun = f"{each.owner} {each.noun}"
        is_, called = {
            "en": ("is", "is called"),
            "fr": ("est", "s'appelle"),
            "es": ("es", "se llama"),
            "de": ("ist", "heißt"),
        }[each.language]
        called = "are called" if each.gender == "they" and each.language == "en" else called
        tells = f"{each.name} {is_} {noun}" if question.subject.name else f"{noun} {called} {each.name}"
        said.append(sentence(second_person(tells, each.language)))
    return " ".join(dict.fromkeys(said))


def _tells(claim: Claim, aspect: str) -> bool:
    match aspect:
        case "like" | "dislike":
            return claim.aspect == "taste"
        case "job":
            return claim.aspect in ("work", "kind", "its job", "its profession", "do")
        case "birthday":
            return claim.aspect in ("birthday", "its birthday")
        case "origin":
            return claim.aspect in ("origin", "come")
        case "place":
            return claim.aspect in ("place", "home")
        case _:
            return claim.aspect == aspect


def _being(question: Question, own: Sequence[Claim]) -> list[Claim]:
    """For "what colour is ..", "what is .. afraid of": what it is, with the words of the question."""
    states = [claim for claim in own if claim.aspect in ("be", "kind", "allergy")]
    if {"colour", "color"} & {word.casefold() for word in question.words}:
        return [claim for claim in states if _COLOURS & set(fold(claim.predicate.value).split())]
    wanted = _wanted(question)
    return _matching(states, wanted) if wanted else states


def _wanted(question: Question) -> set[str]:
    """The stems of the words that the answer should have, without those that only ask."""
    asked = {word.casefold() for word in question.words} - questions.EMPTY
    asked = {word for word in asked if questions.BY_WORD.get(word) is None and base(word) != question.aspect}
    return {stem(word) for word in terms(" ".join(asked))} if asked else set()


def _matching(found: Sequence[Claim], wanted: set[str], least: int = 1) -> list[Claim]:
    """The claims with most of the wanted words, at least so many."""
    scored = [(len(wanted & {stem(word) for word in terms(claim.content)}), claim) for claim in found]
    best = max((score for score, _ in scored), default=0)
    return [claim for score, claim in scored if score == best and score >= least]


def _yes_or_no(found: Sequence[Claim], *, liked: bool = True, holds: bool = True) -> str | None:
    if not found:
        return None
    claim = found[0]
    true = holds and claim.predicate.negative is not liked
    said = second_person(claim.content, claim.subject.language)
    yes, no = {"en": ("Yes", "No"), "fr": ("Oui", "Non"), "es": ("Sí", "No"), "de": ("Ja", "Nein")}[
        claim.subject.language
    ]
    return sentence(f"{yes if true else no}, {said}")


def _joined(found: Sequence[Claim]) -> str | None:
    """The claims in one sentence for each subject."""
    joint = {"en": "and", "fr": "et", "es": "y", "de": "und"}
    groups: list[list[Claim]] = []
    for claim in list({fold(each.content): each for each in found}.values())[:MOST_FACTS]:
        plainly = not claim.sentence and not claim.aspect.startswith("its ")
        if groups and plainly and groups[-1][0].subject == claim.subject and not groups[-1][0].sentence:
            groups[-1].append(claim)
        else:
            groups.append([claim])
    said = []
    for group in groups:
        *most, last = [group[0].content, *(claim.predicate.words for claim in group[1:])]
        whole = f"{', '.join(most)} {joint[group[0].subject.language]} {last}" if most else last
        said.append(sentence(second_person(whole, group[0].subject.language)))
    return " ".join(said) or None


def _who(text: str, told: Sequence[tuple[str, Claim]]) -> Answer | None:
    """ "who is allergic to nuts?": the subject is what is asked for."""
    if not questions.asks_who(text):
        return None
    wanted = {stem(word) for word in terms(" ".join(questions.words_of(text)[1:]))}
    found = [
        claim
        for _, claim in told
        if wanted and wanted <= {stem(word) for word in terms(claim.content)} and not claim.predicate.negative
    ]
    said = _joined(found)
    return Answer(said, known=True) if said else None


def own_only(text: str, contents: Sequence[str]) -> list[str]:
    """For a question about the speaker ("where do I work?"): the memories that are not about somebody else."""
    asked = [word.casefold() for word in questions.words_of(text)]
    if "i" not in asked[1:4]:
        return list(contents)
    others = {
        content for content, claim in mentions.claims_of(contents) if claim.subject.relation or claim.subject.name
    }
    return [content for content in contents if content not in others or content.casefold().startswith("i ")]
