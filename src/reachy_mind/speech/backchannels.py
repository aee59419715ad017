"""Words of somebody who listens: they say "go on", not "stop". They interrupt nobody."""

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

_WORD = re.compile(r"[\w'-]+")


def is_backchannel(text: str) -> bool:
    """Whether that is all somebody said. Nothing at all is one too: a cough, a chair."""
    words = _WORD.findall(text.casefold())
    if " ".join(words) in PHRASES:
        return True
    return len(words) <= MOST_WORDS and all(word in WORDS for word in words)
