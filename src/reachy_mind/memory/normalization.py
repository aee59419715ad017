"""Text normalization for comparing and searching memories, in any script: stop words, stems, accents."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

COMMON = frozenset(
    """
    a an the and or but of to in on at for from by with about into as is are was were be been am do does did done have
    has had i me my mine myself you your yours we us our he him his she her it its they them their this that these those
    what who whom whose which when where why how can could will would should shall may might must not no yes please tell
    know remember said say told there here so than then too very just also any some
    le la les un une des du de et ou mais que qui quoi quel quelle quels quelles est sont suis es etait je tu il elle on
    nous vous ils mon ma mes ton ta tes son sa ses ce cette ces dans sur pour avec par au aux en ne pas quand comment
    el los las una unos unas y o pero del al es son soy eres era yo mi mis tu tus su sus me te se lo que quien cual
    cuales cuando donde como en con por para no si
    der die das den dem des ein eine einen einem einer und oder aber ist sind bin bist war ich du er sie es wir ihr mein
    meine meinen meinem meiner dein deine sein seine mich mir dich dir was wer wie wo wann welche welcher welches im in
    am an auf fur mit von zu zum zur nicht kein
    """.split()  # noqa: SIM905 -- a list of words reads better so
)
"""Stop words in the four languages, without accents."""
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # kana
    (0x3400, 0x9FFF),  # Chinese characters
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def tidy(text: str) -> str:
    """The text on one line, without control characters and invalid code points."""
    text = text.encode("utf-8", "replace").decode()
    return " ".join("".join(" " if unicodedata.category(c) == "Cc" else c for c in text).split())


def plain(text: str) -> str:
    """Text for equality tests: lower case, without punctuation and accents. Symbols such as emoji stay."""
    bare = unicodedata.normalize("NFKD", text).casefold()
    kept = (" " if unicodedata.category(c)[0] in "PZC" else c for c in bare if unicodedata.category(c) != "Mn")
    return " ".join("".join(kept).split()) or " ".join(text.split())


def terms(text: str) -> list[str]:
    """The words that are no stop words, each once; all words if there are no others."""
    bare = unicodedata.normalize("NFKC", text).casefold()
    cut = "".join(" " if unicodedata.category(c)[0] in "PZSC" else c for c in bare).split()
    every = [word for word in dict.fromkeys(cut) if len(word) > 1 or not word.isascii() or word.isdigit()]
    return [word for word in every if _unaccented(word) not in COMMON] or every or cut


def stem(word: str) -> str:
    """A crude stem: "likes" and "liked" are the same. The full-text index has its own stemmer."""
    bare = _unaccented(word)
    bare = bare.replace("colour", "color").replace("favourite", "favorite")
    for ending in ("ing", "ies", "ed", "es", "s", "e", "y"):
        if bare.endswith(ending) and len(bare) - len(ending) >= 3:
            return bare[: -len(ending)]
    return bare


def spellings(word: str) -> tuple[str, ...]:
    """British and American spellings of a word."""
    pairs = (("our", "or"), ("ise", "ize"), ("isation", "ization"), ("tre", "ter"), ("grey", "gray"), ("ogue", "og"))
    found = {word}
    for one, other in pairs:
        found |= {word.replace(one, other), word.replace(other, one)}
    return tuple(found)


def unspaced(word: str) -> bool:
    """Whether the word has characters of a script without spaces between words."""
    return any(low <= ord(c) <= high for c in word for low, high in _UNSPACED)


def pieces(text: str) -> Sequence[str]:
    """Substrings to search for where the index has no words: character pairs of unspaced scripts, and symbols."""
    found: list[str] = []
    for word in text.split():
        if unspaced(word):
            found += [word[at : at + 2] for at in range(len(word) - 1)] or [word]
        elif not any(c.isalnum() for c in word) and any(unicodedata.category(c) == "So" for c in word):
            found += [c for c in word if unicodedata.category(c) == "So"]
    return list(dict.fromkeys(found))[:16]


def _unaccented(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))
