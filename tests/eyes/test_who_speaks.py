"""Two people in the simulator: the head goes to whoever speaks, by the direction of the voice."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable

import httpx
import numpy as np
import pytest

from reachy_mind.body import wav
from reachy_mind.body.address import Address
from reachy_mind.mind import Mind
from tests.eyes.test_sight import HEIGHT_M, Room, looking, reports, yaw
from tests.fakes.processes import Daemon

Until = Callable[[Callable[[], object]], Awaitable[None]]
LEFT, RIGHT, BEHIND = (0.9, 0.35), (0.8, -0.4), (-0.5, 0.9)


@pytest.fixture
def room(daemon: Daemon, robot: Address) -> Room:
    return Room(daemon)


@pytest.fixture
def voice() -> bytes:
    """Sound as long as a long sentence. What is said does not matter to the direction."""
    return wav.write((np.random.default_rng(2).normal(0, 3000, 16000 * 8)).astype("<i2").tobytes())


def says(robot: Address, person: str, voice: bytes) -> None:
    sources = f"{robot.http}/sim/v1/audio/sources"
    httpx.delete(sources).raise_for_status()
    httpx.post(sources, params={"person": person}, content=voice).raise_for_status()


def towards(place: tuple[float, float]) -> float:
    return math.degrees(math.atan2(place[1], place[0]))


async def test_of_two_faces_the_one_that_speaks_is_looked_at(
    robot: Address, room: Room, voice: bytes, until: Until
) -> None:
    room.post("/people", name="ada", at=LEFT, height=HEIGHT_M)
    room.post("/people", name="bob", at=RIGHT, height=HEIGHT_M)
    async with looking(robot) as mind:
        await mind.act("wake_up")
        await mind.act("head_tracking", {"enabled": True})
        await until(lambda: mind.sight.people == 2)
        directions = mind.speech.parts.directions
        assert directions is not None
        for person, place in (("ada", LEFT), ("bob", RIGHT), ("ada", LEFT)):
            says(robot, person, voice)
            directions.begin(mind.sight.hear_voice)
            await until(lambda place=place: abs(yaw(mind) - towards(place)) < 6)  # type: ignore[misc]
            directions.end()


async def test_it_turns_to_a_voice_that_it_does_not_see_unless_it_is_told_not_to(
    robot: Address, room: Room, voice: bytes, until: Until
) -> None:
    room.post("/people", name="ada", at=LEFT, height=HEIGHT_M)
    room.post("/people", name="eve", at=BEHIND, height=HEIGHT_M)
    async with looking(robot, turn_to_voices=False) as mind:
        await _follows(mind, until)
        says(robot, "eve", voice)
        _hear(mind)
        await reports(mind, 60)
        assert abs(yaw(mind) - towards(LEFT)) < 6
    async with looking(robot) as mind:
        await _follows(mind, until)
        says(robot, "eve", voice)
        _hear(mind)
        await until(lambda: abs(yaw(mind) - towards(BEHIND)) < 8)
        heard = mind.speech.parts.directions
        assert heard is not None and heard.since(0.0) is not None


async def _follows(mind: Mind, until: Until) -> None:
    await mind.act("wake_up")
    await mind.act("head_tracking", {"enabled": True})
    await until(lambda: abs(yaw(mind) - towards(LEFT)) < 4)


def _hear(mind: Mind) -> None:
    assert mind.speech.parts.directions is not None
    mind.speech.parts.directions.begin(mind.sight.hear_voice)
