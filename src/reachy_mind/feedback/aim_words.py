"""Words about where the robot should look, said right after it looked somewhere: "no, left", "it's above that".

After a look, a direction is about that look, so less has to be said than in a correction at any time
(`corrections`): a denial, a size, or where the thing is from there. An order without any of these ("look left") stays a
request. Four languages.
"""

from __future__ import annotations

import re
from typing import Literal

from reachy_mind.feedback.corrections import read_corrections
from reachy_mind.feedback.readings import Correction, Size
from reachy_mind.models.wordpiece import without_accents

AIMS = frozenset(("look_at_object", "move_head", "look_at", "look_at_world", "look_at_pixel", "look_at_sound"))
"""Tools that look somewhere."""
MOST_WORDS, MOST_QUALITY_WORDS = 14, 8
_DIRECTIONS: dict[str, tuple[Literal["yaw", "pitch"], Literal[-1, 1]]] = {
    "left|lefter|leftwards?|links|gauche|izquierda": ("yaw", 1),
    "right(?! (?:at|on|there|here|now|so|back))|righter|rightwards?|write|rechts|droite|derecha": ("yaw", -1),
    "up|upwards?|higher|above|raise|lift|hoch|rauf|hoher|oben|daruber|heb|haut|remonte|monte|leve|dessus|arriba|sube"
    "|levanta|encima": ("pitch", 1),
    "down|downwards?|lower|below|under|runter|tiefer|unten|darunter|senk|bas|baisse|descends|dessous|abajo|baja"
    "|debajo": ("pitch", -1),
}
_FOUND = [(re.compile(rf"\b(?:{words})\b"), where) for words, where in _DIRECTIONS.items()]
_TINY = re.compile(
    r"\b(?:hair|smidge\w*|teen\w*|tiny|tiniest|itsy|millimet\w*|fraction|touch|chouia|poil|pelin|pizc\w*|pizqu\w*|haar\w*"
    r"|hauch|a peine|apenas)\b"
)
_SMALL = re.compile(r"\b(?:bit|little|slightly|peu|poco|poquito|bisschen|etwas|wenig|tick)\b")
_LARGE = re.compile(
    r"\b(?:way|far|much|lot|miles|large|big|tout la[ -]bas|loin|bien (?:plus|trop)|beaucoup|much[oi]\w*|muy|lejos|viel"
    r"|weit)\b"
)
_DENIAL = re.compile(r"^\W*(?:(?:um|uh|eh|ugh|euh|este|ahm)\W+)*(?:no|nope|nah|nee|nein|non|not there|wrong|ahi no)\b")
_PLACE = re.compile(
    r"\b(?:it|its|is|s|that|esta|est|c est|ist)\b.*\b(?:your|you re|of where|of that|of it|from there|where you|that"
    r"|ta|tu|dir|davon|de la)\b"
)
_TOO = re.compile(
    r"(?:\b(?:too(?! the)|to(?= far)|trop|demasiad\w*|zu|overshot\w*|muchisimo|off)\b"
    r"(?: (?:far|it|a|en|la|hacia|weit|nach|to|the))*"
    r"|\b(?:looking|mirando)(?: (?:a|bit|little|un|poco|way|off|to|the))*) $"
)
_QUALITY = re.compile(
    r"\b(?:too|to|trop|demasiado|zu|un poco|mirando)\s+"
    r"(?:(?P<high>high|hi|hoch|haut|alto)|(?P<low>low|tief|bas|bajo))\b"
)
_MISSED = re.compile(r"\b(?:of it now|de mas)\b")
_ABOUT_ONESELF = re.compile(r"^(?:i|i ve|i m|ich|je|j|yo|my|mein\w*|mon|ma|mi)\b(?! (?:said|meant|m down|m up))")
_QUESTION = re.compile(r"\?|\b(?:why|what|who|when|how|warum|wieso|pourquoi|por que)\b")


def read_aim_corrections(text: str) -> list[Correction]:
    """The corrections in words about a look."""
    return read_corrections(text) or _after_a_look(text)


def _after_a_look(text: str) -> list[Correction]:
    words = re.sub(r"[^\w]+", " ", without_accents(text).replace("\u2019", "'")).strip()
    if _QUESTION.search(text) or _ABOUT_ONESELF.search(words) or len(words.split()) > MOST_WORDS:
        return []
    if len(words.split()) <= MOST_QUALITY_WORDS and (quality := _QUALITY.search(words)) is not None:
        return [Correction("pitch", -1 if quality["high"] else 1, _size(words) or "medium")]
    found = [(match, where) for pattern, where in _FOUND for match in pattern.finditer(words)]
    if len({where for _, where in found}) != 1:
        return []
    match, (axis, sign) = found[-1]
    too = _TOO.search(words[: match.start()]) is not None or _MISSED.search(words) is not None
    size = _size(words)
    if not (too or size is not None or _DENIAL.search(words) or _PLACE.search(words)):
        return []
    return [Correction(axis, (-1 if sign > 0 else 1) if too else sign, size or "medium")]


def _size(words: str) -> Size | None:
    if _TINY.search(words):
        return "tiny"
    return "small" if _SMALL.search(words) else "large" if _LARGE.search(words) else None
