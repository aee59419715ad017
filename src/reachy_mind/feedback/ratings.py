"""`read_rating`: a rating that somebody says outright: "8 out of 10", "three stars", "10 von 10", a thumb, an emoji.

An explicit rating counts more than what a model makes of the words around it. A scale from zero or one to its top is
mapped to -1..1 in a straight line: 10 of 10 is 1, 5 of 10 is 0. Texts that only contain numbers ("at 8 in the morning",
"3 apples out of 10") are none.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from reachy_mind.brains.word_lists import spaced

LONGEST_TEXT = 80
"""Characters: who rates is brief. A longer text is for the model, which has read ratings too."""

_NUMBERS = {
    "en": "zero one two three four five six seven eight nine ten",
    "fr": "zero un deux trois quatre cinq six sept huit neuf dix",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez",
    "de": "null eins zwei drei vier funf sechs sieben acht neun zehn",
    "it": "zero uno due tre quattro cinque sei sette otto nove dieci",
}
_OTHERS = {"a": 1, "une": 1, "una": 1, "un": 1, "ein": 1, "eine": 1, "einen": 1, "fuenf": 5, "nil": 0, "twenty": 20}
_OTHERS |= {"vingt": 20, "veinte": 20, "zwanzig": 20, "hundred": 100, "cent": 100, "cien": 100, "hundert": 100}
_TOPS = frozenset((3, 4, 5, 6, 10, 20, 100))
"""The tops of the scales in use."""
_STAR_TOP = 5
_NUMBER = r"(\d+(?:[.,]\d+)?|[a-z]+)( and a half| et demi| y medio| einhalb)?"
_OUT_OF = r"(?:out of|of|from a possible|/|sur|sobre|de|von|auf|su|over|on a scale of)"
_SCALE = re.compile(rf"\b{_NUMBER}(?: points?| punkte?n?| puntos?| punti)? ?{_OUT_OF} ?(?:a |an )?(\d+|[a-z]+)\b")
_STARS = re.compile(
    rf"\b{_NUMBER} (?:stars?|etoiles?|estrellas?|sterne?n?|stelle|stella)\b(?: {_OUT_OF} (\d+|[a-z]+))?"
)
_PERCENT = re.compile(r"\b(\d{1,3}) ?(?:%|percent\b|per cent\b|prozent\b|pour cent\b|por ciento\b|per cento\b)")
_THUMBS = {
    0.8: "thumbs up|thumb up|pouce leve|pouce en l air|pulgar arriba|pulgares arriba|daumen hoch|pollice in su",
    0.9: "two thumbs up|both thumbs up|double thumbs up",
    -0.5: "thumbs down|thumb down|pouce baisse|pouce en bas|pulgar abajo|pulgares abajo|daumen runter|pollice verso",
    -0.7: "two thumbs down|both thumbs down|double thumbs down",
}
_AROUND = frozenset(
    spaced(
        """
        a an the that this it is was i d id i'd ill i'll im i'm give gave giving get gets got rate rated rating you your
        from me for my score scored solid easy easily full clear only just barely maybe about around roughly well ok
        okay oh um uh hmm yeah yes no so at most at least points point stars star s to say would call reachy robot one
        deserves deserve worth done job out of on scale in all pure etoiles etoile estrellas sterne sternen stelle
        punkten puntos
        je te donne mets note c est etait ca pour ce cette tout juste seulement a peine euh ben de moi merite
        te doy pongo nota eso esto fue es un una le doy solo apenas pues mi de parte se merece
        ich gebe geb dir das war ist nur gerade gerade mal von mir bekommst kriegst du dafur note punkte eine glatte
        ti do voto questo quello era e per me solo appena da parte mia
        """
    )
)
"""Words around a rating that say nothing themselves. Among any other words a rating is left to the model."""
_WORD = re.compile(r"[a-z0-9']+")


def read_rating(text: str) -> float | None:
    """The reward of a rating, from -1 to 1; None for a text that is none."""
    if len(text) > LONGEST_TEXT:
        return None
    if (pictured := _pictured(text)) is not None:
        return pictured
    plain = _plain(text)
    for pattern, rate in ((_SCALE, _of_scale), (_STARS, _of_stars), (_PERCENT, _of_percent)):
        for found in pattern.finditer(plain):
            rating = rate(found)
            if rating is not None and _is_filler(plain[: found.start()] + " " + plain[found.end() :]):
                return rating
    for reward, phrases in sorted(_THUMBS.items(), key=lambda entry: -max(map(len, entry[1].split("|")))):
        for phrase in phrases.split("|"):
            if phrase in plain and _is_filler(plain.replace(phrase, " ")):
                return reward
    return None


def _of_scale(found: re.Match[str]) -> float | None:
    value, top = _value(found[1], found[2]), _value(found[3])
    if value is None or top not in _TOPS or value > top:
        return None
    return _scaled(value, 0.0, top)


def _of_stars(found: re.Match[str]) -> float | None:
    value, top = _value(found[1], found[2]), _value(found[3]) if found[3] else _STAR_TOP
    if value is None or top is None or value > top:
        return None
    if value < 1:
        return -1.0
    return _scaled(value, 1.0, top) if value != 1 else -0.8


def _of_percent(found: re.Match[str]) -> float | None:
    value = float(found[1])
    return _scaled(value, 0.0, 100.0) if value <= 100 else None


def _scaled(value: float, low: float, top: float) -> float:
    """The middle of a scale is 0, its ends are -1 and 1."""
    return round(max(-1.0, min(1.0, 2 * (value - low) / (top - low) - 1)), 2)


def _value(said: str, half: str | None = None) -> float | None:
    number = float(said.replace(",", ".")) if said[0].isdigit() else _numbers().get(said)
    return None if number is None else number + (0.5 if half else 0.0)


@cache
def _numbers() -> dict[str, float]:
    listed = {word: float(number) for words in _NUMBERS.values() for number, word in enumerate(words.split())}
    return {name: float(number) for name, number in _OTHERS.items()} | listed


def _plain(text: str) -> str:
    """Small letters without accents; marks that are no part of a rating are spaces."""
    bare = unicodedata.normalize("NFKD", text.lower().replace("\u2019", "'").replace("ß", "ss"))
    bare = "".join(c for c in bare if not unicodedata.combining(c))
    return " ".join(re.sub(r"[^a-z0-9%/.,']|[.,'](?!\d)", " ", bare).split())


def _is_filler(rest: str) -> bool:
    return all(word in _AROUND for word in _WORD.findall(rest))


_PICTURES = {
    1.0: "💯🏆🥇",
    0.9: "❤💖💕😍🥰🤩🎉🥳👏🙌✨🌟💪🔥💜💙💚🧡💛😻🎊",
    0.8: "👍😀😃😄😁👌⭐💐",
    0.6: "🙂😊☺😉😎🤗✅✔😌🥈🙏",
    0.0: "🤔😐😶🤷",
    -0.3: "😕🫤😬🥱",
    -0.5: "👎🙁☹😞😔😟❌✖😢🙄😒😣😖💔",
    -0.6: "😡😠😤😩😫🤦",
    -0.9: "🤬🤮💩🤢",
    -1.0: "🛑⛔🚫✋🚨⚠🆘",
}
_REWARDS = {picture: reward for reward, pictures in _PICTURES.items() for picture in pictures}
STOP_PICTURES = frozenset(_PICTURES[-1.0])


def _pictured(text: str) -> float | None:
    """The reward of a text of nothing but pictures: their mean."""
    rest = [c for c in text if not c.isspace() and ord(c) not in (0x200D, 0xFE0F) and not 0x1F3FB <= ord(c) <= 0x1F3FF]
    rest = [c for c in rest if c not in "♀♂!"]
    known = [_REWARDS[c] for c in rest if c in _REWARDS]
    return round(sum(known) / len(known), 2) if known and len(known) == len(rest) else None
