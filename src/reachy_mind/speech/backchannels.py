"""Backchannels: words of a listener ("mhm", "I see"), which mean "go on" and do not interrupt."""

from __future__ import annotations

import re

WORDS = frozenset(  # words are easier to read and to add to than a list of strings
    """
    mm mmm mhm mm-hmm mmhmm mhmm hm hmm uh uh-huh uhhuh huh ah aha oh ooh ok okay yeah yes yep yup sure right cool nice
    great good wow really true exactly indeed
    oui ouais d'accord ah bon bien voila voilà exact super
    si sí claro vale bueno ya aja ajá
    ja jawohl genau klar gut achso ach so aha stimmt
    """.split()  # noqa: SIM905
)
PHRASES = frozenset(
    {"i see", "got it", "go on", "of course", "all right", "thank you", "thanks", "oh really", "ah bon"}
)
MOST_WORDS = 3
FLOOR = frozenset(  # likewise
    """
    stop wait no nope hey quiet silence enough hold listen excuse pardon sorry what who why where when how reachy
    arrête arrete attends non silence assez écoute pardon quoi qui comment pourquoi
    para espera no silencio basta escucha perdón perdon qué que quién cómo
    halt stopp warte nein ruhe genug hör entschuldigung was wer wie warum moment
    """.split()  # noqa: SIM905
)
"""Words of a person who wants to speak."""

_WORD = re.compile(r"[\w'-]+")


def wants_the_floor(text: str) -> bool:
    """Whether the text has a word of a person who wants to speak."""
    return any(word in FLOOR for word in _WORD.findall(text.casefold()))


def is_backchannel(text: str) -> bool:
    """Whether the text is nothing but a backchannel. An empty text is one too: a cough, a chair."""
    words = _WORD.findall(text.casefold())
    if " ".join(words) in PHRASES:
        return True
    return len(words) <= MOST_WORDS and all(word in WORDS for word in words)
