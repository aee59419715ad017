"""`DeviceActivities`: a device's side of activities: gets ready, begins on time, joins late, pauses, ends.

One activity at a time, kept in a file: after a restart the device goes on at the position of the others. Handlers
return at once and may be called twice with the same command; what plays is a task of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from pydantic import BaseModel, ValidationError

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.fleet.activities import sounds
from reachy_mind.fleet.activities.activity_file import KEPT_ENDED, ActivityFile, DeviceActivityState, StoredActivity
from reachy_mind.fleet.activities.clip_cache import ClipCache
from reachy_mind.fleet.activities.clock_estimate import ClockEstimate
from reachy_mind.fleet.activities.part_sounds import PartSounds
from reachy_mind.fleet.activities.payloads import (
    ActivityEnded,
    ActivityPart,
    ActivityReady,
    EndActivity,
    MoveActivity,
    PrepareActivity,
    StartActivity,
)
from reachy_mind.fleet.activities.performance import Anchor, Performance
from reachy_mind.fleet.activities.timed_player import SpokenTexts, TimedMoves, TimedPlayer
from reachy_mind.fleet.activities.timeline import build_timeline
from reachy_mind.fleet.device.inbox import Command, Handler
from reachy_mind.fleet.device.outbox import Outbox

MAX_SAID_MS: Final = 600_000.0

_log = log.get(__name__)
Given = TypeVar("Given", bound=BaseModel)


class DeviceActivities:
    """Use as an async context manager. `player`, `voice` and `moves`: see `timed_player.py`; `file` has its state.

    `on_change` is called when `current` or `playing` has changed; it must not wait.
    """

    def __init__(
        self,
        clock: ClockEstimate,
        player: TimedPlayer,
        outbox: Outbox,
        *,
        clips: ClipCache,
        file: Path,
        voice: SpokenTexts | None = None,
        moves: TimedMoves | None = None,
        on_change: Callable[[], None] | None = None,
    ) -> None:
        self._clock, self._player, self._outbox = clock, player, outbox
        self._sounds, self._moves, self._on_change = PartSounds(clips, voice), moves, on_change
        self._file = ActivityFile(file)
        self._state = DeviceActivityState()
        self._changing = asyncio.Lock()
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._last_words: asyncio.Task[None] | None = None
        self._performance: Performance | None = None
        self._held = False

    @property
    def current(self) -> str | None:
        """The id of the activity that this device takes part in."""
        return self._state.current.id if self._state.current is not None else None

    @property
    def playing(self) -> bool:
        """Whether its timeline runs."""
        return self._performance is not None

    async def __aenter__(self) -> Self:
        self._state = await self._file.load()
        if self._state.current is not None:
            self._begin()
        return self

    async def __aexit__(self, *_: object) -> None:
        """What plays is silenced; the activity stays in the file."""
        await self._leave_off()
        if self._last_words is not None:
            await cancel_and_wait(self._last_words)

    def handlers(self) -> dict[str, Handler]:
        """For the device's inbox."""
        return {
            "activity.prepare": self._prepare,
            "activity.start": self._start,
            "activity.pause": self._pause,
            "activity.resume": self._resume,
            "activity.end": self._end,
        }

    async def pause(self) -> None:
        """Be silent, here alone, until `rejoin`: somebody talks to this device."""
        self._held = True
        self._changed.set()
        await self._player.silence("activity")

    async def rejoin(self) -> None:
        """Go on at the position of the others."""
        self._held = False
        self._changed.set()

    async def stop(self, reason: str = "stopped") -> None:
        """End it here, now; the hub learns of it. The others go on, unless the hub ends it for them."""
        await self._player.silence("activity")
        async with self._changing:
            if self._state.current is not None:
                await self._finish(self._state.current.id, reason)

    async def _prepare(self, command: Command) -> None:
        given = _checked(PrepareActivity, command.payload)
        async with self._changing:
            current = self._state.current
            if given.activity in self._state.ended or (current is not None and current.id == given.activity):
                return
            if current is not None:
                await self._finish(current.id, "replaced")
            await self._save(self._state.model_copy(update={"current": StoredActivity(prepared=given)}))
            self._begin()

    async def _start(self, command: Command) -> None:
        given = _checked(StartActivity, command.payload)
        async with self._changing:
            current = self._known(given.activity)
            if current is None:
                return
            if len(given.times_ms) != len(current.prepared.parts):
                raise InvalidParameter("activity.start has not as many times as the activity has parts")
            anchor = {"phase": "running", "at": given.at, "position_ms": given.position_ms}
            await self._change(current, anchor | {"times_ms": given.times_ms})

    async def _pause(self, command: Command) -> None:
        given = _checked(MoveActivity, command.payload)
        async with self._changing:
            if current := self._known(given.activity):
                await self._change(current, {"phase": "paused", "at": given.at, "position_ms": given.position_ms})

    async def _resume(self, command: Command) -> None:
        given = _checked(MoveActivity, command.payload)
        async with self._changing:
            if current := self._known(given.activity):
                await self._change(current, {"phase": "running", "at": given.at, "position_ms": given.position_ms})

    async def _end(self, command: Command) -> None:
        given = _checked(EndActivity, command.payload)
        async with self._changing:
            if self._known(given.activity) is None:
                return
            await self._finish(given.activity, "ended")
        if given.say and self._sounds.can_speak:
            if self._last_words is not None:
                await cancel_and_wait(self._last_words)
            self._last_words = asyncio.create_task(self._speak(given), name="activity last words")

    def _known(self, activity: str) -> StoredActivity | None:
        """The current one; None for one that has ended. Raises NotReady for any other."""
        current = self._state.current
        if current is not None and current.id == activity:
            return current
        if activity in self._state.ended:
            return None
        raise NotReady("this device does not take part in this activity", hint="it was not prepared here")

    async def _change(self, current: StoredActivity, changes: dict[str, Any]) -> None:
        changed = current.model_copy(update=changes)
        if changed != current:
            await self._save(self._state.model_copy(update={"current": changed}))
            self._changed.set()

    async def _finish(self, activity: str, reason: str, errors: tuple[str, ...] = ()) -> None:
        """The end of the current one, which the hub is told."""
        position = self._performance.position_ms() if self._performance is not None else 0
        errors = errors or tuple(self._performance.errors if self._performance is not None else ())
        await self._leave_off()
        ended = (*self._state.ended, activity)[-KEPT_ENDED:]
        await self._save(DeviceActivityState(ended=ended))
        said = ActivityEnded(activity=activity, reason=reason[:200], position_ms=position, errors=errors)
        await self._tell("activity.ended", said)
        self._notify()

    async def _leave_off(self) -> None:
        task, self._task = self._task, None
        if task is not None and task is not asyncio.current_task():
            await cancel_and_wait(task)

    def _begin(self) -> None:
        assert self._task is None or self._task.done(), "one at a time"
        self._held = False
        self._task = asyncio.create_task(self._take_part(), name="activity")
        self._notify()

    async def _take_part(self) -> None:
        """From getting ready to the end."""
        assert self._state.current is not None
        activity, prepared = self._state.current.id, self._state.current.prepared
        self._clock.hurry()
        try:
            part_ms = await self._get_ready(prepared)
            errors = await self._perform(prepared, part_ms)
        except (MindError, OSError) as error:
            _log.error("an activity can't be prepared", activity=activity, reason=str(error))
            await self._tell("activity.ready", ActivityReady(activity=activity, ok=False, error=str(error)[:500]))
            reason, errors = "it could not be prepared", (str(error)[:200],)
        except Exception as error:  # noqa: BLE001 -- an error of ours must not leave the hub waiting
            _log.exception("an activity failed", activity=activity)
            reason, errors = f"{type(error).__name__}: {error}", ()
        else:
            reason = "finished"
        finally:
            self._clock.rest()
        async with self._changing:
            if self.current == activity:
                await self._finish(activity, reason, errors)

    async def _get_ready(self, prepared: PrepareActivity) -> tuple[int, ...]:
        """Get all sounds, and the hub's time; say so. Returns how long each part lasts here. Raises MindError."""
        part_ms = []
        for part in prepared.parts:
            part_ms.append(sounds.duration_ms(await self._sounds.insist(part, prepared.language)))
        await self._clock.good()
        if self._state.current is not None and not self._state.current.ready_said:
            ready = ActivityReady(
                activity=prepared.activity,
                ok=True,
                part_ms=tuple(part_ms),
                rtt_ms=min(MAX_SAID_MS, self._clock.rtt_ms or 0.0),
                clock_error_ms=min(MAX_SAID_MS, self._clock.error_ms or 0.0),
            )
            await self._tell("activity.ready", ready)
            async with self._changing:
                if (current := self._state.current) is not None:
                    await self._save(
                        self._state.model_copy(update={"current": current.model_copy(update={"ready_said": True})})
                    )
        return tuple(part_ms)

    async def _perform(self, prepared: PrepareActivity, part_ms: tuple[int, ...]) -> tuple[str, ...]:
        """Follow what the hub says until the timeline has ended. Returns what could not be played."""
        errors: tuple[str, ...] = ()
        playing: asyncio.Task[None] | None = None
        playing_by: StoredActivity | None = None

        async def load(index: int) -> bytes:
            return await self._sounds.of(prepared.parts[index], prepared.language)

        try:
            while True:
                self._changed.clear()
                wanted = self._state.current
                assert wanted is not None
                if playing is not None and (self._held or not _same_run(wanted, playing_by)):
                    if wanted.phase == "paused" and not self._held and await self._changes_before(wanted.at):
                        continue
                    errors = self._end_performance(errors)
                    await self._silence(playing)
                    playing = None
                if playing is None and wanted.phase == "running" and not self._held:
                    timeline = build_timeline(prepared.parts, part_ms, wanted.times_ms)
                    self._performance = Performance(
                        timeline,
                        Anchor(wanted.at, wanted.position_ms),
                        clock=self._clock,
                        player=self._player,
                        moves=self._moves,
                        load=load,
                    )
                    playing_by = wanted
                    playing = asyncio.create_task(self._performance.run(), name="activity performance")
                    self._notify()
                if await self._ended_or_changed(playing):
                    assert playing is not None
                    ended, playing = playing, None
                    ended.result()
                    return self._end_performance(errors)
        finally:
            self._performance = None
            if playing is not None:
                await self._silence(playing)

    async def _ended_or_changed(self, playing: asyncio.Task[None] | None) -> bool:
        """Wait; whether the performance has ended."""
        change = asyncio.create_task(self._changed.wait(), name="activity change")
        try:
            await asyncio.wait({change, *((playing,) if playing is not None else ())}, return_when="FIRST_COMPLETED")
        finally:
            await cancel_and_wait(change)
        return playing is not None and playing.done()

    async def _changes_before(self, hub_ms: float) -> bool:
        """Wait for a time of the hub's clock; True when something else changes before."""
        now = self._clock.now_ms()
        try:
            async with asyncio.timeout(max(0.0, (hub_ms - now) / 1000) if now is not None else 0.0):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True

    def _end_performance(self, errors: tuple[str, ...]) -> tuple[str, ...]:
        found = self._performance
        self._performance = None
        self._notify()
        return (*errors, *(found.errors if found is not None else ()))[-8:]

    async def _silence(self, playing: asyncio.Task[None]) -> None:
        await self._player.silence("activity")
        await cancel_and_wait(playing)
        await self._player.silence("activity")  # what the task had handed over in between
        if self._moves is not None:
            await self._moves.stop_moves()

    async def _speak(self, given: EndActivity) -> None:
        try:
            await self._player.play(await self._sounds.of(ActivityPart(text=given.say), given.language))
        except (MindError, OSError) as error:
            _log.error("the end of an activity can't be said", reason=str(error))

    async def _save(self, state: DeviceActivityState) -> None:
        await self._file.save(state)
        self._state = state

    async def _tell(self, type_: str, payload: BaseModel) -> None:
        """An event for the hub. One that can't be stored is logged: the hub goes on without it."""
        try:
            await self._outbox.accept(type_, payload.model_dump(mode="json"))
        except MindError as error:
            _log.error("the hub can't be told of an activity", said=type_, reason=error.message)

    def _notify(self) -> None:
        if self._on_change is not None:
            self._on_change()


def _same_run(one: StoredActivity, other: StoredActivity | None) -> bool:
    """Whether both play the same timeline by the same anchor."""
    if other is None or one.phase != "running":
        return False
    return (one.at, one.position_ms, one.times_ms) == (other.at, other.position_ms, other.times_ms)


def _checked(kind: type[Given], payload: Mapping[str, Any]) -> Given:
    """Raises InvalidParameter."""
    try:
        return kind.model_validate(payload)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InvalidParameter(f"{place}: {first['msg']}") from None
