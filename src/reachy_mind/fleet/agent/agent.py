"""`DeviceAgent`: a device of the fleet as a process: its buttons, light, sound, conversation, alarm and link.

The buttons are armed before the store is open and before there is a network: the red one works from then on, whatever
else fails.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Mapping
from typing import Any, Final

from filelock import FileLock, Timeout

from reachy_mind import __version__, log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import AlreadyRunning, ConfigError, InvalidParameter, MindError
from reachy_mind.fleet.agent.agent_fleet import AgentFleet
from reachy_mind.fleet.agent.agent_identity import agent_folder
from reachy_mind.fleet.agent.announcements import Announcer
from reachy_mind.fleet.agent.button_actions import ButtonActions, ButtonTargets
from reachy_mind.fleet.agent.buttons import ButtonPanel
from reachy_mind.fleet.agent.chimes import TONES, chime
from reachy_mind.fleet.agent.commands import AgentCommandParts, AgentCommands
from reachy_mind.fleet.agent.control_socket import ControlSocket
from reachy_mind.fleet.agent.conversation import VoiceConversation, VoicePlaces
from reachy_mind.fleet.agent.display import open_display
from reachy_mind.fleet.agent.emergency import EmergencyAlarm
from reachy_mind.fleet.agent.light import StatusLight
from reachy_mind.fleet.agent.light_drivers import open_light
from reachy_mind.fleet.agent.local_choices import LocalChoices
from reachy_mind.fleet.agent.microphones import open_microphone
from reachy_mind.fleet.agent.mind_robot import MindRobot
from reachy_mind.fleet.agent.pins import open_pins
from reachy_mind.fleet.agent.service_notify import ServiceNotify
from reachy_mind.fleet.agent.sound import open_sound, sound_about
from reachy_mind.fleet.agent.twin_applier import AgentTwinApplier
from reachy_mind.fleet.agent.update import UpdateHook
from reachy_mind.fleet.agent.uplink import AgentUplink
from reachy_mind.fleet.agent.vitals import MachineVitals
from reachy_mind.fleet.device.enrolment import DeviceIdentity
from reachy_mind.fleet.device.inbox import Handler
from reachy_mind.fleet.protocol.handshake import Persona
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder

RESTART_DELAY_S: Final = 1.0
"""So that the answer to the command is stored before."""
BROKEN: Final = ("no store", "refused")
"""States of the fleet that somebody has to do something about."""

_log = log.get(__name__)


class DeviceAgent:
    """`run` it once, in an event loop. `restart` says afterwards whether it wants to be started again."""

    def __init__(self, configuration: Configuration) -> None:
        settings, language = configuration.settings.device, configuration.settings.speech.language
        self.restart = False
        self._folder = folder = agent_folder(configuration)
        self._ending, self._said = asyncio.Event(), ""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._notify, self._vitals = ServiceNotify(), MachineVitals()
        self._display, self._pins = open_display(settings), open_pins(settings)
        self._light = light = StatusLight(
            open_light(settings, self._pins), brightness=settings.brightness, colors=settings.colors
        )
        self._sound = sound = open_sound(configuration)
        self._uplink = uplink = AgentUplink()
        self._choices = LocalChoices(folder / "choices.json", sound, light)
        self._announcer = announcer = Announcer(configuration, sound, folder / "phrases", self._note_said)
        self._alarm = alarm = EmergencyAlarm(
            light, sound, announcer, uplink, folder / "alarm.json", repeat_s=settings.emergency_repeat_s
        )
        self._robot = MindRobot(configuration.home) if settings.robot == "mind" else None
        self._updates = UpdateHook(settings.update_command, folder / "update.json")
        self._conversation = VoiceConversation(
            light,
            sound,
            announcer,
            VoicePlaces(lambda: None, None),
            open_microphone(configuration),
            idle_s=settings.conversation_idle_s,
            on_change=self._note_change,
        )
        self._applier = AgentTwinApplier(
            light,
            sound,
            announcer,
            language=language,
            brightness=settings.brightness,
            emergency_text=settings.emergency_text,
            max_volume=settings.max_volume,
            previous=self._reported_persona,
            allow_microphone=self._allow_microphone,
            robot_persona=self._robot.set_persona if self._robot is not None else None,
        )
        self._commands = AgentCommands(
            AgentCommandParts(
                announcer,
                sound,
                alarm,
                self._updates,
                identity=self._identity,
                connected=self._is_connected,
                restart=self._restart_soon,
                robot=self._robot,
            )
        )
        self._fleet = AgentFleet(
            configuration,
            folder,
            uplink,
            self._applier,
            handlers=self._handlers,
            caps=["buttons", "voice", *(["robot"] if self._robot is not None else [])],
            vitals=self._heartbeat,
            on_change=self._note_fleet,
        )
        self._actions = ButtonActions(
            ButtonTargets(
                *(light, announcer, alarm, self._conversation, self._choices, self._fleet, uplink, self._applier),
                folder / "personas",
            )
        )
        self._panel = ButtonPanel(settings, self._pins, self._actions.note)
        light.on_change = alarm.on_change = self._note_change
        alarm.before.append(self._conversation.stop)
        if self._robot is not None:
            alarm.before.append(self._robot.stop)

    def end(self) -> None:
        """Let `run` return, in order."""
        self._ending.set()

    async def run(self) -> None:
        """Until `end`. Raises AlreadyRunning, ConfigError, NotReady."""
        async with contextlib.AsyncExitStack() as stack:
            for part in (self._pins, self._light, self._display):
                stack.callback(part.close)
            await asyncio.to_thread(self._take_lock, stack)
            for name in TONES:
                chime(name)  # so that the first one is as quick as the others
            for each in (self._sound, self._announcer, self._alarm, self._commands):
                await stack.enter_async_context(each)
            stack.push_async_callback(self._conversation.stop)
            await stack.enter_async_context(self._actions)
            self._light.set("idle")
            self._light.overlay("offline", on=True)
            await stack.enter_async_context(self._panel)
            await self._choices.load()
            stack.push_async_callback(self._end_tasks)
            await stack.enter_async_context(ControlSocket(self._folder, self._answer))
            fleet = self._own(self._fleet.run(), "fleet")
            self._own(self._watch_update(), "update")
            self._own(self._tell_started(), "started")
            self._own(self._notify.keep_alive(lambda: not fleet.done()), "watchdog")
            self._notify.tell(READY="1", STATUS="running")
            self._announcer.play_later("ready")
            _log.info("the device agent runs", pins=self._pins.why, sound=self._sound.device, folder=str(self._folder))
            ending = self._own(self._wait_for_end(), "end")
            await asyncio.wait([fleet, ending], return_when=asyncio.FIRST_COMPLETED)
            self._notify.tell(STOPPING="1")
            if fleet.done():
                fleet.result()  # raises why there can be no agent

    def _is_connected(self) -> bool:
        return self._fleet.connected.is_set()

    def _handlers(self) -> Mapping[str, Handler]:
        return self._commands.handlers()

    # State

    @property
    def state(self) -> str:
        """As in heartbeats."""
        if self._alarm.active:
            return "emergency"
        if self._conversation.active:
            return self._conversation.state
        if self._fleet.state in BROKEN:
            return "error"
        return "muted" if self._choices.muted else "idle"

    def _heartbeat(self) -> dict[str, Any]:
        return {**self._vitals.read(), "state": self.state}

    def _note_fleet(self) -> None:
        state = self._fleet.state
        self._light.overlay("offline", on=state != "connected")
        if not self._conversation.active:
            self._light.set("error" if state in BROKEN else "idle")
        _log.info("fleet", state=state, reason=self._fleet.reason)
        self._notify.tell(STATUS=f"{state} {self._fleet.reason}"[:200])
        self._note_change()

    def _note_change(self) -> None:
        self._fleet.beat()
        self._display.show(self._light.shown, self._said)

    def _note_said(self, text: str) -> None:
        self._said = text
        self._display.show(self._light.shown, text)

    def _allow_microphone(self, allowed: bool) -> None:
        self._choices.allow_microphone(allowed)
        if self._choices.muted and self._conversation.active:
            self._own(self._conversation.stop(), "microphone off")

    def _identity(self) -> DeviceIdentity:
        identity = self._fleet.identity
        assert identity is not None, "commands come over a link"
        return identity

    def _reported_persona(self) -> Persona | None:
        return self._fleet.link.twin.reported.persona if self._fleet.link is not None else None

    async def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """What other programs ask."""
        match request.get("do"):
            case "status":
                return await self._status()
            case "press":
                button, press = str(request.get("button")), request.get("press", "single")
                if press not in ("single", "double", "long"):
                    raise InvalidParameter(f"no press {str(press)[:32]!r}", hint="single, double or long")
                await self._panel.press(button, press)
                return {"pressed": button, "press": press}
            case "light":
                return {"history": [each.as_dict() for each in self._light.history], "value": self._light.value()}
        raise InvalidParameter(f"it can't {str(request.get('do'))[:32]!r}", hint="status, press or light")

    async def _status(self) -> dict[str, Any]:
        totals, identity, persona = await self._uplink.totals(), self._fleet.identity, self._applier.persona
        return {
            "state": self.state,
            "version": __version__,
            "device": identity.device if identity is not None else None,
            "name": identity.name if identity is not None else None,
            "control_plane": identity.url if identity is not None else None,
            "fleet": self._fleet.state,
            "reason": self._fleet.reason,
            "waiting": totals.events if totals is not None else None,
            "emergencies": totals.emergencies if totals is not None else None,
            "alarm": self._alarm.event if self._alarm.active else None,
            "persona": persona.id if persona is not None else None,
            "light": self._light.shown,
            "pins": {"kind": self._pins.kind, "why": self._pins.why},
            "sound": sound_about(self._sound),
            "conversation": self._conversation.place,
            "said": self._said,
            "vitals": dict(self._vitals.read()),
            **({"robot": await self._robot.health()} if self._robot is not None else {}),
        }

    # Start and end

    def _take_lock(self, stack: contextlib.AsyncExitStack) -> None:
        """Raises AlreadyRunning, ConfigError."""
        lock = FileLock(self._folder / "agent.lock", mode=0o600, thread_local=False)
        try:
            make_folder(self._folder)
            lock.acquire(blocking=False)
        except Timeout:
            hint = "use it: reachy-mind device status, or stop it"
            raise AlreadyRunning("a device agent already runs here", hint=hint) from None
        except OSError as error:
            fault = classify(error, self._folder)
            raise ConfigError(f"{self._folder} can't be written: {fault.cause}", hint=fault.hint) from error
        stack.callback(lock.release)

    async def _tell_started(self) -> None:
        about = {"agent": f"reachy-mind {__version__}", "pins": self._pins.kind, "sound": self._sound.device[:200]}
        with contextlib.suppress(MindError):  # nobody needs to know
            await self._uplink.accept("device.started", about, prio=2)

    async def _watch_update(self) -> None:
        try:
            if await self._updates.watch(self._fleet.connected):
                self._restart_soon()
        except MindError as error:
            _log.error("an update could not be taken back", reason=error.message, hint=error.hint)

    def _restart_soon(self) -> None:
        self.restart = True
        asyncio.get_running_loop().call_later(RESTART_DELAY_S, self.end)

    async def _wait_for_end(self) -> None:
        await self._ending.wait()

    def _own(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _end_tasks(self) -> None:
        for task in list(self._tasks):
            with contextlib.suppress(MindError):
                await cancel_and_wait(task)
