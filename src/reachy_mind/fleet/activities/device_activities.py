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
from reachy_mind.errors import ConfigError, InvalidParameter, MindError, NotReady
from reachy_mind.fleet.activities import sounds
from reachy_mind.fleet.activities.activity_file import KEPT_ENDED, ActivityFile, DeviceActivityState, StoredActivity
from reachy_mind.fleet.activities.activity_run import ActivityRun
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
    plain_text,
)
from reachy_mind.fleet.activities.timed_player import SpokenTexts, TimedMoves, TimedPlayer
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
        self._task: asyncio.Task[None] | None = None
        self._last_words: asyncio.Task[None] | None = None
        self._run = self._new_run()

    @property
    def current(self) -> str | None:
        """The id of the activity that this device takes part in."""
        return self._state.current.id if self._state.current is not None else None

    @property
    def playing(self) -> bool:
        """Whether its timeline runs."""
        return self._run.playing

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
        self._run.hold(held=True)
        await self._player.silence("activity")

    async def rejoin(self) -> None:
        """Go on at the position of the others."""
        self._run.hold(held=False)

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
            self._run.look_again()

    async def _finish(self, activity: str, reason: str) -> None:
        """The end of the current one, which the hub is told."""
        position = self._run.position_ms
        await self._leave_off()
        ended = (*self._state.ended, activity)[-KEPT_ENDED:]
        await self._save(DeviceActivityState(ended=ended))
        said = ActivityEnded(
            activity=activity, reason=plain_text(reason), position_ms=position, errors=self._run.errors
        )
        await self._tell("activity.ended", said)
        self._notify()

    async def _leave_off(self) -> None:
        task, self._task = self._task, None
        if task is not None and task is not asyncio.current_task():
            await cancel_and_wait(task)

    def _begin(self) -> None:
        assert self._task is None or self._task.done(), "one at a time"
        self._run = self._new_run()
        self._task = asyncio.create_task(self._take_part(), name="activity")
        self._notify()

    def _new_run(self) -> ActivityRun:
        return ActivityRun(
            clock=self._clock,
            player=self._player,
            moves=self._moves,
            sounds=self._sounds,
            wanted=self._wanted,
            on_change=self._notify,
        )

    def _wanted(self) -> StoredActivity:
        assert self._state.current is not None, "it is cancelled before there is none"
        return self._state.current

    async def _take_part(self) -> None:
        """From getting ready to the end."""
        assert self._state.current is not None
        activity, prepared, run = self._state.current.id, self._state.current.prepared, self._run
        self._clock.hurry()
        try:
            await run.run(await self._get_ready(prepared))
        except (MindError, OSError) as error:
            _log.error("an activity can't be prepared", activity=activity, reason=str(error))
            await self._tell("activity.ready", ActivityReady(activity=activity, ok=False, error=str(error)[:500]))
            reason, run.errors = "it could not be prepared", (plain_text(str(error)),)
        except Exception as error:  # noqa: BLE001 -- an error of ours must not leave the hub waiting
            _log.exception("an activity failed", activity=activity)
            reason = f"{type(error).__name__}: {error}"
        else:
            reason = "finished"
        finally:
            self._clock.rest()
        async with self._changing:
            if self.current == activity:
                await self._finish(activity, reason)

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

    async def _speak(self, given: EndActivity) -> None:
        try:
            await self._player.play(await self._sounds.of(ActivityPart(text=given.say), given.language))
        except (MindError, OSError) as error:
            _log.error("the end of an activity can't be said", reason=str(error))

    async def _save(self, state: DeviceActivityState) -> None:
        """A full disk is no reason to be silent, or not to stop: the device forgets the activity at a restart."""
        self._state = state
        try:
            await self._file.save(state)
        except ConfigError as error:
            _log.error("the state of the activity can't be stored", reason=error.message)

    async def _tell(self, type_: str, payload: BaseModel) -> None:
        """An event for the hub. One that can't be stored is logged: the hub goes on without it."""
        try:
            await self._outbox.accept(type_, payload.model_dump(mode="json"))
        except MindError as error:
            _log.error("the hub can't be told of an activity", said=type_, reason=error.message)

    def _notify(self) -> None:
        if self._on_change is not None:
            self._on_change()


def _checked(kind: type[Given], payload: Mapping[str, Any]) -> Given:
    """Raises InvalidParameter."""
    try:
        return kind.model_validate(payload)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InvalidParameter(f"{place}: {first['msg']}") from None
