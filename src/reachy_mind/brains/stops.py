"""Whether somebody says stop, in English, French, Spanish or German: the one thing that must never wait for a thought.

A stop is a sentence made of nothing but a stop and the words people put around it: "please stop", "stop stop STOP!",
"arrête-toi". A sentence that merely contains the word ("don't stop", "the bus stop") is none, and neither is one that
names something else to be stopped ("stop the timer"): that is for the grammar.
"""

from __future__ import annotations

import re
import unicodedata

from reachy_mind.brains.phrases import spaced

LONGEST = 80
"""Characters. Nobody who wants a robot to stop says more."""

_PHRASES = """
stop|stop it|stop that|stop this|stop everything|stop all|stop all of it|stop yourself|stop there|stop here
stop right there
stop moving|stop dancing|stop the dance|stop that dance|stop your dance|stop nodding|stop shaking|stop shaking your head
stop turning|stop spinning|stop rotating|stop waving|stop looking around|stop wiggling|stop talking|stop speaking
stop the motion|stop the movement|stop the move|stop motion|stop all motion|stop all movement|stop all movements
stop your head|stop what you are doing|stop whatever you are doing|stop what youre doing|stop doing that|stop doing this
stop the robot|stop acting|stop playing|stop the music|stop moving your head|stop moving around|come to a stop
halt|full stop|emergency stop|e stop|freeze|hold it|hold it there|hold still|stay still|be still|keep still|stand still
hold on|hold on a second|hold on a moment|wait|wait a second|wait a minute|wait a moment|whoa|woah|cease|desist
dont move|do not move|dont move a muscle|no more|thats enough|that is enough|enough|enough already|enough of that
thats quite enough|knock it off|cut it out|cut it|quit it|quit that|quit moving|quit dancing|give it a rest
no stop|abort|abort mission|cancel everything|cancel all|be quiet|quiet|silence|shut up|hush
arrete|arrete toi|arretez|arretez vous|arrete ca|arrete tout|arrete de bouger|arrete de danser|arrete de parler
stoppe|stoppez|stoppe tout|ca suffit|cela suffit|suffit|assez|ne bouge plus|ne bougez plus|bouge plus|halte|stop tout
tais toi|taisez vous|on arrete|pas bouger|attends
para|parate|parese|pare|deten|detente|detenganse|detengase|alto|alto ahi|alto ya|quieto|quieta|quietos|basta
basta ya|ya basta
no te muevas|deja de moverte|deja de bailar|para de moverte|para de bailar|para todo|suficiente|callate|silencio|espera
hor sofort auf|hor sofort auf damit|hor jetzt auf|hor bitte auf|hoer sofort auf|hoer bitte auf
stopp|halt an|anhalten|hor auf|hoer auf|hor auf damit|hoer auf damit|hor auf zu tanzen|hoer auf zu tanzen|aufhoren
aufhoeren|schluss|schluss damit|jetzt ist schluss|es reicht|das reicht|reicht|genug|halt still|stillhalten|steh still
bleib stehen|stehenbleiben|stehen bleiben|nicht bewegen|beweg dich nicht|sei still|ruhe|warte|stop jetzt|halt stopp
"""
PHRASES: frozenset[str] = frozenset(phrase for line in _PHRASES.split("\n") for phrase in line.split("|") if phrase)

_AROUND = frozenset(
    spaced(
        """
        please now right away immediately just ok okay hey oh no reachy mini robot you would could can will
        and at once quickly pls i said buddy mate already man dude all alright for me us thanks thank s il
        te vous plait sil stp svp maintenant tout de suite non robot allez mais donc s'il por favor ahora ya
        mismo oye vale inmediatamente bitte jetzt sofort mal doch nun endlich nein los
        """
    )
)
"""What people put around it."""
_MOST_WORDS = max(len(phrase.split()) for phrase in PHRASES)
_WORD = re.compile(r"[a-z]+")


def is_stop(text: str) -> bool:
    """Whether this is a stop and nothing else."""
    if len(text) > LONGEST:
        return False
    words = _words(text)
    at, found = 0, False
    while at < len(words):
        for length in range(min(_MOST_WORDS, len(words) - at), 0, -1):
            if " ".join(words[at : at + length]) in PHRASES:
                at, found = at + length, True
                break
        else:
            if words[at] not in _AROUND:
                return False
            at += 1
    return found


def _words(text: str) -> list[str]:
    """Small letters without accents; an apostrophe joins ("don't" is dont), anything else parts."""
    bare = unicodedata.normalize("NFKD", text.casefold().replace("'", "").replace("\u2019", ""))
    return [_drawn_out(word) for word in _WORD.findall("".join(c for c in bare if not unicodedata.combining(c)))]


def _drawn_out(word: str) -> str:
    """Somebody shouts: "stooop", "haaalt"."""
    if len(word) < 5 or word in _AROUND:
        return word
    once = re.sub(r"(.)\1{2,}", r"\1", word)
    return once if once in PHRASES else re.sub(r"(.)\1+", r"\1", word) if word[:3] in ("sto", "hal") else word
