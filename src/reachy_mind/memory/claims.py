"""`Claim`: one thing that is said about somebody or something else than the speaker.

"my aunt Rosa is ninety and grows roses" makes two: "my aunt Rosa is ninety" and "my aunt Rosa grows roses".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from reachy_mind.memory import predicates, subjects
from reachy_mind.memory.memories import Fact
from reachy_mind.memory.predicates import SINGLE, STRONG, Predicate, is_verb
from reachy_mind.memory.relation_words import RELATIONS, gender_of_name, relation
from reachy_mind.memory.subjects import OWNERS, POSSESSIVES, Subject, bare, fold

MOST_WORDS = 60
MOST_LISTED = 6
"""Names of several at once."""
_BE = {"is": "en", "was": "en", "est": "fr", "es": "es", "ist": "de"}
_NATIONS = ("ish", "ese", "ian", "ench", "ican", "utch", "eek", "wiss", "man", "ss")
_PLACES = frozenset(("in", "at", "on", "under", "behind", "next", "beside", "near", "above", "inside", "outside"))
_STATES = frozenset(("a", "an", "allergic", "called", "from", "my", "afraid", "not", "very", "in", "at", "got"))
"""Words after which "Rosa's" is "Rosa is"."""
_UNNAMED = frozenset(("name", "favourite", "favorite"))


@dataclass(frozen=True)
class Claim:
    """`content` is a full sentence in the speaker's words; empty: the subject's words and the predicate."""

    subject: Subject
    predicate: Predicate
    sentence: str = ""

    @property
    def content(self) -> str:
        return self.sentence or f"{self.subject.words} {self.predicate.words}"

    @property
    def aspect(self) -> str:
        return self.predicate.aspect

    def about(self, subject: Subject) -> Claim:
        """The same about another subject."""
        changed = replace(self, subject=subject, sentence="")
        if self.sentence and self.subject.words and self.subject.words in self.sentence:
            return replace(changed, sentence=self.sentence.replace(self.subject.words, subject.words, 1))
        return changed

    def fact(self, replaces: Sequence[str] = ()) -> Fact:
        """To be stored, under a key that makes a newer value supersede an older one where only one can be true."""
        value, aspect, who = self.predicate.value, self.aspect, self.subject
        if aspect in ("name", "relation") and who.noun:
            kin = RELATIONS.get(fold(who.noun))
            only = kin is not None and kin.single and " " not in who.owner
            noun = fold(who.noun)
            key = f"{noun} name" if only else f"{noun} name {fold(who.name or value)}"
            profile = (f"{noun}'s name", who.name or value) if only and who.language == "en" else None
            return Fact(self.content, "fact", key, who.name or value, profile, tuple(replaces))
        if aspect in SINGLE:
            return Fact(self.content, "fact", f"of:{who.key}:{aspect}", value, None, tuple(replaces))
        if aspect == "taste":
            way = "dislike" if self.predicate.negative else "like"
            return Fact(self.content, "preference", f"of:{who.key}:taste {fold(value)}", way, None, tuple(replaces))
        if aspect.startswith("its "):
            own = (f"{fold(who.noun)}'s {aspect[4:]}", value) if who.noun and not who.name else None
            return Fact(self.content, "fact", f"{who.key} {aspect[4:]}", value, own, tuple(replaces))
        key = f"of:{who.key}:{aspect} {fold(value)}" if aspect != "place" else f"of:{who.key}:place"
        truth = ("no" if self.predicate.negative else "yes") if aspect != "place" else value
        return Fact(self.content, "fact", key, truth, None, tuple(replaces))


@lru_cache(maxsize=2048)
def read(clause: str, known: frozenset[str] = frozenset()) -> tuple[Claim, ...]:  # noqa: PLR0911 -- the first that fits
    """The claims in a clause; a pronoun stays the subject until it is resolved. `known`: names that are known."""
    words = clause.replace("\u2019", "'").split()
    if not 1 < len(words) <= MOST_WORDS:
        return ()
    if (special := _introduced(words) or _spanish_taste(words)) is not None:
        return special
    found = subjects.read(words, is_verb)
    if found is None:
        return ()
    subject, at = found
    rest = words[at:]
    last = bare(words[at - 1]).casefold()
    if not subject.noun and not subject.pronoun:
        subject = replace(subject, language=_language(rest))
    if last in POSSESSIVES:
        return _possessed(subject, rest)
    if last.endswith("'s"):
        if owned := () if subject.pronoun else _possessed(subject, rest):
            return owned
        if not (subject.pronoun or predicates.is_age(rest) or bare(rest[0] if rest else "").casefold() in _STATES):
            return ()
        rest = [_is_or_has(rest), *rest]
    elif last.endswith("'re"):
        rest = ["are", *rest]
    if kin := _related(subject, rest, clause):
        return (kin,)
    made = tuple(
        claim
        for predicate in predicates.split(rest, subject.language)
        if (claim := _checked(Claim(subject, predicate), known)) is not None
    )
    return tuple(_named(claim) for claim in made)


def things(clause: str) -> tuple[Claim, ...]:
    """Where a thing of the speaker is, and what it is called: "my phone is in the kitchen"."""
    words = clause.replace("\u2019", "'").partition(",")[0].split()
    owner = bare(words[0]).casefold() if words else ""
    copula = next((at for at in range(2, min(5, len(words) - 1)) if words[at].casefold() in ("is", "are")), None)
    if owner not in ("my", "our") or copula is None or _UNNAMED & set(map(str.casefold, words[:copula])):
        return ()
    subject = Subject(owner, " ".join(words[1:copula]), gender="it")
    said, follows = " ".join(words[copula:]), bare(words[copula + 1]).casefold()
    if follows in ("called", "named") and len(words) > copula + 2:
        return (Claim(subject, Predicate(said, "name", " ".join(words[copula + 2 :]))),)
    if follows in _PLACES and len(words) > copula + 2:
        return (Claim(subject, Predicate(said, "place", " ".join(words[copula + 1 :]))),)
    return ()


def clear_cache() -> None:
    """Clear the cache: it holds what people said."""
    read.cache_clear()


def _language(rest: Sequence[str]) -> str:
    """The language of what follows a bare name."""
    word = bare(rest[0]) if rest else ""
    return next((language for language in ("en", "fr", "es", "de") if is_verb(word, language)), "en")


def _is_or_has(rest: Sequence[str]) -> str:
    return "has" if rest and bare(rest[0]).casefold() in ("got", "been") else "is"


def _checked(claim: Claim, known: frozenset[str]) -> Claim | None:
    """A bare name is somebody's only where the name is known or what is said of it is said of people."""
    subject = claim.subject
    if subject.noun or subject.pronoun:
        return claim
    first = fold(subject.name).split(" ")[0]
    if first in known or gender_of_name(subject.name) != "any" or claim.aspect in STRONG - {"kind", "work"}:
        return claim
    return None


def _named(claim: Claim) -> Claim:
    """ "my boss is Ingrid" and "our dog is called Biscuit" tell a name."""
    subject, predicate = claim.subject, claim.predicate
    value = predicate.value
    names = value.split()
    if predicate.aspect == "be" and subject.relation and not subject.name and not predicate.negative:
        person = 0 < len(names) <= 2 and all(word[:1].isupper() and word.isalpha() for word in names)
        if person and not value.endswith(_NATIONS):
            predicate = replace(predicate, aspect="name")
    if predicate.aspect == "name" and 0 < len(names) <= 4:
        name = " ".join(word if word[:1].isupper() else word.capitalize() for word in names)
        return Claim(subject, replace(predicate, value=name), claim.content)
    return replace(claim, predicate=predicate)


def _possessed(subject: Subject, rest: Sequence[str]) -> tuple[Claim, ...]:
    """ "her name is Rosa", "Mia's favourite food is pasta", "my sister's birthday is in May"."""
    copula = next((at for at, word in enumerate(rest[:5]) if word.casefold() in ("is", "are", "was", "were")), 0)
    value = " ".join(rest[copula + 1 :]).strip(" ,")
    if not copula or not value:
        return ()
    attribute = fold(" ".join(rest[:copula])).replace("favourite", "favorite").replace("colour", "color")
    if attribute in ("name", "first name"):
        name = " ".join(word if word[:1].isupper() else word.capitalize() for word in value.split())
        who = subject.words or subject.pronoun
        return (
            Claim(subject, Predicate(f"is called {name}", "name", name), "" if subject.pronoun else _whole(who, name)),
        )
    if attribute == "age":
        return (Claim(subject, Predicate(f"is {value}", "age", value)),)
    if attribute == "birthday":
        value = value.removeprefix("on ").removeprefix("in ")
    said = f"{' '.join(rest[:copula])} {' '.join(rest[copula:])}"
    return (Claim(subject, Predicate(f"'s {said}", f"its {attribute}", value), _of(subject, said)),)


def _whole(who: str, name: str) -> str:
    return f"{who} is called {name}"


def _of(subject: Subject, said: str) -> str:
    return f"{subject.words}'s {said}" if not subject.pronoun else ""


def _related(subject: Subject, rest: Sequence[str], clause: str) -> Claim | None:
    """ "Tom is my brother"."""
    if len(rest) < 3 or bare(rest[0]).casefold() not in _BE or bare(rest[1]).casefold() not in OWNERS:
        return None
    found = subjects.read(rest[1:], is_verb)
    if found is None or not found[0].relation or found[0].name or found[1] != len(rest) - 1:
        return None
    if rest[-1].endswith("'s") or not (subject.name or subject.pronoun):
        return None
    said = " ".join(rest)
    whole = replace(found[0], name=subject.name, language=_BE[bare(rest[0]).casefold()])
    if subject.pronoun:
        return Claim(subject, Predicate(said, "relation", found[0].words))
    return Claim(whole, Predicate(said, "relation", found[0].words), clause)


def _introduced(words: Sequence[str]) -> tuple[Claim, ...] | None:  # noqa: PLR0911 -- the first that fits
    """ "I have a brother called Tom who is forty", "this is my wife Anna", "the name of our dog is Rex"."""
    lower = [bare(word).casefold() for word in words]
    if lower[:3] == ["the", "name", "of"] and "is" in lower[4:]:
        at = lower.index("is", 4)
        return read(" ".join([*words[3:at], "is called", *words[at + 1 :]]))
    if lower[:2] in (["this", "is"], ["meet", "my"]):
        found = subjects.read(words[2 if lower[0] == "this" else 1 :], is_verb)
        if found is None or not found[0].name or not found[0].noun:
            return None
        who = replace(found[0], name="")
        return (Claim(who, Predicate(f"is called {found[0].name}", "name", found[0].name)),)
    if (several := _several(words, lower)) is not None:
        return several
    if lower[0] not in ("i", "we", "i've", "we've") or not {"a", "an"} & set(lower[1:4]):
        return None
    article = next(at for at in range(1, 4) if lower[at] in ("a", "an"))
    if not {"have", "got", "i've", "we've"} & set(lower[:article]):
        return None
    owner = "my" if lower[0].startswith("i") else "our"
    called = next((at for at, word in enumerate(lower) if word in ("called", "named")), 0)
    comma = called or next((at + 1 for at, word in enumerate(words[:-1]) if word.endswith(",")), 0)
    noun = words[article + 1 : called or comma]
    if not comma or not noun or relation(bare(noun[-1])) is None:
        return None
    start = called + 1 if called else comma
    found = subjects.read([owner, *map(bare, noun), *words[start:]], is_verb)
    if found is None or not found[0].name:
        return None
    subject, end = found[0], start + found[1] - 1 - len(noun)
    told = " ".join(words[:end]).strip(" ,")
    first = Claim(replace(subject, name=""), Predicate(f"is called {subject.name}", "name", subject.name), told)
    rest = words[end:]
    while rest and bare(rest[0]).casefold() in ("who", "and", "he", "she", "it", "is's"):
        rest = rest[1:]
    return (first, *(Claim(subject, predicate) for predicate in predicates.split(rest, "en")))


def _several(words: Sequence[str], lower: Sequence[str]) -> tuple[Claim, ...] | None:
    """ "I have two cats, Salt and Pepper" and "we have three sons called Tom, Ben and Max"."""
    if lower[0] not in ("i", "we", "i've", "we've") or not {"have", "got", "i've", "we've"} & set(lower[:3]):
        return None
    noun = next((at for at in range(2, min(6, len(lower))) if _is_several(lower[at])), 0)
    if not noun or noun + 1 >= len(words):
        return None
    start = noun + 2 if lower[noun + 1] in ("called", "named") else noun + 1
    names = [word for word in map(bare, words[start:]) if word.casefold() not in ("and", "&")]
    listed = words[noun].endswith((",", ":")) or start == noun + 2
    if (
        not listed
        or not 1 < len(names) <= MOST_LISTED
        or not all(name[:1].isupper() and name.isalpha() for name in names)
    ):
        return None
    owner = "my" if lower[0].startswith("i") else "our"
    subject = Subject(owner, lower[noun], relation=lower[noun], gender="they")
    said = f"{', '.join(names[:-1])} and {names[-1]}"
    return (Claim(subject, Predicate(f"are called {said}", "name", said), " ".join(words)),)


def _is_several(word: str) -> bool:
    kin = relation(word) or (relation(word[:-1]) if word.endswith("s") else None)
    return kin is not None and (kin.gender == "they" or word.endswith("s"))


def _spanish_taste(words: Sequence[str]) -> tuple[Claim, ...] | None:
    """ "a mi hija Mia le gustan los dinosaurios"."""
    lower = [word.casefold() for word in words]
    likes = next((at for at, word in enumerate(lower) if word in ("gusta", "gustan", "encanta", "encantan")), 0)
    if lower[0] != "a" or likes < 3 or lower[likes - 1] not in ("le", "les"):
        return None
    negative = lower[likes - 2] == "no"
    found = subjects.read(words[1 : likes - 1 - negative], is_verb)
    if found is None:
        return None
    said = " ".join(words[likes - 1 - negative :])
    value = " ".join(words[likes + 1 :])
    return (Claim(replace(found[0], language="es"), Predicate(said, "taste", value, negative), " ".join(words)),)
