"""Requests about what was taught: to tell it, to take the last lesson back, or all of them. Rules, four languages."""

from __future__ import annotations

import re
from typing import Literal

LessonRequest = Literal["list", "undo_last", "undo_all"]

_TAUGHT = (
    r"\b(?:learn(?:ed|t)?|taught|teach|lessons?|corrections?|corrected|unlearn|gelernt|beigebracht|lektion(?:en)?"
    r"|korrektur(?:en)?|verlern\w*|appris|enseign\w+|le[cç]ons?|d[ée]sapprends?|aprendi(?:do|ste)|ense[ñn]\w+"
    r"|lecci[oó]n(?:es)?|correcci[oó]n(?:es)?|desaprend\w+)\b"
)
_HAS_TAUGHT = re.compile(_TAUGHT)
_LIST = re.compile(
    r"^(?:so |and |tell me |sag (?:mir )?|dis[- ]moi |dime )?"
    r"(?:what|which|was|welche|qu|que|quoi|quelles?|qu[eé]|cu[aá]les)\b"
    r"|^(?:list|show|tell) .*(?:learn|taught|lessons)|^(?:zeig|liste)|^(?:montre|liste)|^(?:muestra|lista)"
)
_OF_MINE = re.compile(
    r"\b(?:you|i|me|my|from me|du|ich|von mir|dir|dich|tu|je|t'ai|as-tu|de moi|has|te he|de m[ií]|aprendiste"
    r"|lessons?|lektionen|le[cç]ons|lecciones)\b"
)
_UNDO = re.compile(
    r"\b(?:undo|forget|unlearn|delete|remove|drop|take back|vergiss|verlerne|l[oö]sche?|nimm .* zur[uü]ck"
    r"|oublie|annule|efface|d[ée]sapprends|olvida|borra|deshaz|desaprende)\b"
)
_ALL = re.compile(r"\b(?:everything|all|alles|alle|tout|toutes|tous|todo|todas|todos)\b")
_NOT = re.compile(r"\b(?:don't|do not|never|nicht|nie|pas|jamais|no|nunca)\b")
_ABOUT = re.compile(r"\b(?:about|[uü]ber|sur|sobre)\b(?! (?:me|mich|moi|m[ií])\b)")
"""What it learned about whales is another question."""
LONGEST = 120


def read(text: str) -> LessonRequest | None:
    """What a text asks about lessons; None for anything else."""
    words = " ".join(text.casefold().replace("\u2019", "'").split())
    if len(words) > LONGEST or not _HAS_TAUGHT.search(words) or _ABOUT.search(words):
        return None
    if _UNDO.search(words):
        if _NOT.search(words):
            return None
        return "undo_all" if _ALL.search(words) else "undo_last"
    if _LIST.search(words) and _OF_MINE.search(words):
        return "list"
    return None
