"""Whole conversations: real voice activity, ears and voice; the room is a fake (`tests.fakes.sound`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

import pytest

from reachy_mind.speech import flite
from reachy_mind.speech.delegate import SpeechDelegate
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.speech.pipeline import SpeechPipeline
from reachy_mind.speech.transcriber import HostedTranscriber
from reachy_mind.speech.voice_cache import CachedVoice
from tests.fakes.sound import Room
from tests.speech.conftest import needs_flite, said
from tests.waiting import until

pytestmark = [needs_flite, pytest.mark.process]
STORY = (
    "Once upon a time there was a small robot who lived on a wooden table. Every morning it looked out of the window "
    "and counted the birds in the garden."
)
ENOUGH_S = 40.0
"""For what a test waits for; it takes a few seconds."""


class Partner(SpeechDelegate):
    """Somebody who talks with the robot, and the brain of it: it answers with what a test wants said."""

    def __init__(self, room: Room, ears: HostedTranscriber, answer: str) -> None:
        self.room = room
        self.answer = answer
        self.heard: list[Heard] = []
        self.thinking = asyncio.Event()
        self.allowed = asyncio.Event()
        self.allowed.set()
        self.given_up = 0
        self._changed = asyncio.Event()
        self._voice = flite.voice("rms")
        self.talk = SpeechPipeline(room.media, ears, CachedVoice(flite.voice()), self)

    async def respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        self.heard.append(heard)
        self._changed.set()
        self.thinking.set()
        try:
            await self.allowed.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        yield Say(self.answer)

    async def end_of_turn_probability(self, text: str) -> float:
        return 0.9 if text else 0.0

    async def says(self, text: str) -> None:
        await self.room.say(await said(self._voice, text))

    async def turns(self, count: int) -> None:
        """Wait until so many have been heard."""
        async with asyncio.timeout(ENOUGH_S):
            while len(self.heard) < count:
                self._changed.clear()
                await self._changed.wait()

    async def until_played(self, seconds: float) -> None:
        await until(lambda: len(self.room.played) >= seconds * 16000, ENOUGH_S)

    async def until_silent(self) -> None:
        await until(lambda: not self.talk.speaking, ENOUGH_S)


@pytest.fixture
async def partner(ears: HostedTranscriber) -> AsyncIterator[Partner]:
    await ears.warm()
    async with Room() as room:
        partner = Partner(room, ears, "It is half past nine.")
        async with partner.talk:
            yield partner


async def test_a_question_is_answered_aloud(partner):
    await partner.says("What time is it?")
    await partner.turns(1)
    await partner.until_played(0.8)
    await partner.until_silent()
    assert [heard.text.strip(" .?").lower() for heard in partner.heard] == ["what time is it"]
    assert partner.heard[0].reply_heard is None


async def test_an_answer_is_not_heard_by_the_robot_itself(partner):
    partner.answer = STORY
    await partner.says("What time is it?")
    await partner.turns(1)
    await partner.until_played(6)
    await partner.until_silent()
    assert len(partner.heard) == 1


async def test_who_interrupts_ends_the_answer_and_the_mind_learns_what_was_heard_of_it(partner):
    partner.answer = STORY
    await partner.says("What time is it?")
    await partner.turns(1)
    await partner.until_played(2.5)
    await partner.says("Please tell me what day it is.")
    await partner.turns(2)
    assert "day" in partner.heard[1].text
    told = partner.heard[1].reply_heard
    assert told and STORY.startswith(told)
    assert "Once upon" in told and "garden" not in told
    assert not partner.heard[1].continues


async def test_a_backchannel_does_not_end_the_answer(partner):
    partner.answer = STORY
    await partner.says("What time is it?")
    await partner.turns(1)
    await partner.until_played(2.5)
    await partner.says("Okay.")
    whole = len(await said(flite.voice(), STORY)) / 32000
    await partner.until_played(0.9 * whole)
    assert len(partner.heard) == 1


async def test_nobody_speaks_and_nothing_happens(partner):
    await partner.room.say(bytes(32000 * 3))
    assert partner.heard == [] and not len(partner.room.played)


async def test_who_goes_on_while_it_thinks_is_answered_once_and_to_all_of_it(partner):
    partner.allowed.clear()
    voice = flite.voice("rms")
    beginning, rest = await said(voice, "Look to the left"), await said(voice, "and then nod three times.")
    await partner.room.say(beginning)
    await partner.thinking.wait()
    await partner.room.say(rest)
    await partner.turns(2)
    partner.allowed.set()
    await partner.until_played(0.8)
    last = partner.heard[-1]
    assert last.continues
    assert "left" in last.text and "nod" in last.text.replace("not", "nod")
    assert partner.given_up == 1
