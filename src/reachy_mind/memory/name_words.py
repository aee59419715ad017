"""Words that tell a name from something else: common first names, titles, and what follows "I'm" without being a name.

All are compared without accents and in lower case.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from reachy_mind.memory.normalization import plain
from reachy_mind.memory.relation_words import RELATIONS

TITLES = frozenset("dr doctor mr mrs ms miss mister prof professor sir herr frau madame monsieur don dona".split())  # noqa: SIM905
PARTICLES = frozenset("de del della di da van von der den la le el bin al mc o zu dos y".split())  # noqa: SIM905
"""Small words within a name."""
AMBIGUOUS = frozenset(
    """will mark rose grace hope joy may june art bill frank rich sunny angel dawn grant chase christian jordan paris
    austin georgia chad sydney summer amber hazel daisy ivy iris penny guy said clement basil atlas till norman roman
    milan florence victoria santiago german franco jesus""".split()  # noqa: SIM905
)
"""Names that are also something else: taken as names after "my name is", asked back after "I'm"."""
DAYS = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday lundi mardi mercredi jeudi vendredi samedi dimanche
    lunes martes miercoles jueves viernes sabado domingo montag dienstag mittwoch donnerstag freitag samstag sonntag
    january february march april may june july august september october november december tomorrow today yesterday
    tonight morgen gestern heute ubermorgen demain hier manana ayer hoy""".split()  # noqa: SIM905
)
_STATES = frozenset(
    """a an the not so very here there back home sorry fine good well ok okay tired happy sad sure just going glad busy
    hungry late ready done your my in at on from his her it what who la le un une der die das el one two three
    team generation gen group class type plan level number room table seat red blue green white black gold silver
    german french spanish english irish scottish welsh british american swiss dutch danish swedish greek turkish
    polish czech thai arab african european asian latino latina catholic muslim jewish hindu buddhist christian
    protestant orthodox atheist vegan vegetarian diabetic autistic dyslexic deaf blind gay lesbian bi trans queer
    straight single married divorced pregnant retired unemployed taurus aries gemini cancer leo virgo libra scorpio
    sagittarius capricorn aquarius pisces human man woman boy girl adult teenager student teacher nurse doctor
    engineer legend boss chef king queen god santa batman mum mom dad alone afraid angry bored broke cold dead deaf
    dizzy drunk excited exhausted free full gone hot ill lost mad new nervous old online outside poor proud rich safe
    scared sick sleepy sober stuck thirsty upset warm young lactose intolerant allergic hard difficult easy long short
    secret unusual common complicated important boring funny strange weird nothing none unknown later soon tomorrow
    back crazy names stupid anything whatever called in out up down to
    pas ne tres bien mal fatigue malade content triste seul vegetarien vegane difficile
    muy bien mal cansado cansada enfermo triste solo vegano vegana vegetariano vegetariana dificil
    nicht sehr gut mude krank traurig allein vegetarier vegetarierin veganer veganerin schwer schwierig kein keine
    arzt arztin lehrer lehrerin student studentin rentner rentnerin deutscher deutsche chef chefin mutter vater
    diabetiker diabetikerin linkshander single""".split()  # noqa: SIM905
)
_STATE_ENDINGS = (
    "ish", "ese", "ian", "ans", "ican", "ist", "ing", "ful", "less", "ous", "ive", "able", "ible", "ary", "ady", "gry",
    "sty", "ppy", "ired", "ois", "oise", "ais", "aise", "ien", "ienne", "isch", "erin",
)  # fmt: skip
"""Of nationalities, faiths, trades and moods."""


def is_first_name(word: str) -> bool:
    """Whether the first of these words is a common first name."""
    first = plain(word).split(" ")[0]
    return first in _first_names()


def is_state(name: str) -> bool:
    """Whether the words tell something else than a name: a mood, where from, what faith, which team."""
    words = plain(name).split()
    if any(word in _STATES or word in RELATIONS or word in DAYS for word in words):
        return True
    return len(words) == 1 and words[0].endswith(_STATE_ENDINGS)


@cache
def _first_names() -> frozenset[str]:
    text = Path(__file__).with_name("first_names.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
