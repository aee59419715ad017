"""The loudspeaker of a device, on a sound card without hardware: what its capture has, and when."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.errors import NotReady
from reachy_mind.fleet.agent.chimes import TONES, chime
from reachy_mind.fleet.agent.mixer import Mixer
from reachy_mind.fleet.agent.null_speaker import NullSpeaker
from reachy_mind.fleet.agent.sound import SoundOutput
from tests.fleet.agent.captures import RATE, Capture, read_capture
from tests.waiting import until

LEVEL = 8000


def tone(seconds: float, level: int = LEVEL) -> bytes:
    return np.full(round(seconds * RATE), level, "<i2").tobytes()


class Room:
    """A device's sound and its capture."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.sound = SoundOutput(lambda mixer: NullSpeaker(mixer, file), volume=100)

    def heard(self) -> Capture:
        return read_capture(self.file)


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    made = Room(tmp_path / "sound" / "heard.wav")
    async with made.sound:
        yield made


def edges(samples: np.ndarray) -> list[tuple[int, int, int]]:
    """Begin, end and level of what is not silent."""
    changes = np.flatnonzero(np.diff(samples.astype(np.int32), prepend=0, append=0))
    return [
        (int(begin), int(end), int(samples[begin])) for begin, end in itertools.pairwise(changes) if samples[begin] != 0
    ]


async def test_a_sound_with_a_time_begins_with_the_right_sample(room: Room) -> None:
    at = time.monotonic() + 0.4
    await room.sound.play(tone(0.1), at=at)
    assert time.monotonic() >= at + 0.1
    heard = room.heard()
    ((begin, end, level),) = edges(heard.samples)
    assert abs(heard.time_of(begin) - at) <= 1 / RATE
    assert end - begin == RATE // 10 and level == LEVEL


async def test_sounds_that_follow_each_other_have_no_gap_and_no_overlap(room: Room) -> None:
    at = time.monotonic() + 0.3
    await asyncio.gather(
        room.sound.play(tone(0.2, 1000), at=at, kind="activity"),
        room.sound.play(tone(0.2, 2000), at=at + 0.2, kind="activity"),
    )
    first, second = edges(room.heard().samples)
    assert abs(second[0] - first[1]) <= 1 and (first[2], second[2]) in {(1000, 2000)}


async def test_a_sound_that_comes_too_late_begins_with_the_sample_that_is_due(room: Room) -> None:
    """So that it is in time with others that play the same."""
    ramp = np.arange(RATE, dtype="<i2")
    at = time.monotonic() - 0.5
    await room.sound.play(ramp.tobytes(), at=at)
    heard = room.heard()
    begin = int(np.flatnonzero(heard.samples)[0])
    due = (heard.time_of(begin) - at) * RATE
    assert abs(int(heard.samples[begin]) - due) <= 2
    assert int(heard.samples.max()) == RATE - 1


async def test_two_sounds_are_mixed(room: Room) -> None:
    at = time.monotonic() + 0.3
    await asyncio.gather(room.sound.play(tone(0.2, 3000), at=at), room.sound.play(tone(0.1, 4000), at=at + 0.05))
    levels = [level for _, _, level in edges(room.heard().samples)]
    assert levels == [3000, 7000, 3000]


async def test_silence_stops_what_it_names_and_nothing_else(room: Room) -> None:
    speech = asyncio.create_task(room.sound.play(tone(30, 1000), kind="speech"))
    alarm = asyncio.create_task(room.sound.play(tone(0.5, 4000), kind="alarm"))
    await until(lambda: len(room.heard().samples) > RATE // 10)
    began = time.monotonic()
    await room.sound.silence("speech", "activity")
    await speech
    assert time.monotonic() - began < 10, "it does not play to its end"
    await alarm
    assert [level for _, _, level in edges(room.heard().samples)][-1] == 4000


async def test_an_alarm_is_loud_whatever_the_volume_is(room: Room) -> None:
    room.sound.volume = 0
    await room.sound.play(tone(0.1), kind="speech")
    await room.sound.play(tone(0.1), kind="alarm")
    ((_, _, level),) = edges(room.heard().samples)
    assert level > LEVEL / 2


async def test_the_volume_has_a_limit() -> None:
    sound = SoundOutput(NullSpeaker, volume=100, max_volume=60)
    assert sound.volume == 60
    sound.volume = 75
    assert sound.volume == 60
    sound.volume = -3
    assert sound.volume == 0


async def test_a_stream_is_played_as_it_comes_and_can_be_flushed(room: Room) -> None:
    async with room.sound.open_stream() as stream:
        assert await stream.write(tone(0.2, 1000))
        await until(lambda: stream.played >= 0.2 * RATE)
        stream.push(tone(30, 2000))
        await until(lambda: stream.played > 0.3 * RATE)
        assert stream.flush() > 20 * RATE
        await stream.write(tone(0.1, 3000))
    levels = [level for _, _, level in edges(room.heard().samples)]
    assert levels[0] == 1000 and 2000 in levels and levels[-1] == 3000
    assert stream.played < 2 * RATE


async def test_play_stream_returns_when_all_was_played(room: Room) -> None:
    async def blocks() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield tone(0.1, 500)

    await room.sound.play_stream(blocks())
    assert sum(end - begin for begin, end, _ in edges(room.heard().samples)) == 3 * RATE // 10


async def test_a_writer_waits_while_more_than_a_second_is_queued(room: Room) -> None:
    began = time.monotonic()
    async with room.sound.open_stream() as stream:
        for _ in range(4):
            await stream.write(tone(0.5, 100))
        assert stream.queued <= 1.5 * RATE
    assert time.monotonic() - began >= 1.9


async def test_a_card_that_is_not_there_keeps_nothing_waiting() -> None:
    """What is played is timed by a card without hardware, and `trouble` says why."""

    @asynccontextmanager
    async def broken(mixer: Mixer) -> AsyncIterator[NullSpeaker]:
        raise NotReady("this computer has no loudspeaker")
        yield NullSpeaker(mixer)

    async with SoundOutput(broken) as sound:  # type: ignore[arg-type]
        await sound.play(tone(0.05))
        assert sound.trouble == "this computer has no loudspeaker"


@pytest.mark.parametrize("name", TONES)
def test_a_chime_is_heard_from_its_first_millisecond_and_never_clips(name: str) -> None:
    samples = np.abs(np.frombuffer(chime(name), "<i2").astype(np.int32))  # type: ignore[arg-type]
    assert samples[: RATE // 1000].max() > 100
    assert 1000 < samples.max() < 32767
