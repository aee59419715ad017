"""`ActivityRun`: one prepared activity on a device, played as the hub wants it: from an anchor, paused, resumed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.fleet.activities.activity_file import StoredActivity
from reachy_mind.fleet.activities.clock_estimate import ClockEstimate
from reachy_mind.fleet.activities.part_sounds import PartSounds
from reachy_mind.fleet.activities.performance import MAX_ERRORS, ActivityPerformance, Anchor
from reachy_mind.fleet.activities.timed_player import TimedMoves, TimedPlayer
from reachy_mind.fleet.activities.timeline import build_timeline

NO_ERRORS: Final[tuple[str, ...]] = ()


class ActivityRun:
    """`wanted` is what the hub said last; call `look_again` when it has changed. `on_change`: `playing` has changed."""

    def __init__(
        self,
        *,
        clock: ClockEstimate,
        player: TimedPlayer,
        moves: TimedMoves | None,
        sounds: PartSounds,
        wanted: Callable[[], StoredActivity],
        on_change: Callable[[], None],
    ) -> None:
        self._clock, self._player, self._moves, self._sounds = clock, player, moves, sounds
        self._wanted, self._on_change = wanted, on_change
        self._changed = asyncio.Event()
        self._held = False
        self._performance: ActivityPerformance | None = None
        self._playing: asyncio.Task[None] | None = None
        self._playing_by: StoredActivity | None = None
        self.errors = NO_ERRORS
        """What could not be played."""

    @property
    def playing(self) -> bool:
        return self._performance is not None

    @property
    def position_ms(self) -> int:
        """Where the timeline stands; 0 while nothing plays."""
        return self._performance.position_ms() if self._performance is not None else 0

    def look_again(self) -> None:
        self._changed.set()

    def hold(self, *, held: bool) -> None:
        """Be silent while it is held; then go on where the others are."""
        self._held = held
        self._changed.set()

    async def run(self, part_ms: tuple[int, ...]) -> None:
        """Returns when the timeline has ended; cancelled, it is silent. `part_ms`: how long each part lasts here."""
        try:
            while True:
                self._changed.clear()
                wanted = self._wanted()
                if self._playing is not None and (self._held or not self._is_playing(wanted)):
                    if wanted.phase == "paused" and not self._held and await self._changes_before(wanted.at):
                        continue
                    await self._stop()
                if self._playing is None and wanted.phase == "running" and not self._held:
                    self._begin(wanted, part_ms)
                if await self._ended_or_changed():
                    return
        finally:
            await self._stop()

    def _begin(self, wanted: StoredActivity, part_ms: tuple[int, ...]) -> None:
        prepared = wanted.prepared

        async def load(index: int) -> bytes:
            return await self._sounds.of(prepared.parts[index], prepared.language)

        self._performance = ActivityPerformance(
            build_timeline(prepared.parts, part_ms, wanted.times_ms),
            Anchor(wanted.at, wanted.position_ms),
            clock=self._clock,
            player=self._player,
            moves=self._moves,
            load=load,
        )
        self._playing_by = wanted
        self._playing = asyncio.create_task(self._performance.run(), name="activity performance")
        self._on_change()

    async def _stop(self) -> None:
        """Silence what plays. Raises why it failed, if it did."""
        playing, performance = self._playing, self._performance
        if playing is None or performance is None:
            return
        self._playing = self._performance = None
        self.errors = (*self.errors, *performance.errors)[-MAX_ERRORS:]
        self._on_change()
        if playing.done():
            playing.result()
            return
        await self._player.silence("activity")
        await cancel_and_wait(playing)
        await self._player.silence("activity")  # what the task had handed over in between
        if self._moves is not None:
            await self._moves.stop_moves()

    def _is_playing(self, wanted: StoredActivity) -> bool:
        """Whether what plays goes by this anchor."""
        by = self._playing_by
        if by is None or wanted.phase != "running":
            return False
        return (wanted.at, wanted.position_ms, wanted.times_ms) == (by.at, by.position_ms, by.times_ms)

    async def _ended_or_changed(self) -> bool:
        """Wait; whether the timeline has ended."""
        change = asyncio.create_task(self._changed.wait(), name="activity change")
        waits = {change} if self._playing is None else {change, self._playing}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await cancel_and_wait(change)
        return self._playing is not None and self._playing.done()

    async def _changes_before(self, hub_ms: float) -> bool:
        """Wait for a time of the hub's clock; True when something else changes before."""
        now = self._clock.now_ms()
        try:
            async with asyncio.timeout(max(0.0, (hub_ms - now) / 1000) if now is not None else 0.0):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True
