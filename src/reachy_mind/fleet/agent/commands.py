"""`AgentCommands`: what the control plane may ask of a device, by name. Each is idempotent by the command's id.

What plays is only begun here: a command that waited until it was heard would hold back those behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter, NotReady
from reachy_mind.fleet.agent.announcements import MAX_TEXT_CHARS, Announcer
from reachy_mind.fleet.agent.clip_download import fetch_clip
from reachy_mind.fleet.agent.emergency import EmergencyAlarm
from reachy_mind.fleet.agent.mind_robot import MindRobot
from reachy_mind.fleet.agent.mixer import SoundKind
from reachy_mind.fleet.agent.sound import SoundOutput
from reachy_mind.fleet.agent.update import UpdateHook
from reachy_mind.fleet.device.enrolment import DeviceIdentity
from reachy_mind.fleet.device.inbox import Command, Handler

MAX_WAITING: Final = 8
"""Sounds that wait behind each other."""


@dataclass(frozen=True)
class AgentCommandParts:
    """What the commands act on. `restart` is called when the agent has to end and begin again."""

    announcer: Announcer
    sound: SoundOutput
    alarm: EmergencyAlarm
    updates: UpdateHook
    identity: Callable[[], DeviceIdentity]
    connected: Callable[[], bool]
    restart: Callable[[], None]
    robot: MindRobot | None = None


class AgentCommands:
    """Use as `async with`: it owns what is being played."""

    def __init__(self, parts: AgentCommandParts) -> None:
        self._parts = parts
        self._waiting = 0
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> AgentCommands:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in list(self._tasks):
            await cancel_and_wait(task)

    def handlers(self) -> dict[str, Handler]:
        robot: dict[str, Handler] = {"move.play": self._play_move, "robot.stop": self._stop_robot}
        return {
            "speak": self._speak,
            "audio.play": self._play_audio,
            "restart": self._restart,
            "update": self._update,
            "emergency.acknowledged": self._acknowledged,
        } | (robot if self._parts.robot is not None else {})

    async def _speak(self, command: Command) -> None:
        text = _text(command.payload, "text", MAX_TEXT_CHARS)
        announcer = self._parts.announcer
        if not text.strip():
            raise InvalidParameter("there is nothing to say")
        pcm = await announcer.speech(text, announcer.language)
        self._play(pcm)

    async def _play_audio(self, command: Command) -> None:
        identity = self._parts.identity()
        self._play(await fetch_clip(command.payload, identity.address, identity.token))

    async def _restart(self, command: Command) -> None:
        if command.attempt == 1:  # otherwise this is the process after the restart
            self._parts.restart()

    async def _update(self, command: Command) -> None:
        version = _text(command.payload, "version", 64)
        await self._parts.announcer.say("updating")
        if await self._parts.updates.install(command.id, version, connected=self._parts.connected()):
            self._parts.restart()

    async def _acknowledged(self, command: Command) -> None:
        by, note = _text(command.payload, "by", 64), _text(command.payload, "note", MAX_TEXT_CHARS)
        work = self._parts.alarm.acknowledged(by, note, test=bool(command.payload.get("test")))
        self._own(work, "emergency acknowledged")

    async def _play_move(self, command: Command) -> None:
        await self._robot().move(_text(command.payload, "name", 128))

    async def _stop_robot(self, command: Command) -> None:  # noqa: ARG002 -- it takes nothing
        await self._robot().stop()

    def _robot(self) -> MindRobot:
        assert self._parts.robot is not None, "only then there is a handler"
        return self._parts.robot

    def _play(self, pcm: bytes) -> None:
        """Behind what plays already. Raises NotReady when too much waits."""
        if self._waiting >= MAX_WAITING:
            raise NotReady(f"{MAX_WAITING} sounds wait to be played already", hint="send fewer")
        self._waiting += 1
        self._own(self._play_in_turn(pcm), "command sound")

    async def _play_in_turn(self, pcm: bytes) -> None:
        try:
            async with self._turn:
                # In an emergency somebody speaks to the person who needs help: as loud as the alarm.
                kind: SoundKind = "alarm" if self._parts.alarm.active else "speech"
                await self._parts.sound.play(pcm, kind=kind)
        finally:
            self._waiting -= 1

    def _own(self, work: Awaitable[None], name: str) -> None:
        async def run() -> None:
            await work

        task = asyncio.create_task(run(), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _text(payload: Mapping[str, Any], name: str, longest: int) -> str:
    """Raises InvalidParameter."""
    value = payload.get(name, "")
    if not isinstance(value, str) or len(value) > longest:
        raise InvalidParameter(f"{name} has to be a text of at most {longest} characters")
    return value
