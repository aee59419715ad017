"""What a session keeps for its reader, and the messages and frames that carry it."""

from __future__ import annotations

import asyncio

import pytest

from reachy_mind.fleet.voice.event_queue import MAX_EVENTS, MAX_SOUND_BYTES, SessionEvents
from reachy_mind.fleet.voice.session import (
    HeardText,
    SaidText,
    SessionEnded,
    SoundFlushed,
    SpeakerSound,
    StateChanged,
    VoiceSessionEvent,
)
from reachy_mind.fleet.voice.session_messages import event_of, message_of
from reachy_mind.fleet.voice.worker_frames import FrameKind, encode_frame, encode_message, read_frame


async def read(events: SessionEvents) -> list[VoiceSessionEvent]:
    return [event async for event in events.read()]


async def test_events_come_in_order_and_the_end_is_the_last() -> None:
    events = SessionEvents()
    put = [StateChanged("listening"), HeardText("hello"), SpeakerSound(b"12"), SessionEnded("it was closed")]
    assert all(events.put(event) for event in put)
    events.put(SaidText("too late"))
    events.end("again")
    assert await read(events) == put


async def test_a_flush_takes_the_sound_that_waits_but_no_words() -> None:
    events = SessionEvents()
    for event in (SpeakerSound(b"12"), SaidText("a"), SoundFlushed(), SpeakerSound(b"34")):
        events.put(event)
    events.end("over")
    assert await read(events) == [SaidText("a"), SoundFlushed(), SessionEnded("over")]
    assert events.flushes == 1


async def test_a_reader_that_is_too_slow_is_noticed_and_memory_stays_bounded() -> None:
    events = SessionEvents()
    block = SpeakerSound(bytes(MAX_SOUND_BYTES // 4))
    assert [events.put(block) for _ in range(5)] == [True, True, True, True, False]
    assert sum(events.put(HeardText("x")) for _ in range(2 * MAX_EVENTS)) == MAX_EVENTS - 4
    events.end("what it says was not taken")
    assert (await read(events))[-1] == SessionEnded("what it says was not taken")


@pytest.mark.parametrize(
    "event", [StateChanged("responding"), SoundFlushed(), HeardText("héllo"), SaidText("yes"), SessionEnded("why")]
)
def test_events_survive_the_wire(event: VoiceSessionEvent) -> None:
    assert event_of(*message_of(event, 3)) == event


def test_long_words_are_cut_and_unknown_messages_are_ignored() -> None:
    type_, payload = message_of(HeardText("x" * 100_000))
    assert event_of(type_, payload) == HeardText("x" * 4000)
    assert event_of("voice.of_tomorrow", {"stream": 1}) is None
    with pytest.raises(ValueError, match="state"):
        event_of("voice.state", {"state": "dancing"})


async def test_worker_frames_are_read_as_written_and_a_torn_one_is_the_end() -> None:
    reader = asyncio.StreamReader()
    reader.feed_data(encode_message(7, "voice.opened") + encode_frame(7, FrameKind.SOUND, b"pcm") + b"\0\0")
    reader.feed_eof()
    first, second = await read_frame(reader), await read_frame(reader)
    assert (first.session, first.message()) == (7, ("voice.opened", {}))
    assert (second.kind, second.body) == (FrameKind.SOUND, b"pcm")
    with pytest.raises(EOFError):
        await read_frame(reader)
