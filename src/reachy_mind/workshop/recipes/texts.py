"""What a recipe's tool says and what is said about it, in four languages: `texts.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from reachy_mind.workshop.language_tables import in_language, tables

FILE = Path(__file__).with_name("texts.yaml")

Table = Literal["run", "explain", "events"]
_UNITS = {
    "en": (("hour", "hours"), ("minute", "minutes"), ("second", "seconds")),
    "fr": (("heure", "heures"), ("minute", "minutes"), ("seconde", "secondes")),
    "es": (("hora", "horas"), ("minuto", "minutos"), ("segundo", "segundos")),
    "de": (("Stunde", "Stunden"), ("Minute", "Minuten"), ("Sekunde", "Sekunden")),
}


def text(table: Table, key: str, language: str) -> str:
    """A text in that language, else in English."""
    return in_language(tables(FILE)[table][key], language)


def length(seconds: float, language: str) -> str:
    """A length of time in words: "1 minute", "90 Sekunden"."""
    units = _UNITS.get(language, _UNITS["en"])
    for size, (one, several) in zip((3600, 60, 1), units, strict=True):
        if seconds % size == 0 and seconds >= size:
            count = int(seconds // size)
            return f"{count} {one if count == 1 else several}"
    return f"{seconds:g} {units[2][1]}"
