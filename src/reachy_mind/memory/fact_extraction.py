"""Extracts facts from what a person says, by rules that prefer precision over recall.

Only statements of people about themselves, their people, pets and things count: no questions, conditions or
quotations, nothing from a camera or a web page. English, and the simplest forms in French, Spanish and German.
"""

from __future__ import annotations

import re
from functools import lru_cache

from reachy_mind.memory import clauses, discourse, mentions
from reachy_mind.memory.memories import Fact


@lru_cache(maxsize=64)
def facts(said: str) -> tuple[Fact, ...]:
    """The facts a person tells; empty for questions, wishes and commands.

    A pronoun is resolved within what was said; `discourse.told` also knows what was said before.
    """
    return discourse.told(said).facts


def introduction(said: str) -> str:
    """The name by which the speaker introduces themselves; empty without one."""
    return next((fact.value for fact in facts(said) if fact.key == "name"), "")


def to_first_person(content: str, name: str = "") -> str:
    """Turn a note about a person into their own words: "The user lives in Rome" becomes "I live in Rome"."""
    subject = "|".join(["the user", "user", "the person", *([re.escape(name)] if name else [])])
    content = re.sub(rf"^(?:{subject})'s ", "my ", content, flags=re.I)
    found = re.match(rf"(?:{subject}) (is|has|does not|doesn't|was|\w+s)\b(.*)$", content, re.I | re.S)
    if found is None:
        return content
    known = {"is": "am", "has": "have", "does not": "do not", "doesn't": "don't", "was": "was"}
    verb = found[1].casefold()
    return f"I {known.get(verb) or verb[: -2 if verb.endswith(('shes', 'ches', 'sses')) else -1]}{found[2]}"


def clear_cache() -> None:
    """Clear the caches: they hold what people said."""
    facts.cache_clear()
    statements.cache_clear()
    mentions.clear_cache()


@lru_cache(maxsize=64)
def statements(said: str) -> tuple[Fact, ...]:
    """Statements of a person about themselves that no pattern turned into a fact, in their own words."""
    found = []
    for clause in clauses.statements(said):
        bare = clauses.folded(clause)
        if not 4 <= len(bare.split()) <= 60 or not _OWN.search(bare) or _WISH.search(bare):
            continue
        if not discourse.told(clause).facts:
            found.append(Fact(clause, "event" if _TIME.search(bare) else "fact"))
    return tuple(found)


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
