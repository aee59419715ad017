"""Who and what a conversation mentions, so that a pronoun or a bare name can be resolved, and what was told in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from reachy_mind.memory import claims, clauses, subjects
from reachy_mind.memory.claims import Claim
from reachy_mind.memory.fact_patterns import own_fact
from reachy_mind.memory.memories import Fact
from reachy_mind.memory.predicates import is_verb
from reachy_mind.memory.relation_words import PRONOUNS, gender_of_name, relation
from reachy_mind.memory.subjects import OWNERS, Subject, bare, fold

MOST_EXCHANGES = 12
"""Of a conversation that are looked at."""
_SECOND = {"your": "my", "ta": "ma", "ton": "mon", "tes": "mes", "tu": "mi", "tus": "mis", "dein": "mein",
           "deine": "meine", "my": "a", "mon": "un", "ma": "une", "mes": "des", "mi": "un", "mis": "unos",
           "mein": "ein", "meine": "eine", "meinen": "einen", "meinem": "einem", "meiner": "einer"}  # fmt: skip
"""What is the person's for the robot is their own; what is the robot's own is nothing of theirs."""


@dataclass(frozen=True)
class Exchange:
    """What was said and what was answered, earlier in the conversation."""

    said: str
    reply: str = ""


def mentioned(before: Sequence[Exchange], known: Sequence[str] = ()) -> list[Subject]:
    """Subjects that were mentioned in the conversation, the last one first, with what the memories know of them."""
    remembered = list(subjects_of(known))
    spoken: list[Subject] = []
    for exchange in before:
        names = names_of([*spoken, *remembered])
        for subject in (*subjects_in(exchange.said, names), *subjects_in(first_person(exchange.reply), names)):
            if (whole := resolve(subject, spoken, remembered)) is not None:
                _put_first(whole, spoken)
    return spoken


def resolve(subject: Subject, spoken: Sequence[Subject], remembered: Sequence[Subject] = ()) -> Subject | None:
    """The subject with all that is known about it; None for a pronoun that stands for nobody.

    A pronoun stands for the last one that fits of those `spoken` of, and never for one that is only `remembered`.
    """
    if not subject.pronoun:
        known = (*spoken, *remembered)
        return next((subject.with_what_is_known(each) for each in known if _completes(subject, each)), subject)
    genders = PRONOUNS[subject.pronoun]
    sure = [each for each in spoken if each.gender in genders and each.gender != "any"]
    fits = sure or [each for each in spoken if each.gender in genders]
    return next((each for each in fits), None)


def first_person(reply: str) -> str:
    """A reply of the robot in the words of the person: "Your aunt" becomes "my aunt", "my loudspeaker" nobody's."""
    return " ".join(_SECOND.get(word.casefold(), word) for word in reply.split())


def claims_of(contents: Iterable[str]) -> Iterator[tuple[str, Claim]]:
    """The claims that memories make, each with its memory."""
    for content in contents:
        for claim in claims.read(content) or claims.things(content):
            yield content, claim


def named(claim: Claim) -> Subject:
    """The subject with the name that the claim gives it."""
    if claim.aspect == "name" and not claim.subject.pronoun:
        return replace(claim.subject, name=claim.predicate.value)
    return claim.subject


def earlier(before: Sequence[Exchange]) -> Iterator[Fact]:
    """What was told earlier in the conversation, the last first; it may not have been stored yet."""
    facts: list[Fact] = []
    spoken: list[Subject] = []
    for exchange in before:
        facts += facts_in(exchange.said, spoken)
        names = names_of(spoken)
        for subject in (*subjects_in(exchange.said, names), *subjects_in(first_person(exchange.reply), names)):
            if (whole := resolve(subject, spoken)) is not None:
                _put_first(whole, spoken)
    return reversed(facts)


def facts_in(said: str, roster: Iterable[Subject]) -> Iterator[Fact]:
    """The facts of an earlier turn, without regard to what they replaced."""
    seen = list(roster)
    for clause in clauses.statements(said):
        found = resolved(claims.read(clause, names_of(seen)), seen)
        if found:
            yield from (claim.fact() for claim in found)
            seen.insert(0, named(found[-1]))
        elif (fact := own_fact(clause)) is not None:
            yield fact
        else:
            yield from (claim.fact() for claim in claims.things(clause))


def clear_cache() -> None:
    """Clear the caches: they hold what people said."""
    claims.clear_cache()
    subjects_in.cache_clear()
    fold.cache_clear()
    relation.cache_clear()


def _put_first(subject: Subject, spoken: list[Subject]) -> None:
    if subject in spoken:
        spoken.remove(subject)
    spoken.insert(0, subject)


def _completes(subject: Subject, other: Subject) -> bool:
    return subject.is_like(other) and (bool(other.name and not subject.name) or bool(other.noun and not subject.noun))


def names_of(roster: Iterable[Subject]) -> frozenset[str]:
    """The first names of subjects, as they are compared."""
    return frozenset(fold(each.name).split(" ")[0] for each in roster if each.name)


def subjects_of(contents: Iterable[str]) -> Iterator[Subject]:
    """Whom and what memories are about."""
    for content in contents:
        yield from subjects_in(content)


@lru_cache(maxsize=1024)
def subjects_in(text: str, names: frozenset[str] = frozenset()) -> tuple[Subject, ...]:
    """Whom and what a text names, in its order: owned ones, and bare names that are known as names."""
    words = text.replace("\u2019", "'").split()
    found: list[Subject] = []
    at = 0
    while at < len(words):
        word = bare(words[at])
        if word.casefold() in OWNERS and (read := subjects.read(words[at:], is_verb)) is not None:
            found.append(read[0])
            at += max(read[1], 1)
            continue
        name = word.removesuffix("'s")
        first = fold(name)
        if first in names or (word[:1].isupper() and gender_of_name(name) != "any"):
            found.append(Subject(name=name[:1].upper() + name[1:], gender=gender_of_name(name)))
        at += 1
    for clause in clauses.statements(text):
        for claim in claims.read(clause, names) or claims.things(clause):
            if not claim.subject.pronoun:
                found.append(named(claim))
    return tuple(found)


def resolved(found: Sequence[Claim], spoken: Sequence[Subject], remembered: Sequence[Subject] = ()) -> list[Claim]:
    """The claims about whom they are meant; none when a pronoun stands for nobody."""
    out: list[Claim] = []
    for claim in found:
        given = [named(each) for each in out if each.aspect == "name" and each.subject == claim.subject]
        whole = given[0] if given else resolve(claim.subject, spoken, remembered)
        if whole is None:
            return []
        if claim.aspect in ("name", "relation") and not claim.subject.pronoun:
            out.append(claim)
        elif claim.aspect == "relation":
            out += claims.read(f"{whole.name} {claim.predicate.words}") if whole.name else ()
        elif claim.aspect.startswith("its "):
            said = f"{whole.words}{claim.predicate.words}"
            out.append(replace(claim, subject=whole, sentence=said))
        else:
            out.append(claim.about(whole))
    return out
