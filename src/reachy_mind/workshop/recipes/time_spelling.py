"""Misspelt words of time next to an amount: "evry 5 minuts" is "every 5 minutes"."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from reachy_mind.brains.word_lists import spaced

CLOSE = 0.78
_EVERY = {"en": spaced("every each"), "fr": spaced("toutes"), "es": spaced("cada"), "de": spaced("alle jede")}
_UNITS = {
    "en": spaced("second seconds minute minutes hour hours"),
    "fr": spaced("seconde secondes minute minutes heure heures"),
    "es": spaced("segundo segundos minuto minutos hora horas"),
    "de": spaced("sekunde sekunden minute minuten stunde stunden"),
}
_OTHER_WORDS = frozenset(
    spaced(
        """
        very ever over even after eight seven your our hours' once more tous tout toute horas para cara casa nada
        alles allen also hands sounds pounds minus minor menus miniature horse house home hero here hear
        """
    )
)
"""Words of their own that are spelt like these."""
_NUMBER = r"(?:\d[\d.,]*|an?|one|two|three|four|five|six|ten|fifteen|twenty|thirty|half|une?|deux|trois|cinq|dix|vingt"
_NUMBER += r"|dos|tres|cinco|diez|quince|veinte|treinta|zwei|drei|f[uü]nf|zehn|zwanzig|drei(?:ß|ss)ig)"


def corrected(text: str, language: str) -> str:
    """The text with words of time as they are spelt."""
    units = _UNITS.get(language, _UNITS["en"])

    def unit(found: re.Match[str]) -> str:
        return f"{found['number']}{_near(found['word'], units)}"

    def every(found: re.Match[str]) -> str:
        return f"{_near(found['word'], _EVERY.get(language, ()))}{found['after']}"

    text = re.sub(rf"\b(?P<number>{_NUMBER}\s+)(?P<word>[^\W\d_]{{4,9}})\b", unit, text, flags=re.IGNORECASE)
    after = rf"(?P<after>\s+(?:{_NUMBER}\s+)?(?:{'|'.join(units)})\b)"
    return re.sub(rf"\b(?P<word>[^\W\d_]{{4,7}}){after}", every, text, flags=re.IGNORECASE)


def _near(word: str, known: Sequence[str]) -> str:
    """The known word that it is nearly; else the word itself."""
    small = word.casefold()
    if small in known or small in _OTHER_WORDS:
        return word
    return next(iter(difflib.get_close_matches(small, known, n=1, cutoff=CLOSE)), word)
