"""The language of a short text, by its function words. Feedback is short, and needs an answer in milliseconds."""

from __future__ import annotations

import re

from reachy_mind.brains.word_lists import spaced

_WORDS = {
    language: frozenset(spaced(words))
    for language, words in {
        "en": "the a bit too more less not so you your it that was is no i meant to of and but good",
        "fr": """le la les un une peu trop plus moins pas si tu ton ta c'est c'était ça était non je voulais dire à de
            et mais bien qu'est-ce que as-tu appris gauche droite vite lentement haut bas fort doucement encore""",
        "es": """el la los un una poco demasiado más menos tan tú tu es eso era fue no quería decir a de y pero bien qué
            has aprendido izquierda derecha rápido despacio lento alto bajo arriba abajo fuerte otra vez""",
        "de": """der die das ein eine bisschen wenig zu mehr weniger nicht so du dein es war ist nein ich meinte von und
            aber gut was hast gelernt links rechts schneller langsamer schnell langsam höher tiefer runter hoch laut
            leiser lauter etwas""",
    }.items()
}
_WORD = re.compile(r"[^\W\d_][\w'\u2019-]*")


def language_of(text: str) -> str:
    """`en`, `fr`, `es` or `de`; English when nothing tells."""
    words = [word.replace("\u2019", "'") for word in _WORD.findall(text.casefold())]
    counts = {language: sum(word in known for word in words) for language, known in _WORDS.items()}
    return max(counts, key=lambda language: (counts[language], language == "en"))
