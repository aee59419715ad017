"""Names by which people introduce themselves: "my name is Ada".

A name is taken from what is plainly an introduction. "I'm Ada" is one because Ada is a common first name; "I'm Quill"
may be one, so that it is asked back; "I am allergic to penicillin", "I'm vegan" and "I'm Polish" are none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reachy_mind.memory.name_words import AMBIGUOUS, DAYS, PARTICLES, TITLES, is_first_name, is_state
from reachy_mind.memory.normalization import plain

MOST_WORDS = 4
"""Of a name."""
_OPENING = (
    r"^\W*(?:(?:well|so|by the way|hey|hi|hello|good (?:morning|evening|afternoon)|it's me|bonjour|salut|c'est moi|hola"
    r"|soy yo|hallo|guten (?:tag|morgen|abend)|ich bin's|ja|oui|yes|no(?! me\b| soy\b)|non|nein)[\s,.!]+)*"
)
_NAMED = re.compile(
    _OPENING + r"(?:my (?:first |full |real |actual )?name(?:'s| is|s)|the name(?:'s| is)"
    r"|i(?:'m| am|m) (?:called|named)|je m'appelle|je me nomme|mon (?:pr[eé])?nom(?: est|,? c'est)"
    r"|me llamo|mi nombre es|ich hei(?:ß|ss)e"
    r"|mein (?:vor)?name ist) (?P<name>.+)$",
    re.I,
)
"""Words that say that a name follows."""
_CALLED = re.compile(
    _OPENING + r"(?:(?:(?:from now on,? |please |you can |you may |just )*|(?:people|they|my friends|everybody"
    r"|everyone) )call me|i go by"
    r"|appelle[sz]?-moi|on m'appelle|tu peux m'appeler|ll[aá]mame|puedes llamarme|me dicen|nenn mich|alle nennen mich"
    r"|du kannst mich(?=.* nennen$)) (?P<name>.+?)(?: nennen)?$",
    re.I,
)
"""Words after which a name follows, or a word such as "later"."""
_PRESENTED = re.compile(
    _OPENING + r"(?:(?P<en>i'm|i am|im)|(?P<fr>je suis|moi,? c'est)|(?P<es>soy|yo soy)|(?P<de>ich bin(?: der| die)?))"
    r" (?P<name>.+)$",
    re.I,
)
"""Words after which a name may follow, or anything else."""
_HERE = re.compile(
    _OPENING + r"(?:(?:this is|it'?s|hier (?:ist|spricht)(?: der| die)?|ici|aqu[ií]) (?P<a>[^,.!?]+?)"
    r"(?: speaking| here)?|(?P<b>[^,.!?]+?) (?:here|speaking|am apparat))$",
    re.I,
)
_TAIL = re.compile(
    r"^(?:from|here|by the way|speaking|again|aus|vom?|de|and|et|y|und|but|aged|nice to|pleased to|the new|your new"
    r"|mucho gusto|encantad[oa]|enchant[eé]e?)\b|^,",
    re.I,
)
"""What may follow a name after "I'm"."""
_END = re.compile(r"[,.;!?]| (?:and|but|by the way|from|et|mais|y|pero|und|aber) ")
_ASKING = frozenset("what who why how which quoi comment que como was wie".split())  # noqa: SIM905


@dataclass(frozen=True)
class Introduction:
    """The name that somebody gives as theirs; without `sure` it is asked back."""

    name: str
    sure: bool = True
    language: str = "en"


def read(clause: str) -> Introduction | None:
    """The introduction that a clause is; None for any other."""
    said = clause.replace("\u2019", "'").strip(" .!;")
    if said.endswith("?"):
        return None
    if said.isupper():
        said = said.lower()
    if (found := _NAMED.match(said) or _CALLED.match(said)) is not None:
        name = given(found["name"], plainly=found.re is _NAMED)
        return Introduction(name, language=_language(said)) if name else None
    if (here := _HERE.match(said)) is not None:
        return _here((here["a"] or here["b"] or "").split(), _language(said), calls=bool(here["b"]))
    return _presented(said)


_ASKS_NAME = re.compile(
    r"(?P<plain>what(?:'s| is) (?:yours|your (?:\w+ )?name)|what (?:should|shall|may|can) i call you"
    r"|what are you called|wie hei(?:ß|ss)t du|wie ist dein name|comment (?:tu )?t'appelles|quel est ton (?:pr[eé])?nom"
    r"|c[oó]mo te llamas|cu[aá]l es tu nombre)|(?:and you|und du|et toi|y t[uú])",
    re.I,
)


def answered(said: str, reply: str) -> Introduction | None:
    """The bare name that answers a reply in which a name was asked for: "Quill" after "What's yours?"."""
    asked = _ASKS_NAME.search(reply.replace("\u2019", "'"))
    name = said.strip(" .!")
    words = name.split()
    if asked is None or "?" not in reply or not 0 < len(words) <= 3 or not all(map(_is_word, words)):
        return None
    known = is_first_name(name)
    if not known and (not asked["plain"] or is_state(name) or not all(word[:1].isupper() for word in words)):
        return None
    shown = " ".join(word if word[:1].isupper() else word.capitalize() for word in words)
    return Introduction(shown, language=_language(asked[0]))


def asked_back(said: str, reply: str) -> Introduction | None:
    """The introduction that a reply asked about: "Is Quill your name?"."""
    clauses = [part for part in re.split(r"(?<=[.!?])\s+", said) if part]
    unsure = next((found for found in map(read, clauses) if found is not None and not found.sure), None)
    asks = unsure is not None and "?" in reply and plain(unsure.name) in plain(reply)
    return unsure if asks else None


def given(value: str, *, plainly: bool) -> str:
    """The name after words that say that one follows; empty where none does: "hard to pronounce", "a secret".

    `plainly`: a word in lower case that is no common name is one, too.
    """
    words = _END.split(value.strip(), maxsplit=1)[0].split()
    if not words or len(words) > MOST_WORDS or plain(words[0]) in _ASKING or not all(map(_is_word, words)):
        return ""
    capitals = words[0][:1].isupper() and all(word[:1].isupper() or plain(word) in PARTICLES for word in words)
    if capitals:
        return "" if plain(words[0]) in ("not", "to", "the", "a", *(DAYS - AMBIGUOUS)) else " ".join(words)
    known = is_first_name(words[0])
    if len(words) > 2 or not (known or (plainly and not is_state(words[0]))):
        return ""
    if len(words) == 2 and (is_state(words[1]) or not (known or words[1][:1].isupper())):
        return ""
    return " ".join(word if word[:1].isupper() else word.capitalize() for word in words)


def _here(words: Sequence[str], language: str, *, calls: bool) -> Introduction | None:
    """ "It's Ada", "this is Ada Byron speaking"; none are "it's May already" and "this is Anna's cup".

    `calls`: "May here" is a name where "it's May" may be the month.
    """
    first = words[0] if words else ""
    capitals = all(word[:1].isupper() or plain(word) in PARTICLES for word in words)
    if not (words and all(map(_is_word, words)) and is_first_name(first)) or len(words) > MOST_WORDS:
        return None
    ambiguous = plain(first) in AMBIGUOUS
    if not capitals and (ambiguous or len(words) > 1):
        return None
    name = " ".join(words)
    return Introduction(name[:1].upper() + name[1:], sure=calls or not ambiguous, language=language)


def _presented(said: str) -> Introduction | None:
    """ "I'm Ada", "ich bin die Lena", "je suis Claire"."""
    found = _PRESENTED.match(said)
    if found is None:
        return None
    language = next(each for each in ("en", "fr", "es", "de") if found[each])
    name, rest = _leading_name(found["name"].split())
    if not name or (rest and not _TAIL.match(rest)):
        return None
    first = name.split()[0]
    titled = plain(first) in TITLES
    if (titled and " " in name) or is_first_name(first):
        return Introduction(name, sure=plain(first) not in AMBIGUOUS, language=language)
    if language == "de" or rest or titled or len(name.split()) > 2 or is_state(name):
        return None  # German writes every noun so
    return Introduction(name, sure=False, language=language)


def _leading_name(words: Sequence[str]) -> tuple[str, str]:
    """The capitalised words at the beginning, or a common name in lower case; and what follows them."""
    name: list[str] = []
    for at, word in enumerate(words[:MOST_WORDS]):
        bare = word.strip(",.;:!")
        if not _is_word(bare):
            return "", ""
        title = at == 0 and plain(bare) in TITLES
        particle = bool(name) and plain(bare) in PARTICLES and at + 1 < len(words) and words[at + 1][:1].isupper()
        known = at == 0 and is_first_name(bare) and plain(bare) not in AMBIGUOUS
        if not (bare[:1].isupper() or title or particle or known):
            break
        name.append(word if title else bare.capitalize() if known and bare.islower() else bare)
        if word.endswith((",", ";", ":", "!")) or (word.endswith(".") and not title):
            rest = " ".join(words[at + 1 :])
            return " ".join(name), f", {rest}" if rest else ""
    return " ".join(name), " ".join(words[len(name) :])


def _is_word(word: str) -> bool:
    """Whether it can be part of a name."""
    return word.replace("-", "").replace("'", "").rstrip(".").isalpha() and not word.endswith(("'s", "'"))


def _language(said: str) -> str:
    lower = said.casefold()
    if re.search(r"m'appel|t'appel|\bton \b|\bet toi|\bje |\bmon |-moi\b|\bici\b", lower):
        return "fr"
    if re.search(
        r"\bme llamo|\bmi nombre|\bll[aá]m[ae]|\bme dicen|\baqu[ií]\b|\bte llamas|\btu nombre|\by t[uú]\b", lower
    ):
        return "es"
    return (
        "de"
        if re.search(r"\bich |\bmein |\bnenn|\bmich |\bhier |hei(?:ß|ss)t du|\bdein name|\bund du\b", lower)
        else "en"
    )
