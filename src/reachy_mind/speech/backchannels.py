"""Backchannels: words of a listener ("mhm", "I see"), which mean "go on" and do not interrupt.

Murmurs are no words at all ("mhm", "um", laughter, a cough): they want no answer even when the robot is silent, unless
it asked something. In English, French, Spanish, German and Italian.
"""

from __future__ import annotations

import re

WORDS = frozenset(  # words are easier to read and to add to than a list of strings
    """
    mm mmm mhm mm-hmm mmhmm mhmm hm hmm uh uh-huh uhhuh huh ah aha oh ooh ok okay yeah yes yep yup sure right cool nice
    great good wow really true exactly indeed
    oui ouais d'accord ah bon bien voila voilà exact super
    si sí claro vale bueno ya aja ajá
    ja jawohl genau klar gut achso ach so aha stimmt
    sì certo va bene capito esatto giusto
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
    ferma fermati aspetta basta ascolta scusa cosa chi perché
    """.split()  # noqa: SIM905
)
"""Words of a person who wants to speak."""

MURMURS = frozenset(  # likewise
    """
    m mm mmm mhm mhmm mm-hm mm-hmm mmhmm hm hmm hmmm uh-huh uhhuh ah aah ahh aha oh ooh ohh uh uhh um umm uhm er erm
    eh euh heu bah bof ben ajá aja äh ähm öh öhm tja ehm beh boh mah uff phew ugh ahem achoo atchoo hatschi achís etciù
    """.split()  # noqa: SIM905
)
_LAUGH = re.compile(
    r"\W*(?:(?:b?wa|mua)?(?:(?:ha|he|hi|ho|ah|eh|je|ji){2,}h?|(?:ja){3,}|hah+|heh+)"
    r"|(?:(?:ha|hah|heh|hee|ho|ah)\W+){1,}(?:ha|hah|heh|hee|ho|ah)|(?:(?:he|hi|ja|je)\W+){2,}(?:he|hi|ja|je))"
    r"(?:\W+(?:(?:ha|he|hi|ho|ja|je|ah)+h?))*\W*",
    re.IGNORECASE,
)
"""How ears write laughter; "jaja" is a German yes and "hi, hi" a greeting."""
_LETTERS = re.compile(r"\W*(?:[mhn]\W*)+")
"""How ears spell a hum: "M. H. M."."""
_NOISE = re.compile(r"\s*[\[(*♪♫].*[\])*♪♫]\W*")
"""A sound in brackets, as some ears describe it: "[laughter]"."""

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


def is_murmur(text: str) -> bool:
    """Whether the text is no more than a murmur, laughter or a cough. A question ("hm?") is more."""
    said = text.casefold().strip()
    if said.endswith("?"):
        return False
    if any(form.fullmatch(said) for form in (_NOISE, _LAUGH, _LETTERS)):
        return True
    words = _WORD.findall(said)
    return 0 < len(words) <= MOST_WORDS and all(word in MURMURS for word in words)
