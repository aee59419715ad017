"""What a person tells in the course of a conversation: pronouns resolved, corrections applied.

`told` gives the facts in what was said, as sentences that stand by themselves. It knows what was said and answered
before, and what is remembered, so that "she is seven now, not six" becomes "my daughter Mia is seven" and replaces what
was believed. The same function serves the memory, which stores the facts, and a brain that acknowledges them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from reachy_mind.memory import claims, clauses, day_words, own_names, subjects
from reachy_mind.memory.claims import Claim
from reachy_mind.memory.fact_patterns import own_fact
from reachy_mind.memory.memories import Fact
from reachy_mind.memory.mentions import (
    MOST_EXCHANGES,
    Exchange,
    claims_of,
    earlier,
    facts_in,
    first_person,
    mentioned,
    named,
    names_of,
    resolved,
    subjects_in,
    subjects_of,
)
from reachy_mind.memory.predicates import SINGLE, is_verb
from reachy_mind.memory.subjects import OWNERS, Subject, bare, fold

_REPEATED = re.compile(
    r"^\W*(?:(?:no|nope|sorry|non|nein|perd[oó]n|actually)\b[\s,.]*)*(?P<opening>i said|i meant|i mean|it's|it is"
    r"|the name is|j'ai dit|je voulais dire|c'est|dije|quise decir|es|ich sagte|ich habe gesagt|ich meinte"
    r"|es ist|es heißt)?\s*(?P<right>[\w' -]{1,40}?)(?P<comma>,)? (?:and )?(?:not|pas|no|nicht)"
    r" (?P<wrong>[\w'-]+(?: [\w'-]+)?)\W*$",
    re.I,
)
_SAYING = frozenset(
    """it is i she he do does am are was that this can will you they we has have s t did sure why of course
    certainly""".split()  # noqa: SIM905
)
"""Words that a name or a value does not have."""
_RATHER = re.compile(
    r"^\W*(?:no[\s,.]+)?not (?P<wrong>[\w'-]+)(?:,| but|;|\.) (?:but )?(?P<right>[\w' -]{1,40}?)\W*$", re.I
)
_INSTEAD = re.compile(
    r"(?:, (?:and )?(?:not|pas|no|nicht)|(?<! is)(?<! are)(?<! was)(?<! does)(?<! do)(?<! can)(?<! has)(?<! have) not)"
    r" (?P<wrong>[\w' -]{1,40})$",
    re.I,
)


@dataclass(frozen=True)
class Told:
    """The facts in what was said. `corrects`: they correct something; `complete`: nothing else was said."""

    facts: tuple[Fact, ...] = ()
    sentences: tuple[str, ...] = ()
    """The facts in the first person as they can be repeated, those about one subject in one sentence."""
    corrects: bool = False
    complete: bool = False
    about_others: bool = False
    language: str = "en"
    denies: str | None = None
    """The name that is not the speaker's; empty for the one that was used for them."""


def told(said: str, before: Sequence[Exchange] = (), known: Sequence[str] = ()) -> Told:
    """What is told in what was said. `before`: the conversation, oldest first; `known`: memories, newest first."""
    before = before[-MOST_EXCHANGES:]
    if (own := own_names.told(said, before)) is not None:
        said_back = tuple(fact.content for fact in own.facts)
        return Told(own.facts, said_back, corrects=own.denies is not None, complete=True, denies=own.denies)
    corrects = clauses.objects(said)
    renamed = _another_day(said, before) or _repetition(said, before, known) or _other_value(said, before, known)
    if renamed is not None:
        return renamed
    spoken, remembered = mentioned(before, known), list(subjects_of(known))
    made: list[tuple[Fact, Claim | None]] = []
    believed: list[str] = []
    complete, any_clause = True, False
    for clause in clauses.statements(said):
        any_clause = True
        if (swapped := _name_of(clause, [*before, Exchange(said)], known)) is not None:
            return swapped
        instead = _INSTEAD.search(clause)
        stated = clauses.TRAILING.sub("", clause[: instead.start()] if instead and instead.start() > 0 else clause)
        found = resolved(claims.read(stated, names_of([*spoken, *remembered])), spoken, remembered)
        if found and (other := _another_animal(found[0], stated)):
            found = []
            made.append((Fact(stated, "fact", f"of:{fold(other)}:be", stated), None))
            complete = False
            continue
        found = [_right_name(claim) for claim in found] if corrects else found
        if found:
            wrong = instead["wrong"] if instead else ""
            believed = believed or [*(fact.content for fact in earlier(before)), *known]
            for claim in found:
                made += _facts(claim, believed, before[-1].reply if before else "", wrong=wrong, corrects=corrects)
            corrects = corrects or bool(wrong)
            spoken.insert(0, named(found[-1]))
            complete = complete and bare(stated.split()[-1]) == bare(found[-1].content.split()[-1])
        elif (fact := own_fact(clause)) is not None:
            made.append((fact, None))
            spoken[:0] = subjects_in(clause)
        elif thing := claims.things(clause):
            made += [(claim.fact(), claim) for claim in thing]
            spoken.insert(0, thing[-1].subject)
        else:
            complete = False
            spoken[:0] = subjects_in(clause)
    unique = {fold(fact.content): (fact, claim) for fact, claim in made}
    facts = tuple(fact for fact, _ in unique.values())
    others = [claim for _, claim in unique.values() if claim is not None]
    return Told(
        facts,
        tuple(_sentences(unique.values())),
        corrects=corrects and bool(facts),
        complete=complete and any_clause and not said.rstrip().endswith("?"),
        about_others=bool(others),
        language=others[0].subject.language if others else "en",
    )


def depends(said: str) -> bool:
    """Whether what is told takes what was said before, or may replace something about somebody else."""
    if clauses.objects(said) or _repeated(said) is not None or own_names.depends(said):
        return True
    return any(claims.read(clause) or claims.things(clause) for clause in clauses.statements(said))


def _facts(
    claim: Claim, believed: Sequence[str], reply: str, *, wrong: str, corrects: bool
) -> list[tuple[Fact, Claim | None]]:
    """The fact of a claim with what it replaces; a new name for somebody renames what is known about them."""
    if claim.aspect == "name" and claim.subject.name and not _is_name(claim.subject.name, claim.predicate.value):
        who = claim.subject
        renamed = [
            (made, None)
            for content, old in claims_of(dict.fromkeys(believed))
            if (made := _renamed_fact(content, old, who.name, claim.predicate.value, who)) is not None
        ]
        named = Claim(replace(who, name=""), claim.predicate)
        stale = [content for content, old in claims_of(believed) if old.aspect == "name" and old.subject.is_like(who)]
        return [(named.fact(stale), named), *renamed]
    stale = []
    last = {fold(old.content) for old in _claims(first_person(reply))} if corrects else set()
    for content, old in claims_of(dict.fromkeys(believed)):
        if fold(content) == fold(claim.content) or old.aspect != claim.aspect:
            continue
        if claim.aspect == "name":
            replaced = corrects and old.subject.relation == claim.subject.relation
        elif not old.subject.is_like(claim.subject):
            continue
        else:
            contradicted = wrong and fold(wrong).removeprefix("in ") in fold(old.predicate.value)
            replaced = claim.aspect in SINGLE or bool(contradicted) or fold(content) in last
        if replaced or (wrong and claim.aspect == "relation" and _same_person(old, claim)):
            stale.append(content)
    return [(claim.fact(stale), claim)]


_ANIMALS = frozenset(
    "dog cat rabbit hamster parrot horse fish pony budgie turtle tortoise mouse rat bird puppy kitten".split()  # noqa: SIM905
)
_NATIONS = ("ish", "ese", "ian", "ench", "ican", "utch", "eek", "wiss", "man")


def _another_animal(claim: Claim, stated: str) -> str:
    """The name in "Milo is the neighbour's dog", where a cat was taken to be called so; else empty."""
    name, noun = claim.subject.name, fold(claim.subject.noun or "")
    words = [fold(bare(word)) for word in stated.split()]
    if not name or noun not in _ANIMALS or not words or words[0] != fold(name).split(" ")[0]:
        return ""
    return name if len(words) > 2 and words[-1] in _ANIMALS - {noun} and words[1] in ("is", "was", "s") else ""


def _right_name(claim: Claim) -> Claim:
    """ "no, it's Tiger", of somebody with another name: the right name."""
    value, who = claim.predicate.value, claim.subject
    named = claim.aspect == "be" and who.name and who.noun and who.language == "en" and not claim.predicate.negative
    if not named or not (value.isalpha() and value[:1].isupper()) or value.endswith(_NATIONS):
        return claim
    return Claim(who, replace(claim.predicate, words=f"is called {value}", aspect="name", value=value))


def _same_person(old: Claim, claim: Claim) -> bool:
    return bool(old.subject.name) and _is_name(old.subject.name, claim.subject.name)


def _claims(text: str) -> Iterator[Claim]:
    for clause in clauses.statements(text):
        yield from claims.read(clause)


def _is_name(one: str, other: str) -> bool:
    return fold(one) == fold(other)


def _renamed_fact(content: str, old: Claim, wrong: str, right: str, who: Subject | None = None) -> Fact | None:
    """A memory about somebody under their right name; None for one that does not name them."""
    if who is not None and old.subject.name and not old.subject.is_like(who):
        return None
    if not _is_name(old.subject.name, wrong) or old.aspect == "name":
        return None
    changed = claims.read(_swapped(content, wrong, right))
    return changed[0].fact((content,)) if changed else None


def _swapped(text: str, wrong: str, right: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(wrong)}(?!\w)", lambda _: right, text, flags=re.I)


def _repeated(said: str) -> re.Match[str] | None:
    """A wrong word and the right one, if that is all that is said."""
    found = _REPEATED.match(said)
    if found is not None and not (found["opening"] or found["comma"]):
        return None
    found = found or _RATHER.match(said)
    if found is None or not found["right"].strip() or _SAYING & set(fold(found["right"]).split()):
        return None
    return None if claims.read(found["right"]) or own_fact(found["right"]) is not None else found


def _repetition(said: str, before: Sequence[Exchange], known: Sequence[str]) -> Told | None:
    """ "I said Ines, not Agnes": what was told with the wrong word is told with the right one."""
    found = _repeated(said.replace("\u2019", "'"))
    if found is None:
        return None
    wrong, right = found["wrong"].strip(), found["right"].strip()
    pairs: list[tuple[Fact, Fact]] = []
    for at in range(len(before) - 1, -1, -1):
        if _swapped(before[at].said, wrong, "") != before[at].said:
            spoken = mentioned(before[:at], known)
            old = list(facts_in(before[at].said, spoken))
            new = list(facts_in(_swapped(before[at].said, wrong, right), spoken))
            pairs = list(zip(old, new, strict=False)) if len(old) == len(new) else []
            break
    swapped = {fold(old.content) for old, _ in pairs}
    facts = [replace(new, replaces=(old.content,)) for old, new in pairs if fold(old.content) != fold(new.content)]
    for content, old_claim in claims_of(known):
        if fold(content) in swapped:
            continue
        if (fact := _renamed_fact(content, old_claim, wrong, right)) is not None:
            facts.append(fact)
        elif old_claim.aspect == "name" and _is_name(old_claim.predicate.value, wrong):
            facts += [each.fact((content,)) for each in claims.read(_swapped(content, wrong, right))[:1]]
    if not facts:
        return None
    pairs_said = [(fact, next(iter(claims.read(fact.content)), None)) for fact in facts]
    return Told(
        tuple(facts),
        tuple(_sentences(pairs_said)) or tuple(fact.content for fact in facts),
        corrects=True,
        complete=True,
        about_others=any(claim is not None for _, claim in pairs_said),
        language=next((claim.subject.language for _, claim in pairs_said if claim is not None), "en"),
    )


_VALUE = re.compile(
    r"^\W*(?:(?:no|nope|sorry|wait|oops|actually|non|nein|perd[oó]n|pardon)\b[\s,.!]*)+"
    r"(?:(?:i meant?|i mean|it's|je voulais dire|c'est|quise decir|se llama|ich meinte|in|à|en)\b[\s,]*)*"
    r"(?-i:(?P<right>[A-ZÀ-Þ][\w'-]+))\W*$",
    re.I,
)


def _other_value(said: str, before: Sequence[Exchange], known: Sequence[str]) -> Told | None:
    """ "no, in Milan" and "sorry, I meant Max": another value for the one thing that was told just before."""
    found = _VALUE.match(said.replace("\u2019", "'"))
    if found is None or not before:
        return None
    last = list(facts_in(before[-1].said, mentioned(before[:-1], known)))
    wrong = re.sub(r"^(?:in|at|from|en|à|aus) ", "", last[0].value) if len(last) == 1 else ""
    if not wrong or _swapped(before[-1].said, wrong, "") == before[-1].said:
        return None
    return _repetition(f"I said {found['right']}, not {wrong}", before, known)


def _another_day(said: str, before: Sequence[Exchange]) -> Told | None:
    """ "no, Thursday, not Tuesday": what was told just before is told with the other day."""
    swapped = day_words.swapped(said, before[-1].said) if before else ""
    old = list(clauses.statements(before[-1].said)) if swapped else []
    new = list(clauses.statements(swapped)) if len(old) else []
    changed = [(one, other) for one, other in zip(old, new, strict=False) if one != other]
    if not changed or len(old) != len(new):
        return None
    facts = [
        replace(next(iter(facts_in(right, ())), Fact(right, "event")), content=right, replaces=(wrong,))
        for wrong, right in changed
    ]
    sentences = tuple(right for _, right in changed)
    language = next((OWNERS[word] for each in sentences if (word := fold(each).split(" ")[0]) in OWNERS), "en")
    return Told(tuple(facts), sentences, corrects=True, complete=True, about_others=True, language=language)


def _name_of(clause: str, before: Sequence[Exchange], known: Sequence[str]) -> Told | None:
    """ "no, that is my brother's name": the name that was said last belongs to somebody else."""
    of = own_names.owner(clause)
    whose = subjects.read(of.split(), is_verb) if of else None
    if whose is None:
        return None
    own = own_names.last_given(before[-2:])
    last = next((each for each in mentioned(before, known) if each.name), None)
    named = [old for each in before[-2:] for old in _claims(first_person(each.reply)) if old.aspect == "name"]
    name = own or (named[-1].predicate.value if named else last.name if last is not None else "")
    if not name:
        return None
    owner = replace(whose[0], name="")
    stale: list[str] = []
    unnamed: list[Fact] = []
    for content, old in claims_of(dict.fromkeys([*(fact.content for fact in earlier(before)), *known])):
        if old.subject.relation == owner.relation:
            continue
        if old.aspect in ("name", "relation") and _is_name(old.subject.name or old.predicate.value, name):
            stale.append(content)
        elif old.subject.noun and _is_name(old.subject.name, name):
            unnamed.append(old.about(replace(old.subject, name="")).fact((content,)))
    called = {"fr": "s'appelle", "es": "se llama", "de": "heißt"}.get(owner.language, "is called")
    claim = next(iter(claims.read(f"{owner.words} {called} {name}")))
    facts = (claim.fact(stale), *unnamed)
    denies, language = own or None, owner.language
    said_back = (claim.content,)
    return Told(facts, said_back, corrects=True, complete=True, about_others=True, language=language, denies=denies)


def _sentences(made: Iterable[tuple[Fact, Claim | None]]) -> Iterator[str]:
    """The facts as they can be repeated, neighbours with one subject joined."""
    joint = {"en": "and", "fr": "et", "es": "y", "de": "und"}
    joined: list[list[Claim]] = []
    for fact, claim in made:
        if (
            claim is not None
            and joined
            and joined[-1]
            and not claim.sentence
            and joined[-1][-1].subject == claim.subject
        ):
            joined[-1].append(claim)
        elif claim is not None:
            joined.append([claim])
        elif not fact.replaces:
            joined.append([])
            yield fact.content
    for group in joined:
        if group:
            said = [claim.predicate.words for claim in group[1:]]
            yield f" {joint[group[0].subject.language]} ".join([group[0].content, *said])
