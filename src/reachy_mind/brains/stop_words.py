"""Stop detection in English, French, Spanish and German: stop must never wait for a brain.

Two layers. The first is a list: a text of nothing but stop phrases and filler words, as "please stop", "stop stop
STOP!", "arrête-toi". The second, `brains.stop_classifier`, recognises a stop in words that nobody listed: danger and
hurt ("my finger is stuck", "watch out, the cup"), orders and pleading, also with something else to do in the same
sentence ("that hurts, stop dancing"). A text that merely contains the word ("don't stop", "the bus stop") is not a
stop, nor one that names something else to stop ("stop the timer"): that is for the reflex brain.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from reachy_mind.brains.stop_classifier import StopClassifier
from reachy_mind.brains.word_lists import spaced
from reachy_mind.errors import MindError

LONGEST_TEXT = 120
"""Characters: a stop is never longer."""

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
let go|let me go|let go of me|release me|get off|get off me|back off|hands off|drop it|leave it|leave it alone|easy easy
easy there|steady|no no no|ow|ow ow|ouch|that hurts|it hurts|you are hurting me|youre hurting me|off off|power off
power down|shut down|shut it down|shut off|turn off|turn it off|switch off|switch it off|turn yourself off|kill it
switch yourself off|shut yourself down|pull the plug|cut the power|unplug it|deactivate|emergency|make it stop|pause
stay there|stay where you are|step back|get back|get away|go away
arrete|arrete toi|arretez|arretez vous|arrete ca|arrete tout|arrete de bouger|arrete de danser|arrete de parler
stoppe|stoppez|stoppe tout|ca suffit|cela suffit|suffit|assez|ne bouge plus|ne bougez plus|bouge plus|halte|stop tout
lache|lache moi|lachez|lachez moi|lache ca|tu me fais mal|ca fait mal|aie|ouille|eteins toi|coupe le courant|recule
touche pas|non non non|urgence|arret d urgence|arret durgence
tais toi|taisez vous|on arrete|pas bouger|attends
para|parate|parese|pare|deten|detente|detenganse|detengase|alto|alto ahi|alto ya|quieto|quieta|quietos|basta
basta ya|ya basta|suelta|sueltame|sueltalo|me haces dano|apagate|apagalo|desactivate|aborta|emergencia|no me toques
no te muevas|deja de moverte|deja de bailar|para de moverte|para de bailar|para todo|suficiente|callate|silencio|espera
hor sofort auf|hor sofort auf damit|hor jetzt auf|hor bitte auf|hoer sofort auf|hoer bitte auf
lass los|lass mich los|loslassen|lass das|du tust mir weh|das tut weh|aua|aua aua|autsch|notaus|not aus|schalt dich aus
schalt dich ab|ausschalten|abschalten|weg da|weg von mir|nein nein nein|notfall
stopp|halt an|anhalten|hor auf|hoer auf|hor auf damit|hoer auf damit|hor auf zu tanzen|hoer auf zu tanzen|aufhoren
aufhoeren|schluss|schluss damit|jetzt ist schluss|es reicht|das reicht|reicht|genug|halt still|stillhalten|steh still
bleib stehen|stehenbleiben|stehen bleiben|nicht bewegen|beweg dich nicht|sei still|ruhe|warte|stop jetzt|halt stopp
"""
PHRASES: frozenset[str] = frozenset(phrase for line in _PHRASES.split("\n") for phrase in line.split("|") if phrase)

_FILLERS = frozenset(
    spaced(
        """
        please now right away immediately just ok okay hey oh no reachy mini robot you would could can will
        and at once quickly pls i said buddy mate already man dude all alright for me us thanks thank s il
        te vous plait sil stp svp maintenant tout de suite non robot allez mais donc s'il por favor ahora ya
        mismo oye vale inmediatamente bitte jetzt sofort mal doch nun endlich nein los
        """
    )
)
"""Filler words around a stop phrase."""
_SIGNS = str.maketrans({"\U0001f6d1": " stop ", "\u26d4": " stop ", "\U0001f6a8": " stop "})
"""A stop sign, no entry and an alarm light say stop."""
_MOST_WORDS = max(len(phrase.split()) for phrase in PHRASES)
_WORD = re.compile(r"[a-z]+")


def is_stop(text: str) -> bool:
    """Whether the text is a stop."""
    if len(text) > LONGEST_TEXT or text.lstrip().startswith("/"):  # a command of the chat
        return False
    return is_listed(text) or ((score := stop_score(text)) is not None and score > 0)


def stop_score(text: str) -> float | None:
    """How much the classifier takes a text for a stop, about as log odds; None without its weights."""
    classifier = _classifier()
    return None if classifier is None else classifier.score(text)


@cache
def _classifier() -> StopClassifier | None:
    """None when its weights are damaged: the list must work without them."""
    try:
        return StopClassifier.load()
    except (OSError, MindError) as error:
        from reachy_mind import log  # noqa: PLC0415 -- the command line imports this module, and the log is heavy

        log.get(__name__).warning("stops are recognised by the list of phrases alone", reason=str(error))
        return None


def is_listed(text: str) -> bool:
    """Whether the text is nothing but listed phrases and fillers."""
    words = _words(text)
    at, found = 0, False
    while at < len(words):
        for length in range(min(_MOST_WORDS, len(words) - at), 0, -1):
            if " ".join(words[at : at + length]) in PHRASES:
                at, found = at + length, True
                break
        else:
            if words[at] not in _FILLERS:
                return False
            at += 1
    return found


def _words(text: str) -> list[str]:
    """Lower-case words without accents. An apostrophe joins ("don't" is dont), other characters separate."""
    bare = unicodedata.normalize("NFKD", text.translate(_SIGNS).casefold().replace("'", "").replace("\u2019", ""))
    return [_collapse_repeats(word) for word in _WORD.findall("".join(c for c in bare if not unicodedata.combining(c)))]


def _collapse_repeats(word: str) -> str:
    """Shouted words without repeated letters: "stooop", "haaalt"."""
    if len(word) < 5 or word in _FILLERS:
        return word
    once = re.sub(r"(.)\1{2,}", r"\1", word)
    return once if once in PHRASES else re.sub(r"(.)\1+", r"\1", word) if word[:3] in ("sto", "hal") else word
