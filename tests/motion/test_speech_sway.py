"""The head moves with speech, on virtual time, through the engine and all its limits."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.motion.limits import MOVING, PoseTuple
from reachy_mind.motion.loudness import Loudness
from reachy_mind.motion.moves import Goto
from reachy_mind.motion.speech_sway import CHIN_LIFT, NOD_MAX, ROLL, YAW, SpeechSway
from tests.motion.test_engine import Watch
from tests.motion.voices import voice

ROLL_, PITCH_, YAW_ = 3, 4, 5
STILL = math.radians(0.2)


@pytest.fixture
def watch(kinematics: Kinematics) -> Watch:
    watch = Watch(kinematics, start=AWAKE.as_tuple)
    watch.limits = MOVING.sent()
    return watch


def said(stresses: list[float], duration: float, rate: int = 24000) -> list[float]:
    return Loudness(rate).push(voice(rate, stresses, duration))


def talk(duration: float, first: float = 0.1) -> list[float]:
    """Four vowels a second."""
    return said(np.arange(first, duration - 0.1, 0.25).tolist(), duration)


def speed(commands: list[PoseTuple]) -> list[float]:
    """Radians a second of the fastest of roll, pitch and yaw."""
    return [max(abs(b[i] - a[i]) for i in (3, 4, 5)) * 100 for a, b in pairwise(commands)]


def furthest(commands: list[PoseTuple]) -> float:
    return max(Pose(*command).distance(AWAKE) for command in commands)


def test_the_head_moves_as_long_as_the_audio_lasts(watch: Watch) -> None:
    """Three seconds handed over at once: not the 0.12 s of a wobble that plays by arrival."""
    watch.engine.speech.play(talk(3.0), watch.now + 0.5)
    before = watch.run(0.3)
    during = [watch.run(0.25) for _ in range(13)]
    after = watch.run(1.0)[40:]
    assert furthest(before) == 0.0
    assert all(max(speed(quarter)) > math.radians(5) for quarter in during[1:-1])
    assert max(speed(after)) < math.radians(2) and furthest(after[-20:]) < STILL


def test_it_can_be_seen_across_a_room_and_is_not_silly(watch: Watch) -> None:
    watch.engine.speech.play(talk(20.0), watch.now)
    commands = watch.run(20.0)
    for axis, least, most in (ROLL_, 1.0, 6.0), (PITCH_, 4.0, 7.6), (YAW_, 4.0, 7.0):
        swings = [math.degrees(c[axis]) for c in commands]
        assert least < max(swings) - min(swings) and max(map(abs, swings)) < most
    for antenna in (7, 8):
        assert 0.05 < max(abs(c[antenna] - AWAKE.as_tuple[antenna]) for c in commands) < 0.25


@pytest.mark.parametrize("stress", [0.4, 0.75, 1.1])
def test_the_bottom_of_a_nod_falls_on_the_stress(watch: Watch, stress: float) -> None:
    watch.engine.speech.play(said([stress], 1.6), watch.now)
    pitches = [c[PITCH_] for c in watch.run(1.6)]
    bottom = pitches.index(max(pitches)) / 100
    assert max(pitches) > math.radians(2)
    assert stress - 0.1 <= bottom <= stress


def test_a_deeper_nod_on_a_stronger_stress(watch: Watch) -> None:
    depths = []
    for loud in (0.4, 1.0):
        watch.engine.speech.play([0.1] * 50 + [loud] * 15 + [0.1] * 100, watch.now)
        depths.append(max(c[PITCH_] for c in watch.run(1.65)))
        watch.run(2.0)
    assert depths[1] > 1.5 * depths[0] > 0


def test_an_even_tone_is_no_row_of_nods(watch: Watch) -> None:
    watch.engine.speech.play([0.8] * 500, watch.now)
    watch.run(1.5)
    pitches = [c[PITCH_] for c in watch.run(3.0)]
    assert max(pitches) - min(pitches) < math.radians(0.5)


def test_in_a_pause_the_head_settles_and_goes_on_after(watch: Watch) -> None:
    watch.engine.speech.play(talk(2.0) + [0.0] * 150 + talk(2.0), watch.now)
    watch.run(3.0)
    pause = watch.run(0.35)
    assert furthest(pause[-10:]) < math.radians(0.6) and max(speed(pause)) < math.radians(3)
    assert furthest(watch.run(1.5)) > math.radians(3)


def test_silence_moves_nothing(watch: Watch) -> None:
    watch.engine.speech.play([0.0] * 200, watch.now)
    assert furthest(watch.run(2.5)) == 0.0


def test_no_two_phrases_and_no_two_robots_sway_alike(kinematics: Kinematics) -> None:
    phrase = talk(2.0) + [0.0] * 200
    sways = []
    for seed in (1, 2):
        watch = Watch(kinematics, start=AWAKE.as_tuple, seed=seed)
        watch.engine.speech.play(phrase * 2, watch.now)
        sways += [[c[YAW_] for c in watch.run(4.0)] for _ in range(2)]
    again = Watch(kinematics, start=AWAKE.as_tuple, seed=1)
    again.engine.speech.play(phrase * 2, again.now)
    assert [c[YAW_] for c in again.run(4.0)] == sways[0], "the same seed does the same"
    for one in range(4):
        for other in range(one):
            assert max(abs(a - b) for a, b in zip(sways[one], sways[other], strict=True)) > math.radians(0.2)


def test_a_cancel_is_smooth_and_quick_and_the_rest_never_moves_the_head(watch: Watch) -> None:
    watch.engine.speech.play(talk(5.0), watch.now)
    watch.run(1.6)
    assert furthest(watch.commands[-50:]) > math.radians(2)
    watch.engine.speech.play([], watch.now)
    watch.run(0.3)
    assert furthest(watch.commands[-1:]) < STILL
    watch.engine.speech.play([1.0, 0.0] * 100, watch.now - 1.6, start=160)  # was under way when it was cancelled
    assert furthest(watch.run(0.5)) < STILL
    watch.engine.speech.play(talk(1.0), watch.now + 1.0)
    assert furthest(watch.run(0.8)) < STILL
    assert furthest(watch.run(1.2)) > math.radians(2), "but the next one does"


def test_in_pieces_it_is_the_same_as_at_once(kinematics: Kinematics) -> None:
    whole, pieces = (Watch(kinematics, start=AWAKE.as_tuple) for _ in range(2))
    envelope, t0 = talk(2.0), whole.now + 0.05
    whole.engine.speech.play(envelope, t0)
    expected = whole.run(2.5)
    for start in range(0, 200, 20):
        pieces.engine.speech.play(envelope[start : start + 20], t0, start)
        pieces.run(0.05)
    assert pieces.commands[4:] + pieces.run(2.0) == expected


def test_pieces_that_come_just_in_time_still_make_it_nod(watch: Watch) -> None:
    envelope, t0 = said([0.5, 1.0], 1.5), watch.now + 0.05
    for start in range(0, 150, 5):
        watch.engine.speech.play(envelope[start : start + 5], t0, start)
        watch.run(0.05)
    assert max(c[PITCH_] for c in watch.commands) > math.radians(2)


def test_a_new_position_moves_what_is_still_to_come(watch: Watch) -> None:
    """The player began half a second late, and says so."""
    watch.engine.speech.play(said([0.6], 1.0), watch.now)
    t0 = watch.now + 0.5
    watch.run(0.2)
    watch.engine.speech.play([], t0, 100)
    pitches = [c[PITCH_] for c in watch.run(1.3)]
    assert 0.2 + pitches.index(max(pitches)) / 100 == pytest.approx(1.1, abs=0.1)


def test_a_new_utterance_takes_over_when_it_is_heard(watch: Watch) -> None:
    watch.engine.speech.play(said([0.5], 1.0), watch.now)
    watch.engine.speech.play(said([0.5], 1.0), watch.now + 1.0)
    pitches = [c[PITCH_] for c in watch.run(2.0)]
    assert max(pitches[:100]) > math.radians(2) and max(pitches[100:]) > math.radians(2)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("edge", [False, True])
def test_loud_noise_breaks_no_limit(kinematics: Kinematics, seed: int, edge: bool) -> None:
    """Also on top of a head that is as far as it goes, where the shaper may brake as hard as in a stop."""
    dice = np.random.default_rng(seed)
    watch = Watch(kinematics, start=AWAKE.as_tuple, seed=seed)
    if not edge:
        watch.limits = MOVING.sent()
    noise = dice.uniform(-1, 1, 16000 * 8) * (dice.random(80) < 0.5).repeat(1600)
    watch.engine.speech.play(Loudness(16000).push(noise), watch.now)
    if edge:
        watch.engine.play("edge", Goto.to(replace(AWAKE, pitch=0.65, roll=0.4, z=0.02, yaw=1.0), 1.0))
    assert max(speed(watch.run(8.0))) > math.radians(20)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(width=32) | st.sampled_from([0.0, 1.0]), min_size=1, max_size=300),
    st.floats(-1e308, 1e308) | st.floats(-1, 3),
    st.integers(0, 400),
)
def test_whatever_it_is_given_it_stays_within_its_bounds(values: list[float], t0: float, start: int) -> None:
    speech = SpeechSway(seed=1)
    speech.play([0.9] * 20, 0.0)
    speech.play(values, t0, start)
    for tick in range(400):
        _, _, _, roll, pitch, yaw, left, right = speech.offsets(tick / 100)
        assert abs(roll) <= ROLL and abs(yaw) <= YAW and abs(pitch) <= NOD_MAX + CHIN_LIFT
        assert abs(left) < 0.25 and abs(right) < 0.25


def test_a_time_that_is_none_changes_nothing(watch: Watch) -> None:
    watch.engine.speech.play(said([0.5], 1.0), watch.now)
    for t0 in (math.nan, math.inf, -math.inf):
        watch.engine.speech.play([], t0)
    assert furthest(watch.run(1.0)) > math.radians(2)


@pytest.mark.parametrize("envelope", ["loud", [None], [[1.0]]])
def test_what_is_no_loudness_is_refused_before_it_plays(envelope: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        SpeechSway().play(envelope, 0.0)  # type: ignore[arg-type]


def test_after_a_stop_nothing_of_the_utterance_moves_the_head(watch: Watch) -> None:
    envelope, t0 = talk(4.0), watch.now
    watch.engine.speech.play(envelope[:200], t0)
    watch.run(1.3)
    watch.limits = Watch(watch.kinematics).limits  # a stop has its own
    watch.engine.stop()
    watch.run(0.3)
    held = watch.commands[-1]
    watch.engine.speech.play(envelope[200:], t0, start=200)
    assert all(command == pytest.approx(held, abs=1e-6) for command in watch.run(3.0))


def test_a_look_while_speaking_ends_in_time(watch: Watch) -> None:
    watch.engine.speech.play(talk(6.0), watch.now)
    watch.run(1.0)
    watch.engine.play("look", Goto({"yaw": 0.5}, 0.5))
    watch.until(lambda: bool(watch.engine.ended), seconds=1.0)
    beneath = [a - b for a, b in zip(watch.commands[-1], watch.engine.added, strict=True)]
    assert beneath[YAW_] == pytest.approx(0.5, abs=math.radians(1.5))


def test_the_head_leans_to_where_it_faces(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, start=replace(AWAKE, yaw=math.pi / 2, body_yaw=math.pi / 2).as_tuple)
    watch.engine.speech.play([0.8] * 200, watch.now)
    x, y, *_ = watch.run(1.5)[-1]
    assert y > 0.003 and abs(x) < 0.003
