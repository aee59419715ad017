"""Speech playback: what the player reports and what the motion process gets, on virtual time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from reachy_mind.motion.loudness import Loudness
from reachy_mind.motion.speech_playback import SpeechPlayback
from tests.motion.voices import pcm, voice

RATE = 16000
AUDIO = voice(RATE, np.arange(0.1, 1.95, 0.25).tolist(), 2.0)
LOUDNESS = Loudness(RATE).push(AUDIO)


class Robot:
    """Keeps the envelope as a motion process would, and returns the loudness heard now."""

    def __init__(self) -> None:
        self.now = 50.0
        self.envelope: list[float] = []
        self.t0 = 0.0
        self.messages = 0
        self.deaf = False

    def speech(self, envelope: Sequence[float], t0: float, *, start: int = 0) -> bool:
        if self.deaf:
            return False
        self.messages += 1
        self.envelope[start:] = envelope if envelope or not start else self.envelope[start:]
        self.t0 = t0
        return True

    def clock(self) -> float:
        return self.now

    @property
    def heard(self) -> float | None:
        """Seconds of the utterance, or None when nothing of it is heard."""
        seconds = self.now - self.t0
        return seconds if 0 <= seconds < len(self.envelope) / 100 else None


@pytest.fixture
def robot() -> Robot:
    return Robot()


def utterance(robot: Robot, **options: float) -> SpeechPlayback:
    return SpeechPlayback(robot, RATE, clock=robot.clock, **options)


def push(spoken: SpeechPlayback, audio: np.ndarray = AUDIO, chunk_s: float = 0.2) -> None:
    for start in range(0, len(audio), round(chunk_s * RATE)):
        spoken.push(pcm(audio[start : start + round(chunk_s * RATE)]))


def test_a_burst_is_heard_one_after_the_other(robot: Robot) -> None:
    spoken = utterance(robot, latency_s=0.3)
    push(spoken)
    spoken.finish()
    assert robot.t0 == pytest.approx(50.3)
    assert robot.envelope == pytest.approx(LOUDNESS, abs=0.01) and len(robot.envelope) == 200


def test_crumbs_become_few_messages_and_none_is_lost(robot: Robot) -> None:
    spoken = utterance(robot)
    push(spoken, np.tile(AUDIO, 5), chunk_s=0.01)
    spoken.finish()
    assert len(robot.envelope) == 1000 and robot.messages < 200


def test_a_player_that_runs_dry_goes_on_with_what_comes_next(robot: Robot) -> None:
    spoken = utterance(robot, latency_s=0.1)
    push(spoken, AUDIO[:RATE])
    robot.now += 5.0
    push(spoken, AUDIO[RATE:])
    robot.now += 0.1
    assert robot.heard == pytest.approx(1.0)


def test_pieces_that_come_a_little_late_do_not_shift_it(robot: Robot) -> None:
    spoken = utterance(robot, latency_s=0.1)
    for piece in range(10):
        push(spoken, AUDIO[piece * 3200 : (piece + 1) * 3200])
        robot.now += 0.2 + 0.005
    assert robot.t0 == pytest.approx(50.1)


def test_the_position_of_the_player_counts(robot: Robot) -> None:
    spoken = utterance(robot)
    push(spoken)
    robot.now += 0.8
    spoken.position(0.25)
    assert robot.heard == pytest.approx(0.25)
    robot.now += 0.5
    spoken.position(0.7, at=robot.now - 0.05)
    assert robot.heard == pytest.approx(0.75)
    sent = robot.messages
    robot.now += 0.1
    spoken.position(0.852)
    assert robot.messages == sent, "two milliseconds are nothing to tell"


def test_a_position_known_before_the_audio_counts_too(robot: Robot) -> None:
    spoken = utterance(robot)
    spoken.position(-0.5)  # half a second of something else comes first
    push(spoken)
    robot.now += 1.0
    assert robot.heard == pytest.approx(0.5)


def test_a_player_that_pauses_pauses_the_head(robot: Robot) -> None:
    spoken = utterance(robot)
    push(spoken)
    for _ in range(5):
        robot.now += 0.1
        spoken.position(0.6)
    assert robot.heard is None
    robot.now += 1.0
    assert robot.heard is None
    spoken.position(0.62)
    assert robot.heard == pytest.approx(0.62)


def test_a_player_that_counts_in_big_steps_does_not_pause(robot: Robot) -> None:
    spoken = utterance(robot)
    push(spoken)
    start = robot.now
    for tick in range(100):
        robot.now = start + tick / 100
        spoken.position(tick // 10 / 10)
        assert robot.heard == pytest.approx(tick / 100, abs=0.02)


def test_the_end_is_no_pause_that_repeats_itself(robot: Robot) -> None:
    spoken = utterance(robot)
    push(spoken)
    spoken.finish()
    for played in (1.9, 2.0, 2.0, 2.0, 2.0, 2.0):
        robot.now += 0.1
        spoken.position(played)
    assert robot.heard is None


def test_an_interrupted_one_is_over_whatever_still_comes(robot: Robot) -> None:
    spoken = utterance(robot)
    push(spoken, AUDIO[:RATE])
    spoken.cancel()
    assert robot.envelope == []
    push(spoken, AUDIO[RATE:])
    spoken.position(0.5)
    spoken.finish()
    assert robot.envelope == [] and robot.heard is None


def test_the_next_one_is_not_disturbed_by_the_one_before(robot: Robot) -> None:
    first, second = utterance(robot), utterance(robot)
    push(first)
    robot.now += 2.0
    push(second, AUDIO[: RATE // 2])
    t0, envelope = robot.t0, list(robot.envelope)
    first.push(pcm(AUDIO))
    first.position(1.9)
    first.finish()
    first.cancel()
    assert (robot.t0, robot.envelope) == (t0, envelope)
    second.cancel()
    assert robot.envelope == []


def test_one_that_was_cancelled_before_it_began_leaves_the_other_alone(robot: Robot) -> None:
    first, second = utterance(robot), utterance(robot)
    push(first)
    second.cancel()
    push(second)
    assert len(robot.envelope) == 200 and robot.t0 == pytest.approx(50.1)


def test_what_did_not_go_out_goes_with_the_next(robot: Robot) -> None:
    spoken = utterance(robot)
    robot.deaf = True
    push(spoken, AUDIO[:RATE])
    robot.deaf = False
    push(spoken, AUDIO[RATE:])
    spoken.finish()
    assert robot.envelope == pytest.approx(LOUDNESS, abs=0.01)


def test_a_position_that_is_none_changes_nothing(robot: Robot) -> None:
    spoken = utterance(robot)
    push(spoken)
    t0 = robot.t0
    spoken.position(float("nan"))
    spoken.position(0.5, at=float("inf"))
    assert robot.t0 == t0
