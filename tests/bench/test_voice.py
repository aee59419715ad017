"""The benchmark of a spoken conversation: what it says, and how it counts."""

from __future__ import annotations

import numpy as np

from reachy_mind.bench.reflex_requests import requests
from reachy_mind.bench.spoken_turns import SpokenTurnResult
from reachy_mind.bench.utterances import SpokenClip, Utterance, ends, paused, utterances
from reachy_mind.bench.voice_systems import Noted

SAID = SpokenClip(Utterance("Look left and nod.", (("move_head", "nod"),), paused=True), "slt", b"", 0, 32000, 20000)


def turn(*noted: Noted, tools: tuple[str, ...] = ("move_head", "nod")) -> SpokenTurnResult:
    return SpokenTurnResult(SAID, "clean", 400.0, noted, 32000, tools)


def test_the_utterances_are_its_own_and_a_third_of_them_has_a_pause():
    lines = utterances()
    assert len({line.text for line in lines}) == len(lines) >= 30
    assert sum(line.paused for line in lines) * 3 >= len(lines)
    known = {request.text.casefold() for request in requests()}
    assert not [line.text for line in lines if line.text.casefold() in known]


def test_a_pause_is_made_where_the_voice_was_silent():
    voice = np.full(8000, 5000, dtype=np.int16)
    voice[4000:4800] = 0
    longer, rest = paused(voice, 8000)
    assert len(longer) == 8000 + 7200
    assert not longer[4000:rest].any() and longer[rest:].all()
    assert ends(longer) == (0, len(longer) - 1)


def test_cut_off_is_who_was_answered_early_and_not_joined():
    early, rest = Noted("Look left.", 15000), Noted("and nod.", 40000)
    joined = Noted("Look left and nod.", 40000, continues=True)
    assert turn(early, rest).cut_off
    assert not turn(early, joined).cut_off
    assert not turn(joined).cut_off


def test_turns_of_nobodys_come_after_the_answer():
    heard = Noted("Look left and nod.", 40000)
    assert turn(heard).extra == 0
    assert turn(heard, Noted("I look left.", 80000, continues=True)).extra == 1


def test_right_is_what_did_the_right_things():
    heard = Noted("Look left and nod.", 40000)
    assert turn(heard).right
    assert not turn(heard, tools=("nod",)).right
    assert not turn(tools=()).right
