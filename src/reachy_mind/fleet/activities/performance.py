"""`ActivityPerformance`: plays a timeline from a position on, each sound and move at its time of the hub's clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.fleet.activities import sounds
from reachy_mind.fleet.activities.clock_estimate import ClockEstimate
from reachy_mind.fleet.activities.payloads import plain_text
from reachy_mind.fleet.activities.timed_player import RATE, SAMPLE_BYTES, TimedMoves, TimedPlayer
from reachy_mind.fleet.activities.timeline import Timeline, TimelineMove, TimelineSound

AHEAD_S: Final = 1.0
"""How long before its time a sound is handed to the loudspeaker; the estimate of that moment counts."""
JOIN_S: Final = 0.1
"""How far ahead somebody who comes late begins: a loudspeaker needs a moment."""
LOOK_AGAIN_S: Final = 1.0
CLOCK_JUMP_S: Final = 0.5
"""An estimate that moves by more is a clock that was set: what plays goes on by this machine's own clock."""
MAX_ERRORS: Final = 8

_log = log.get(__name__)
LoadPart = Callable[[int], Awaitable[bytes]]


@dataclass(frozen=True)
class Anchor:
    """At the time `at` of the hub's clock (ms) the timeline stands at `position_ms`."""

    at: float
    position_ms: float


class ActivityPerformance:
    """`run` plays; cancel it to stop. `load` gives the samples of a part. `errors`: what could not be played."""

    def __init__(
        self,
        timeline: Timeline,
        anchor: Anchor,
        *,
        clock: ClockEstimate,
        player: TimedPlayer,
        moves: TimedMoves | None,
        load: LoadPart,
    ) -> None:
        self._timeline, self._anchor, self._clock = timeline, anchor, clock
        self._player, self._moves, self._load = player, moves, load
        self._first: float | None = None
        self.errors: list[str] = []

    async def run(self) -> None:
        """Returns when the timeline has ended."""
        await self._clock.good()
        async with asyncio.TaskGroup() as tasks:
            if self._moves is not None:
                for move in self._timeline.moves_from(self._position(time.monotonic())):
                    tasks.create_task(self._move(self._moves, move), name="activity move")
            for sound in self._timeline.sounds_from(self._anchor.position_ms):
                if self._time_of(sound.end_ms) <= time.monotonic() + JOIN_S:
                    continue  # it is over before this device could join in
                await self._until(sound.at_ms, AHEAD_S)
                try:
                    pcm = await self._mix(sound)
                except (MindError, OSError) as error:
                    self._note(f"a sound at {sound.at_ms / 1000:g} s: {error}")
                    continue
                tasks.create_task(self._play(sound, pcm), name="activity sound")
            await self._until(self._timeline.duration_ms)

    def position_ms(self) -> int:
        """Where the timeline stands now."""
        return max(0, min(self._timeline.duration_ms, round(self._position(time.monotonic()))))

    async def _mix(self, sound: TimelineSound) -> bytes:
        parts = [((part.at_ms - sound.at_ms) * RATE // 1000, await self._load(part.index)) for part in sound.parts]
        return await asyncio.to_thread(sounds.mixed, parts)

    async def _play(self, sound: TimelineSound, pcm: bytes) -> None:
        """From its beginning, or from where the others are."""
        begin = self._time_of(sound.at_ms)
        earliest = max(self._time_of(self._anchor.position_ms), begin)
        if (now := time.monotonic()) > earliest:  # too late for a beginning on time
            earliest = now + JOIN_S
        skipped = max(0, round((earliest - begin) * RATE)) * SAMPLE_BYTES
        if skipped >= len(pcm):
            return
        try:
            await self._player.play(pcm[skipped:], at=earliest, kind="activity")
        except (MindError, OSError) as error:
            self._note(f"a sound at {sound.at_ms / 1000:g} s: {error}")

    async def _move(self, moves: TimedMoves, move: TimelineMove) -> None:
        await self._until(move.at_ms, AHEAD_S)
        try:
            await moves.play_move(move.name, at=self._time_of(move.at_ms))
        except MindError as error:
            self._note(f"the move {move.name}: {error.message}")

    def _time_of(self, position_ms: float) -> float:
        """When the timeline stands at a position, by this machine's monotonic clock."""
        after_ms = position_ms - self._anchor.position_ms
        estimated = self._clock.monotonic(self._anchor.at + after_ms)
        assert estimated is not None, "`run` waits until the hub's time is known"
        if self._first is None:
            self._first = estimated - after_ms / 1000
        own = self._first + after_ms / 1000
        return estimated if abs(estimated - own) <= CLOCK_JUMP_S else own

    def _position(self, monotonic: float) -> float:
        return self._anchor.position_ms + (monotonic - self._time_of(self._anchor.position_ms)) * 1000

    async def _until(self, position_ms: float, before_s: float = 0.0) -> None:
        while (left := self._time_of(position_ms) - before_s - time.monotonic()) > 0:  # noqa: ASYNC110 -- it moves
            await asyncio.sleep(min(left, LOOK_AGAIN_S))

    def _note(self, error: str) -> None:
        _log.error("a part of an activity failed", reason=error)
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(plain_text(error))
