"""Facts out of what a person says, by rules that would rather miss one than make one up.

Only what somebody says about themselves, as a statement: no questions, no ifs, no quotations, nothing a camera or a web
page said. English, and the simplest forms in French, Spanish and German.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from reachy_mind.memory.forms import FORMS, TRAILING
from reachy_mind.memory.memories import Fact
from reachy_mind.memory.words import plain

LONGEST = 2000

_SENTENCES = re.compile(r"(?<=[.!?;\u2026])\s+|\n+")
_CLAUSES = re.compile(
    r",? (?:and|but|et|mais|y|pero|und|aber) (?=(?:i|i'm|i've|i'd|my|j'|je|ma|mon|yo|mi|me|vivo|tengo|trabajo|soy"
    r"|ich|mein|meine)\b)",
    re.I,
)
_OPENINGS = re.compile(
    r"^(?:\W|(?:well|so|oh|ah|hey|hi|hello|good (?:morning|evening|afternoon)|actually|by the way|you know|listen"
    r"|reachy|robot|ok|okay|yes|no(?! me)|sorry|also|and|but|please|just so you know|for your information"
    r"|(?:please )?(?:remember|note|keep in mind|do not forget|don't forget)(?: that|:)?"
    r"|bonjour|salut|alors|euh|oui|non|retiens que|rappelle-toi que|n'oublie pas que|hola|pues|bueno|recuerda que"
    r"|hallo|also|ja|nein|merk dir,? dass)\b[,:]?)+",
    re.I,
)
_UNSURE = re.compile(
    r"\b(?:if|whether|would|could|might|maybe|perhaps|imagine|suppose|supposing|pretend|wish|hypothetically|unless"
    r"|what if|lets say|if only|i used to|used to|no longer|not anymore|si|peut etre|imagine|quizas|tal vez|imagina"
    r"|wenn|falls|vielleicht|angenommen|wurde|wurden)\b"
)
_QUESTION = re.compile(
    r"^(?:what|who|whom|whose|which|when|where|why|how|do|does|did|is|are|am|was|were|can|could|will|would|should|may"
    r"|have|has|had|shall|guess|est-ce|qu|que|qui|quel|quelle|quand|ou|comment|pourquoi|combien|cual|quien|cuando"
    r"|donde|como|por que|was|wer|wie|wo|wann|warum|welche|welcher|habe|kannst|weisst|bin|ist)\b"
)
_SECRET = re.compile(r"\b(?:password|passcode|passwort|mot de passe|contrasena|pin(?: code)?|cvv|credit card)\b")


@lru_cache(maxsize=64)
def facts(said: str) -> tuple[Fact, ...]:
    """What a person tells about themselves; empty for questions, wishes and commands."""
    return tuple(fact for clause in _statements(said) if (fact := _made(clause)) is not None)


def introduction(said: str) -> str:
    """The name that somebody says is theirs; empty when they don't."""
    return next((fact.value for fact in facts(said) if fact.key == "name"), "")


def as_own(content: str, name: str = "") -> str:
    """What somebody else wrote about a person, as they would say it: "The user lives in Rome" is "I live in Rome"."""
    who = "|".join(["the user", "user", "the person", *([re.escape(name)] if name else [])])
    content = re.sub(rf"^(?:{who})'s ", "my ", content, flags=re.I)
    found = re.match(rf"(?:{who}) (is|has|does not|doesn't|was|\w+s)\b(.*)$", content, re.I | re.S)
    if found is None:
        return content
    known = {"is": "am", "has": "have", "does not": "do not", "doesn't": "don't", "was": "was"}
    verb = found[1].casefold()
    return f"I {known.get(verb) or verb[: -2 if verb.endswith(('shes', 'ches', 'sses')) else -1]}{found[2]}"


def let_go() -> None:
    """Keep nothing of what was read."""
    facts.cache_clear()
    statements.cache_clear()


@lru_cache(maxsize=64)
def statements(said: str) -> tuple[Fact, ...]:
    """What somebody tells of themselves in their own words, where no rule made a fact of it."""
    told = []
    for clause in _statements(said):
        bare = _folded(clause)
        if not 4 <= len(bare.split()) <= 60 or not _OWN.search(bare) or _WISH.search(bare):
            continue
        if _made(clause) is None:
            told.append(Fact(clause, "event" if _TIME.search(bare) else "fact"))
    return tuple(told)


_OWN = re.compile(
    r"^(?:(?:today|yesterday|tomorrow|tonight|last \w+|next \w+|this \w+|on \w+|in \w+) )?"
    r"(?:i|im|ive|my|we|our|were|weve|je|jai|jetais|ma|mon|mes|nous|yo|mi|mis|nosotros|ich|mein|meine|wir)\b"
)
_WISH = re.compile(
    r"\b(?:you|your|reachy|robot)\b|^(?:i|we) (?:want|need|would|d like|wonder|mean|think so|guess|said|asked|see"
    r"|understand|dont (?:know|understand|think|care)|do not (?:know|understand|think|care))\b"
    r"|^(?:je veux|quiero|ich will)\b"
)
_TIME = re.compile(
    r"\b(?:today|yesterday|tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|week|weekend|month"
    r"|morning|evening|afternoon|night|last|next|ago|january|february|march|april|june|july|august|september|october"
    r"|november|december|went|saw|met|was|were|had|bought|moved|started|finished|visited|got|broke|lost|found|won|made"
    r"|will|going to|appointment|meeting|at \d|demain|hier|manana|ayer|morgen|gestern)\b"
)


def _statements(said: str) -> Iterator[str]:
    for sentence in _SENTENCES.split(said[:LONGEST]):
        if sentence.rstrip(" \"'\u00bb)").endswith("?") or '"' in sentence or "\u201c" in sentence:
            continue
        for clause in _CLAUSES.split(sentence):
            bare = TRAILING.sub("", _OPENINGS.sub("", clause.strip()).strip(" .!;,\u2026"))
            folded = _folded(bare)
            if not folded or _QUESTION.match(folded) or _UNSURE.search(folded) or is_secret(bare):
                continue
            yield bare.replace("\u2019", "'")


def is_secret(said: str) -> bool:
    """Whether it is about a password or the like, which is nobody else's."""
    return _SECRET.search(_folded(said)) is not None


def _folded(text: str) -> str:
    """ "don't" is one word."""
    return plain(text.replace("'", "").replace("\u2019", ""))


def _made(clause: str) -> Fact | None:
    return next((made for pattern, make in FORMS if (hit := pattern.match(clause)) and (made := make(hit))), None)
