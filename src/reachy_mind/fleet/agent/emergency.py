"""`EmergencyAlarm`: what happens when somebody presses the red button.

Light and sound come first, in the same turn of the event loop, and wait for nothing. Then the event goes into the
emergency lane, and the person is told how far it is: not delivered yet, help has been told, somebody acknowledged it.
The alarm survives a restart of the agent. Only an acknowledgement by a person, or a cancellation here, ends it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final, Self

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import ConfigError, MindError
from reachy_mind.fleet.agent.announcements import Announcer
from reachy_mind.fleet.agent.chimes import chime
from reachy_mind.fleet.agent.light import StatusLight
from reachy_mind.fleet.agent.sound import SoundOutput
from reachy_mind.fleet.agent.uplink import AgentUplink
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.storage.database import DatabaseError
from reachy_mind.storage.files import read_own_file, write_text_atomically

PATIENCE_S: Final = 3.0
"""An emergency that is not delivered by then is said to be so."""
REASSURE_S: Final = 60.0
"""How often a person is told that help knows, until somebody has acknowledged it."""
RETRY_S: Final = 1.0

_log = log.get(__name__)


@dataclass(frozen=True)
class AlarmState:
    """What is kept of an alarm. `event`: the id of the first press, empty until it is stored."""

    pressed_at: int
    event: str = ""
    presses: int = 1


class EmergencyAlarm:
    """Use as `async with`. `before` are called at each press that begins an alarm: what stops an activity, a robot, a
    conversation. They must not fail the alarm: their errors are logged."""

    def __init__(
        self,
        light: StatusLight,
        sound: SoundOutput,
        announcer: Announcer,
        uplink: AgentUplink,
        file: Path,
        *,
        repeat_s: float,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._light, self._sound, self._announcer, self._uplink = light, sound, announcer, uplink
        self._file, self._repeat_s, self._patience_s = file, repeat_s, patience_s
        self.before: list[Callable[[], Awaitable[None]]] = []
        self.on_change: Callable[[], None] = lambda: None
        self._state: AlarmState | None = None
        self._telling: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._keeping = asyncio.Lock()

    async def __aenter__(self) -> Self:
        kept = await asyncio.to_thread(self._read)
        if kept is not None:
            _log.warning("an alarm from before the restart goes on", press=kept.event)
            self._begin(kept)
            self._telling = asyncio.create_task(self._tell(begun=True), name="emergency")
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in [*self._tasks, *([self._telling] if self._telling is not None else [])]:
            await cancel_and_wait(task)

    @property
    def active(self) -> bool:
        return self._state is not None

    @property
    def event(self) -> str:
        """The id of the press that began the alarm."""
        return self._state.event if self._state is not None else ""

    def press(self) -> None:
        """The red button: light and sound now, everything else behind it."""
        again = self._state
        self._begin(AlarmState(now_ms()) if again is None else replace(again, presses=again.presses + 1))
        siren = asyncio.ensure_future(self._sound.play(chime("alarm"), kind="alarm"))
        self._own(siren)
        if again is None:
            self._own(asyncio.create_task(self._stop_others(), name="emergency stops others"))
            self._telling = asyncio.create_task(self._tell(begun=False, after=siren), name="emergency")
        self._own(asyncio.create_task(self._store(), name="emergency is stored"))

    async def acknowledged(self, by: str, note: str = "", *, test: bool = False) -> None:
        """A person has answered; `by` is empty when the name is not known, `note` is what they say.

        An alarm that is waiting to be delivered can't have been meant.
        """
        if test:
            await self._announcer.say("test", kind="alarm")
            return
        if self._state is None or await self._waits():
            return
        await self._end()
        await self._sound.play(chime("acknowledged"), kind="alarm")
        if by:
            await self._announcer.say("acknowledged", kind="alarm", by=by)
        else:
            await self._announcer.say("acknowledged_by_somebody", kind="alarm")
        if note.strip():
            await self._announcer.say_text(note, kind="alarm")

    async def cancel(self) -> bool:
        """The person here says that it is not needed. Whether there was an alarm. Those who help are told."""
        if self._state is None:
            return False
        await self._end()
        self._own(asyncio.create_task(self._store_cancelled(), name="cancellation is stored"))
        await self._announcer.say("cancelled", kind="alarm")
        return True

    def _begin(self, state: AlarmState) -> None:
        self._state = state
        self._light.overlay("emergency", on=True)
        self.on_change()

    async def _end(self) -> None:
        self._state = None
        self._light.overlay("emergency", on=False)
        self.on_change()
        if self._telling is not None:
            telling, self._telling = self._telling, None
            await cancel_and_wait(telling)
        await self._sound.silence("alarm")
        await self._keep()

    async def _stop_others(self) -> None:
        await self._sound.silence("speech", "activity", "chime")
        for stop in self.before:
            try:
                await stop()
            except Exception:  # noqa: BLE001 -- an emergency goes on, whatever else fails
                _log.exception("something did not stop for the emergency")

    async def _store(self) -> None:
        """Until the disk takes it."""
        about = {"button": "red", "message": "", "request_persona": "emergency"}
        event = await self._insist("emergency.pressed", about)
        if self._state is not None and not self._state.event:
            self._state = replace(self._state, event=event)
            self._uplink.nudge()
        await self._keep()

    async def _store_cancelled(self) -> None:
        await self._insist("emergency.cancelled", {"button": "green"})

    async def _insist(self, type_: str, about: dict[str, str]) -> str:
        while True:
            try:
                return await self._uplink.accept(type_, about, prio=0)
            except MindError as error:
                _log.error("an emergency can't be stored; trying again", reason=error.message)
                await asyncio.sleep(RETRY_S)

    async def _tell(self, *, begun: bool, after: asyncio.Future[None] | None = None) -> None:
        """Say how far it is, until the alarm ends."""
        if after is not None:
            await asyncio.wait([after])
        if not begun:
            await self._announcer.say("emergency", kind="alarm")
        async with self._uplink.watched() as changed:
            delivered = await self._delivered_within(changed, 0.0 if begun else self._patience_s)
            while not delivered:
                await self._announcer.say("not_delivered", kind="alarm")
                delivered = await self._delivered_within(changed, self._repeat_s)
                if not delivered:
                    await self._sound.play(chime("alarm"), kind="alarm")
            while True:
                await self._announcer.say("help_told", kind="alarm")
                await asyncio.sleep(REASSURE_S)

    async def _delivered_within(self, changed: asyncio.Event, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    changed.clear()
                    if not await self._waits():
                        return True
                    await changed.wait()
        return not await self._waits()

    async def _waits(self) -> bool:
        """Whether the control plane does not have all of it yet."""
        if self._state is not None and not self._state.event:
            return True
        totals = await self._uplink.totals()
        return totals is None or totals.emergencies > 0

    async def _keep(self) -> None:
        """What a restart has to know."""
        async with self._keeping:
            state = self._state
            try:
                await asyncio.to_thread(self._write, state)
            except (ConfigError, OSError, DatabaseError) as error:
                _log.error("the alarm would not survive a restart", reason=str(error))

    def _write(self, state: AlarmState | None) -> None:
        if state is None:
            self._file.unlink(missing_ok=True)
        else:
            write_text_atomically(self._file, json.dumps(asdict(state)))

    def _read(self) -> AlarmState | None:
        try:
            found = read_own_file(self._file)
            return None if found is None else AlarmState(**json.loads(found[0]))
        except (MindError, ValueError, TypeError) as error:
            _log.error("an alarm from before can't be read: it goes on as a new one", reason=str(error))
            return AlarmState(now_ms(), event="unknown")

    def _own(self, task: asyncio.Future[None]) -> None:
        assert isinstance(task, asyncio.Task)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
