"""The benchmark of a spoken conversation: what it says, and how it counts."""

from __future__ import annotations

import numpy as np
import pytest

from reachy_mind.bench.reflex_requests import requests
from reachy_mind.bench.rooms import ROOMS, heard
from reachy_mind.bench.spoken_turns import SpokenToolUse, SpokenTurnResult, TurnTally, figures_of
from reachy_mind.bench.utterances import HESITATIONS, TUNING, SpokenClip, Utterance, ends, mixed, utterances
from reachy_mind.bench.voice_systems import Noted
from reachy_mind.bench.word_boundaries import boundary, with_pauses
from reachy_mind.brains.reflex.reader import Reader
from reachy_mind.brains.reflex.understanding import Understanding

LOOK_AND_NOD = Utterance("Look left and nod.", (("move_head", "nod"),), ("Look left",))
TIMER = Utterance("A timer for five, no, ten minutes.", (("set_timer",),), ("A timer for five,",), {"minutes": 10})
LOOKED, NODDED = SpokenToolUse("move_head", {"direction": "left"}), SpokenToolUse("nod")


def turn(
    *noted: Noted, uses: tuple[SpokenToolUse, ...] = (LOOKED, NODDED), said: Utterance = LOOK_AND_NOD
) -> SpokenTurnResult:
    return SpokenTurnResult(SpokenClip(said, "slt", b"", 0, 32000), "clean", 400.0, noted, 32000, uses)


WHOLE = Noted("Look left and nod.", 40000)


def test_the_utterances_are_its_own_and_two_thirds_of_them_have_a_pause():
    lines, known = mixed(), {request.text.casefold() for request in requests()}
    texts = {line.text.casefold() for line in lines}
    assert len(texts) == len(lines) >= 100
    assert sum(line.paused for line in lines) * 3 >= 2 * len(lines)
    assert not known & {line.text.casefold() for line in utterances()}
    assert {line.kind for line in utterances(HESITATIONS)} == {"word", "filler", "request", "list", "prefix", "repair"}


def test_nothing_was_chosen_on_what_is_measured():
    assert not {line.text for line in mixed()} & {line.text for line in utterances(TUNING)}


def test_typed_all_of_them_lead_to_the_right_tools():
    understanding = Understanding(Reader.load())
    for line in (*mixed(), *utterances(TUNING)):
        assert line.right([(step.tool, step.args) for step in understanding.plan(line.text).steps]), line.text


def tones(*lengths: int) -> np.ndarray:
    """Tones of different heights with twenty milliseconds of silence between them."""
    made = []
    for number, length in enumerate(lengths):
        made += [8000 * np.sin(2 * np.pi * (300 + 400 * number) * np.arange(length) / 16000), np.zeros(320)]
    return np.concatenate(made[:-1]).astype(np.int16)


def test_a_sentence_is_cut_between_the_words():
    whole = tones(6000, 8000, 5000)
    spoken_alone = tones(6600, 8800)  # the beginning alone is spoken more slowly
    assert boundary(whole, spoken_alone) == pytest.approx(14480, abs=400)


def test_a_pause_is_silence_and_takes_nothing_away():
    voice = np.full(8000, 5000, dtype=np.int16)
    longer = with_pauses(voice, [(4000, 8000)])
    assert len(longer) == 16000 and not longer[4000:12000].any() and longer[12000:].all()
    assert ends(longer) == (0, 15999)


def test_a_room_adds_noise_and_lets_the_voice_ring_on():
    clip = SpokenClip(LOOK_AND_NOD, "slt", tones(8000).tobytes(), 0, 7999)
    quiet, noisy, ringing = (np.frombuffer(heard(clip, room, 1)[0], "<i2").astype(float) for room in ROOMS[:3])
    end = heard(clip, ROOMS[0], 1)[1]
    after = slice(end + 6400, end + 9600)
    assert np.std(noisy[:4000]) > 5 * np.std(quiet[:4000])
    assert np.std(ringing[after]) > 5 * np.std(quiet[after])


def test_cut_off_is_who_was_answered_early_and_not_joined():
    early, rest = Noted("Look left.", 15000), Noted("and nod.", 40000)
    joined = Noted("Look left and nod.", 40000, continues=True)
    assert turn(early, rest).cut_off
    assert not turn(early, joined).cut_off
    assert not turn(joined).cut_off


def test_turns_of_nobodys_come_after_the_answer():
    assert turn(WHOLE).extra == 0
    assert turn(WHOLE, Noted("I look left.", 80000, continues=True)).extra == 1


def test_right_is_what_did_the_right_things_with_the_right_arguments():
    assert turn(WHOLE).right
    assert not turn(WHOLE, uses=(NODDED,)).right
    assert not turn().right
    assert turn(WHOLE, uses=(SpokenToolUse("set_timer", {"minutes": 10}),), said=TIMER).right
    assert not turn(WHOLE, uses=(SpokenToolUse("set_timer", {"minutes": 5}),), said=TIMER).right


def test_a_timer_that_was_taken_back_was_not_set():
    early = SpokenToolUse("set_timer", {"minutes": 5})
    back, meant = SpokenToolUse("cancel_timer", {"timer_id": "1"}), SpokenToolUse("set_timer", {"minutes": 10})
    corrected = turn(WHOLE, uses=(early, back, meant), said=TIMER)
    assert corrected.right and not corrected.wrong_action
    doubled = turn(WHOLE, uses=(early, meant), said=TIMER)
    assert doubled.wrong_action and not doubled.right


def test_a_wrong_action_is_what_nobody_asked_for_and_looking_is_none():
    assert not turn(WHOLE).wrong_action
    assert not turn(WHOLE, uses=(LOOKED, SpokenToolUse("get_time", acts=False))).wrong_action
    assert turn(WHOLE, uses=(LOOKED, SpokenToolUse("wave"))).wrong_action
    assert turn(WHOLE, uses=(LOOKED, NODDED, NODDED)).wrong_action


def test_figures_tell_rooms_and_pauses_apart():
    early, rest = Noted("Look left.", 15000), Noted("and nod.", 40000)
    complete = Utterance("Nod.", (("nod",),))
    tally = TurnTally([turn(WHOLE), turn(early, rest), turn(Noted("Nod.", 33000), uses=(NODDED,), said=complete)])
    figures = figures_of(tally)
    assert figures["cut_off_percent"] == 33.3 and figures["paused_cut_off_percent"] == 50.0
    assert figures["clean_right_percent"] == 100.0 and figures["complete_p50_ms"] == 400.0
