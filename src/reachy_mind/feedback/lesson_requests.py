"""Requests about what was taught: to tell it, or to take it back: the last lesson, all, or those about one thing.

Rules, in English, French, Spanish and German.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from reachy_mind.feedback.attribution import tools_named


@dataclass(frozen=True)
class LessonRequest:
    """What is asked for. `tools`: of which tools; empty: of any."""

    what: Literal["list", "undo_last", "undo_all"]
    tools: tuple[str, ...] = ()


_TAUGHT = (
    r"\b(?:learn(?:ed|t)?|lern(?:ed|t)?|learnd|taught|tought|taugt|teach|lessons?|corrections?|corrected|unlearn|gelernt|beigebracht|lektion(?:en)?"
    r"|korrektur(?:en)?|verlern\w*|appris|apprendre|t'apprendre|enseign\w+|le[cç]ons?|d[ée]sapprends?|aprendi(?:do|ste)|ense[ñn]\w+"
    r"|lecci[oó]n(?:es)?|correcci[oó]n(?:es)?|desaprend\w+)\b"
)
_HAS_TAUGHT = re.compile(_TAUGHT)
_LEADS = (
    r"^(?:(?:so|and|now|well|please|tell me|can you tell me|sag mir|sag|dis[- ]moi|dime|also|alors|entonces|y|und|et)"
    r"[ ,]+)*"
)
_LIST = re.compile(
    _LEADS
    + r"(?:what|which|was|welche|qu|que|quoi|quelles?|qu[eé]|cu[aá]les|list|show|zeig|liste|montre|muestra|lista)\b"
)
_OF_MINE = re.compile(
    r"\b(?:you|u|i|me|my|from me|du|ich|von mir|dir|dich|tu|je|t'ai|as-tu|de moi|has|te he|de m[ií]|aprendiste"
    r"|lessons?|lektionen|le[cç]ons|lecciones)\b"
)
_UNDO = re.compile(
    r"\b(?:undo|forget|forgett|unlearn|delete|remove|drop|take back|vergiss|verlerne|l[oö]sche?|nimm .* zur[uü]ck"
    r"|oublie|annule|efface|d[ée]sapprends|olvida|borra|deshaz|desaprende)\b"
)
_ALL = re.compile(r"\b(?:everything|evrything|everthing|all|alles|alle|tout|toutes|tous|todo|todas|todos)\b")
_NOT = re.compile(r"\b(?:don't|do not|never|nicht|nie|pas|jamais|no|nunca)\b")
_ABOUT = re.compile(r"\b(?:about|[uü]ber|sur|sobre)\b(?! (?:me|mich|moi|m[ií])\b)")
"""What it learned about whales is another question."""
LONGEST = 120


_THING = re.compile(
    r"\b(?:thing about|what i (?:said|told you) about|das mit|was ich (?:dir )?(?:über|zu)|ce que j'ai dit sur|le truc"
    r"|lo de|lo que (?:te )?dije (?:de|sobre))\b"
)


def read(text: str) -> LessonRequest | None:
    """What a text asks about lessons; None for anything else."""
    words = " ".join(text.casefold().replace("\u2019", "'").split())
    if len(words) > LONGEST:
        return None
    taught = _HAS_TAUGHT.search(words) is not None
    if _UNDO.search(words) and not _NOT.search(words):
        tools = tools_named(words)
        if tools and (taught or _THING.search(words)):
            return LessonRequest("undo_all", tools)
        if taught and not _ABOUT.search(words):
            return LessonRequest("undo_all" if _ALL.search(words) else "undo_last")
        return None
    if taught and _LIST.search(words) and _OF_MINE.search(words) and not _ABOUT.search(words):
        return LessonRequest("list")
    return None
