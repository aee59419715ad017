"""Spoken turns of an endurance test: a voice in the simulated room, which the robot has to hear and answer aloud.

The room is reached without the proxy: a person who speaks does not depend on the robot's connection.
"""

from __future__ import annotations

import asyncio
import json
import time
from random import Random
from typing import Any, Final

from websockets.asyncio.client import ClientConnection

from reachy_mind.bench.endurance.attempts import WrongAnswer
from reachy_mind.bench.endurance.rig import EnduranceRig
from reachy_mind.bench.simulated_room import SimulatedRoom
from reachy_mind.bench.soak import SyntheticSpeakers, people
from reachy_mind.errors import NotReady
from reachy_mind.models.store import Store

UTTERANCES: Final = ("What time is it?", "What is seven times eight?", "How are you today?", "What day is it today?")
HEARD_WITHIN_S: Final = 6.0
ANSWERED_WITHIN_S: Final = 12.0
PAUSE_S: Final = 12.0


class SpokenUser:
    """`turn` says one sentence. Between two of them the room may be lost with the simulator: it is opened anew."""

    def __init__(self, store: Store) -> None:
        self._people: SyntheticSpeakers | None = None
        try:
            self._people = people(store)
        except NotReady as error:
            self.missing = error.message
        self._number = 0

    @property
    def can_speak(self) -> bool:
        """Whether there is a voice on this machine."""
        return self._people is not None

    async def turn(self, rig: EnduranceRig, chance: Random) -> None:
        """Raises WrongAnswer when it was not heard, or not answered aloud."""
        assert self._people is not None
        self._number += 1
        text = chance.choice(UTTERANCES)
        pcm, last = await self._people.say(text, self._number)
        async with SimulatedRoom(rig.simulator_port) as room, rig.api.socket("events") as events:
            await room.until(lambda: room.silent(1.0), 15)
            end = await room.say(pcm) + last
            await room.reach(end)
            turn = await _event(events, "TurnStarted", HEARD_WITHIN_S, spoken=True)
            if turn is None:
                raise WrongAnswer(f"{text!r} was not heard")
            if not await room.until(lambda: room.began(end) is not None, ANSWERED_WITHIN_S) and not _stopped(rig):
                raise WrongAnswer(f"{text!r} was not answered aloud")

    async def aclose(self) -> None:
        if self._people is not None:
            await self._people.aclose()


async def _event(socket: ClientConnection, kind: str, within_s: float, **fields: Any) -> dict[str, Any] | None:
    """The next event of a kind with these fields."""
    try:
        async with asyncio.timeout(within_s):
            async for frame in socket:
                event: dict[str, Any] = json.loads(frame)
                if event["type"] == kind and all(event.get(name) == value for name, value in fields.items()):
                    return event
    except TimeoutError:
        pass
    return None


def _stopped(rig: EnduranceRig) -> bool:
    return any(at > time.monotonic() - ANSWERED_WITHIN_S for at in rig.log.stops)
