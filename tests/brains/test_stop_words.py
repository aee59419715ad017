"""Stop words: what stops the robot at once, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reachy_mind.brains import stop_words
from reachy_mind.brains.stop_classifier import BITS, MAGIC, DamagedWeights, StopClassifier, packed
from reachy_mind.brains.stop_words import is_listed, is_stop


def lines(text: str) -> list[str]:
    return [said for line in text.split("\n") for said in line.split("|")]


STOPS = """stop|Stop!|STOP STOP STOP!!!|please stop|stop it now|stop moving|Stop dancing, please|okay that's enough
That\u2019s enough!|Halt!|freeze|hold it|hold still please|don't move|no, stop|hey robot stop|can you stop|stooop
Stop right there|enough already|emergency stop|whoa|cut it out|stop what you're doing|will you please stop talking
be quiet|wait!|stop. now.
arrête|Arrête-toi !|arrêtez s'il te plaît|ça suffit|stoppe tout|ne bouge plus|ARRETE
para|¡Para ya!|basta|¡alto!|quieto, por favor|no te muevas|detente ahora mismo|ya basta
stopp|halt|hör auf|Hör sofort auf damit|Schluss jetzt|anhalten bitte|es reicht|bleib stehen
that hurts, stop|let go|Let go!|shut down now|turn yourself off|power off|off off off|no no no|back off|hands off
drop it|kill it|easy easy|pull the plug|that hurts|ow ow ow|Ouch!|please let me go|get off me|make it stop
lass los|das tut weh|schalt dich aus|Not-Aus|weg von mir|lâche-moi|ça fait mal|éteins-toi|coupe le courant
arrêt d'urgence|suéltame|me haces daño|apágate ya|aborta|shut yourself down right now|that hurts, stop dancing"""
NOT_STOPS = """don't stop|never stop dancing|what is a bus stop|stop the timer|stop following me
the train did not stop here|I could not stop laughing|stop by the shop later|non-stop music|do not stop|stopwatch
stop the background task|nod
look left and stop the timer|please|no|now||...|para ti|halte den Ball|how do I stop a nosebleed|the show must go on"""

UNLISTED = """my thumb is trapped under your neck|ow ow my ear|you are squashing my little finger|get off my foot
hey watch out there is a cup behind you|you're about to tip over the edge|I can see smoke coming from your head
please I am begging you to stop|for heaven's sake hold still|can't you just stop already
the baby's hand is caught in there|let go of my necklace|somebody turn this thing off|no no don't touch the candle
Ouch! You hit my elbow!|mum make the robot stop|it burned my hand
tu me coinces la main arrête|j'ai le pouce coincé dedans|lâche tout de suite ma manche|attention tu vas tomber du bureau
il y a de la fumée qui sort du moteur|éteins-toi immédiatement
suelta ya mi bufanda|me estás pillando la mano|cuidado que vas a tirar la botella|sale humo del motor para ya
te he dicho que te quedes quieto
du quetschst meinen Daumen|lass sofort meinen Schal los|Vorsicht gleich fällst du vom Tisch|da kommt Qualm aus dem Kopf
schalt den Roboter sofort ab
my finger is stuck|my sleeve is caught in your neck|I can't get my finger out|you're pinching me|there's smoke
get off my hand|you hit me|it burns|don't touch me|it's falling|unplug the robot
stop touching me|I'm trapped
mein Finger klemmt|du fällst gleich runter|es brennt|nicht so nah|zieh den Stecker|mach den Roboter aus
mon doigt est coincé|attention au verre|coupe les moteurs|il y a de la fumée|ne bouge plus d'un millimètre
mi dedo está atrapado|cuidado con el vaso|corta la luz ya|hay humo|me estás haciendo mucho daño"""
"""Stops in words that the list does not have."""
UNLISTED_NOT = """stop following my sister|could you stop the kitchen timer please|don't you ever stop singing
stop being so shy|what does freeze mean in english
my shoulder hurts since I played tennis|the tram stop is around the corner
I nearly fell off my bike this morning|how do firemen put out a fire|turn off the lamp in the hall|help me write a poem
stop and look right|he shouted stop and the bus drove on|you never stop making me laugh|is it dangerous to eat snow
n'arrête pas de jouer|arrête de suivre le chien|l'arrêt du bus est fermé|j'ai mal à l'épaule depuis mardi
no pares de cantar|para mi hermana compré un libro|apaga la lámpara del salón|me duele la rodilla desde ayer
bitte nicht aufhören zu spielen|stopp den Küchentimer|mein Knie tut seit gestern weh|das Leben ist halt schön
wo hält der Zug nach Bremen|it is|you are|hey reachy|the robot|I can't do that|c'est moi|du bist
reachy mind|switched off|No, don't.|not on this machine|stands still|cut off|can't reach|it fell yesterday
I burned the toast|switch the camera off|turn the volume down|close your eyes|look out of the window
that hurts my feelings|my finger hurts since monday|my hand is stuck in traffic haha|fingers crossed
stop the washing machine
éteint|la nuit tombe|ferme les yeux|baja el volumen|se cortó la llamada|das Handy ist kaputt|mach die Tür zu
I hurt my knee yesterday|my brother broke his arm|let go of the past|shut down the computer tomorrow
let's go to the park|I'm stuck on this homework problem|never let me go is my favourite song
what happens if I press the red button
is it dangerous to swim here|my phone fell on the floor yesterday|stop telling jokes|my hand is cold
ich habe mir gestern den Arm gebrochen|was passiert wenn ich den Knopf drücke|hör auf mir zu folgen|los geht's
je me suis cassé le bras hier|arrête de me suivre|qu'est-ce qui se passe|j'ai mal au dos depuis lundi
ayer me rompí el brazo|deja de seguirme|qué pasa si te caes|para mañana"""


@pytest.mark.parametrize("said", ["\U0001f6d1\U0001f6d1", "\u26d4", "\U0001f6a8 now!"])
def test_signs_that_say_stop(said: str) -> None:
    assert is_stop(said)


@pytest.mark.parametrize("said", lines(STOPS))
def test_stops(said: str) -> None:
    assert is_stop(said)


@pytest.mark.parametrize("said", lines(NOT_STOPS))
def test_merely_mentions_it(said: str) -> None:
    assert not is_stop(said)


@pytest.mark.parametrize("said", lines(UNLISTED))
def test_a_stop_in_words_nobody_listed(said: str) -> None:
    assert is_stop(said) and not is_listed(said)


@pytest.mark.parametrize("said", lines(UNLISTED))
def test_as_speech_to_text_gives_it_and_shouted(said: str) -> None:
    bare = "".join(c for c in said if c not in ",.!?")
    assert is_stop(bare.lower()) and is_stop(f"{bare.upper()}!!!")


@pytest.mark.parametrize("said", lines(UNLISTED_NOT))
def test_requests_and_talk_that_sound_like_it(said: str) -> None:
    assert not is_stop(said)


def test_what_is_long_is_no_stop() -> None:
    assert not is_stop("stop " * 40)


def test_without_weights_the_list_still_works(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    damaged = tmp_path / "stop_weights.bin"
    damaged.write_bytes(b"x")
    with pytest.raises(DamagedWeights):
        StopClassifier.load(damaged)
    damaged.write_bytes(packed(bytes(1 << BITS), 1.0, 0.0).replace(MAGIC, b"SOMETHIN"))
    with pytest.raises(DamagedWeights):
        StopClassifier.load(damaged)
    monkeypatch.setattr(StopClassifier, "load", lambda: (_ for _ in ()).throw(FileNotFoundError("no weights")))
    stop_words._classifier.cache_clear()
    try:
        assert is_stop("please stop") and not is_stop("my thumb is trapped under your neck")
    finally:
        stop_words._classifier.cache_clear()


@given(st.text(max_size=300))
def test_any_text_is_one_or_the_other(said: str) -> None:
    assert is_stop(said) in (True, False)


@given(
    st.sampled_from(["stop", "freeze", "arrête", "basta", "hör auf"]),
    st.integers(1, 5),
    st.sampled_from([" ", "! ", ", "]),
)
def test_said_again_it_is_still_a_stop(word: str, times: int, between: str) -> None:
    assert is_stop(between.join([word.upper()] * times))


@pytest.mark.parametrize("said", ["/help", "/quit", "/clear"])
def test_a_command_of_the_chat_is_none(said: str) -> None:
    assert not is_stop(said)
