"""`Subject`: whom or what a sentence is about: "my aunt Rosa", "our dog", "Tom", "she".

A subject is read from the beginning of a list of words, by small word lists of four languages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from reachy_mind.memory.normalization import plain
from reachy_mind.memory.relation_words import PRONOUNS, Gender, gender_of_name, relation

OWNERS = {
    "my": "en", "our": "en", "the": "en", "ma": "fr", "mon": "fr", "mes": "fr", "notre": "fr", "nos": "fr",
    "mi": "es", "mis": "es", "nuestra": "es", "nuestro": "es", "nuestros": "es", "mein": "de", "meine": "de",
    "meiner": "de", "meinem": "de", "meinen": "de", "unser": "de", "unsere": "de",
    "ta": "fr", "ton": "fr", "tes": "fr", "votre": "fr", "tu": "es", "tus": "es", "dein": "de", "deine": "de",
    "your": "en",
}  # fmt: skip
"""Words that begin a subject, with their language. Those of the second person stand in what the robot says."""
PRONOUN_LANGUAGES = {
    "en": ("she", "he", "it", "they", "her", "him", "his", "its", "their", "them"),
    "fr": ("elle", "il", "ils", "elles"),
    "es": ("ella", "él", "ellos", "ellas"),
    "de": ("sie", "er", "es"),
}
POSSESSIVES = frozenset(("her", "his", "its", "their"))
_ADJECTIVES = frozenset(
    """older elder younger eldest oldest youngest big little small best old late dear new twin baby other first second
    third great lovely poor former ex other half middle step
    petite petit grande grand meilleure meilleur jeune vieille vieux mejor
    kleine kleiner große großer grosse beste bester ältere älterer jüngere jüngerer alte alter""".split()  # noqa: SIM905
)
_AFTER = frozenset(("mayor", "menor", "pequeña", "pequeño", "aînée", "aîné", "cadette", "cadet"))
_NO_NAMES = frozenset(
    """a an the this that these those there here it he she they we you i what who which when where why how everyone
    everybody someone somebody anyone nobody everything something nothing today tomorrow yesterday tonight monday
    tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december reachy robot please thanks hello hi yes no not and or but so dinner lunch breakfast music
    life water food coffee tea school work time one all both some many most his her its their my our your dance look
    turn nod stop in on at to for from with as of is are was has have does did can will would should do if then
    le la les un une des du de il elle ce c'est el los las una der die das ein eine es er sie wir ihr
    und et y""".split()  # noqa: SIM905
)


fold = lru_cache(maxsize=4096)(plain)
"""`plain`, for words that are compared again and again."""


@dataclass(frozen=True)
class Subject:
    """`owner`, `noun` and `name` as they were said; `relation` is the English name of the noun's meaning."""

    owner: str = ""
    noun: str = ""
    name: str = ""
    relation: str = ""
    gender: Gender = "any"
    language: str = "en"
    pronoun: str = ""

    @property
    def words(self) -> str:
        """The subject as it is said: "my aunt Rosa"."""
        return " ".join(part for part in (self.owner, self.noun, self.name) if part) or self.pronoun

    @property
    def key(self) -> str:
        which = () if self.name else self._adjectives
        return fold(" ".join(part for part in (self._whose, *which, self.relation or self.noun, self.name) if part))

    @property
    def _adjectives(self) -> tuple[str, ...]:
        """What tells one relative from another: "older" of "older sister"."""
        return tuple(word for word in fold(self.noun).split() if relation(word) is None) if self.relation else ()

    @property
    def _whose(self) -> str:
        """Whose relation it is, where it is not the speaker's: "my sister's husband"."""
        return self.owner.partition(" ")[2].removesuffix("'s")

    def is_like(self, other: Subject) -> bool:
        """Whether both can be the same: no name, relation or adjective of one contradicts the other."""
        if self.name and other.name:
            return _same_name(self.name, other.name) and (
                not (self.relation and other.relation) or self.relation == other.relation
            )
        if self._whose != other._whose:
            return False
        if self.relation or other.relation:
            same = self.relation == other.relation
        else:
            same = fold(self.noun) == fold(other.noun)
        adjectives = (self._adjectives, other._adjectives)
        return bool(self.noun and other.noun) and same and (not all(adjectives) or adjectives[0] == adjectives[1])

    def with_what_is_known(self, other: Subject) -> Subject:
        """With the name, the noun and the gender of another that is the same."""
        if self.name and not self.noun and other.noun:
            return replace(other, name=self.name)
        if self.noun and not self.name and other.name:
            return replace(self, name=other.name, gender=other.gender)
        return self


def _same_name(one: str, other: str) -> bool:
    """The same name, or the first name of a longer one."""
    one, other = fold(one), fold(other)
    return one == other or f"{one} ".startswith(f"{other} ") or f"{other} ".startswith(f"{one} ")


def bare(word: str) -> str:
    """A word without the punctuation around it."""
    return word.strip(' ,.;:!?¿¡"()')


def read(words: Sequence[str], is_verb: Callable[[str, str], bool]) -> tuple[Subject, int] | None:
    """The subject at the beginning, and how many words it takes; None where there is none.

    A possessive ("Rosa's", "her") is taken as the subject, too: its last word then ends in "'s", or it is a pronoun of
    `POSSESSIVES`. `is_verb` tells whether a word can begin what is said about the subject.
    """
    if not words:
        return None
    first = bare(words[0]).casefold()
    stripped = first.removesuffix("'s").removesuffix("'re")
    for language, pronouns in PRONOUN_LANGUAGES.items():
        if stripped in pronouns and len(words) > 1:
            return Subject(pronoun=stripped, gender=PRONOUNS[stripped][0], language=language), 1
    if first in OWNERS:
        return _owned(words, OWNERS[first], is_verb)
    return _named(words, is_verb)


def _owned(words: Sequence[str], language: str, is_verb: Callable[[str, str], bool]) -> tuple[Subject, int] | None:
    owner, at = bare(words[0]).casefold(), 1
    while at < len(words) - 1 and _qualifies(bare(words[at]), bare(words[at + 1])):
        at += 1
    if at >= len(words):
        return None
    noun = bare(words[at])
    kin = relation(noun.removesuffix("'s"))
    if kin is None or (owner == "the" and kin.gender != "pet"):
        return None
    after = at + 1
    if noun.endswith("'s"):
        inner = next((n for n in range(after, min(after + 3, len(words))) if relation(bare(words[n]))), None)
        adjectives = inner is not None and all(bare(w).casefold() in _ADJECTIVES for w in words[after:inner])
        if inner is not None and adjectives:  # "my sister's husband"
            whose = " ".join([owner, *map(bare, words[1:after])])
            found = _owned(["my", *words[after:]], language, is_verb)
            return (replace(found[0], owner=whose), found[1] - 1 + after) if found else None
    if after < len(words) and bare(words[after]).casefold() in _AFTER:
        after += 1
    said = " ".join(bare(word) for word in words[1:after]).removesuffix("'s")
    subject = Subject(owner, said, relation=kin.name, gender=kin.gender, language=language)
    if noun.endswith("'s") or (after < len(words) and is_verb(bare(words[after]), language)):
        return subject, after
    name, end = _name(words, after, lambda word: is_verb(word, language))
    gender = gender_of_name(name) if name and kin.gender == "any" else kin.gender
    return replace(subject, name=name, gender=gender), end


def _qualifies(word: str, following: str) -> bool:
    """Whether a word only says which: "older sister", "pet dog"."""
    if word.casefold() in _ADJECTIVES:
        return True
    return relation(word) is not None and relation(following.removesuffix("'s")) is not None


def _named(words: Sequence[str], is_verb: Callable[[str, str], bool]) -> tuple[Subject, int] | None:
    """A bare name, and "Tom, my brother, ..."."""
    name, end = _name(words, 0, lambda word: is_verb(word, "en"))
    if not name or fold(name).split(" ")[0] in _NO_NAMES:
        return None
    subject = Subject(name=name, gender=gender_of_name(name))
    if words[end - 1].endswith(",") and end < len(words) and bare(words[end]).casefold() in OWNERS:
        owned = _owned(words[end:], OWNERS[bare(words[end]).casefold()], is_verb)
        if owned is not None and not owned[0].name:
            return replace(owned[0], name=name), end + owned[1]
    return subject, end


def _name(words: Sequence[str], at: int, is_verb: Callable[[str], bool]) -> tuple[str, int]:
    """A name from `at` on, and where it ends: capitalised words, or one word in lower case before a verb."""
    found: list[str] = []
    for word in words[at : at + 3]:
        said = bare(word)
        letters = said.removesuffix("'s").replace("-", "").replace("'", "")
        if not letters.isalpha() or (not said[:1].isupper() and (found or is_verb(said))):
            break
        follows = bare(words[at + len(found) + 1]) if at + len(found) + 1 < len(words) else ""
        if not said[:1].isupper() and (
            gender_of_name(said.removesuffix("'s")) == "any"
            or not (said.endswith("'s") or (follows and is_verb(follows)))
        ):
            break
        if found and fold(said) in _NO_NAMES:
            break
        found.append(said)
        if said.endswith("'s") or word.endswith(","):
            break
    name = " ".join(word if word[:1].isupper() else word.capitalize() for word in found).removesuffix("'s")
    return name, at + len(found)
