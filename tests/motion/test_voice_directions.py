"""Directions of voices in the room, from an array on a head that turns."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable

import pytest

from reachy_mind.body.pose import Pose
from reachy_mind.body.pose_history import PoseHistory
from reachy_mind.body.protocol import SoundDirection
from reachy_mind.errors import LinkLost
from reachy_mind.motion import voice_directions
from reachy_mind.motion.voice_directions import VoiceDirections, middle, room_yaw

Until = Callable[[Callable[[], object]], Awaitable[None]]
DEGREE = math.radians(1)


class Array:
    """A robot whose head looks at `head_yaw` and hears a voice from `voice_yaw`, both in degrees."""

    def __init__(self, head_yaw: float, voice_yaw: float | None) -> None:
        self.pose_history = PoseHistory()
        self.head_yaw, self.voice_yaw, self.turns_by = head_yaw, voice_yaw, 0.0
        self.speech, self.trouble = True, False
        self.asked = 0

    async def sound_direction(self) -> SoundDirection | None:
        self.asked += 1
        if self.trouble:
            raise LinkLost("the robot is gone")
        now = time.monotonic()
        self.head_yaw += self.turns_by
        self.pose_history.add(now, Pose(yaw=self.head_yaw * DEGREE))
        if self.voice_yaw is None:
            return None
        aside = (self.voice_yaw - self.head_yaw) * DEGREE
        return SoundDirection(angle=math.acos(math.sin(aside)), speech_detected=self.speech)


@pytest.mark.parametrize(("head", "voice"), [(0, 40), (0, -75), (50, 20), (-60, -140)])
async def test_the_direction_is_that_of_the_room_wherever_the_head_looks(
    head: float, voice: float, until: Until
) -> None:
    array, told = Array(head, voice), list[tuple[float, float]]()
    async with VoiceDirections(array) as directions:
        began = time.monotonic()
        directions.begin(lambda yaw, at: told.append((yaw, at)))
        await until(lambda: len(told) >= 2)
        assert told[0][0] / DEGREE == pytest.approx(voice, abs=0.1) and told[0][1] >= began
        found = directions.since(began)
        assert found is not None and found / DEGREE == pytest.approx(voice, abs=0.1)
        assert directions.since(time.monotonic() + 1) is None


async def test_nothing_is_asked_while_nobody_speaks_and_nothing_told_that_is_no_speech(until: Until) -> None:
    array, told = Array(0, 30), list[float]()
    async with VoiceDirections(array) as directions:
        for _ in range(5):
            await asyncio.sleep(0)
        assert array.asked == 0
        array.speech = False
        directions.begin(lambda yaw, at: told.append(yaw))
        await until(lambda: array.asked >= 2)
        assert not told and directions.since(0.0) is None
        array.speech = True
        await until(lambda: bool(told))
        directions.end()
        count, asked = len(told), array.asked
        directions.begin()
        await until(lambda: array.asked >= asked + 2)
        assert len(told) == count, "the one who was told does not listen any more"


async def test_while_the_head_turns_quickly_no_direction_is_believed(until: Until) -> None:
    array, told = Array(0, 80), list[float]()
    array.turns_by = 10.0
    async with VoiceDirections(array) as directions:
        array.pose_history.add(time.monotonic() - 0.1, Pose())
        directions.begin(lambda yaw, at: told.append(yaw))
        await until(lambda: array.asked >= 3)
        assert not told
        array.turns_by = 0.0
        await until(lambda: bool(told))


async def test_a_robot_that_does_not_tell_or_is_lost_is_asked_again_later(
    until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(voice_directions, "UNABLE_RETRY_S", 0.05)
    array, told = Array(0, None), list[float]()
    async with VoiceDirections(array) as directions:
        directions.begin(lambda yaw, at: told.append(yaw))
        await until(lambda: array.asked >= 1)
        array.voice_yaw, array.trouble = 30.0, True
        await until(lambda: array.asked >= 3)
        assert not told
        array.trouble = False
        await until(lambda: bool(told))


def test_the_head_that_turns_to_a_voice_behind_it_comes_to_face_it() -> None:
    head, voice = 0.0, 150.0
    for _ in range(12):
        angle = math.acos(math.sin((voice - head) * DEGREE))
        head = room_yaw(angle, head * DEGREE) / DEGREE
    assert head == pytest.approx(voice, abs=0.1)


def test_the_middle_of_directions_behind_the_back_is_behind_the_back() -> None:
    assert abs(middle([175 * DEGREE, -170 * DEGREE, 178 * DEGREE])) == pytest.approx(178 * DEGREE)
