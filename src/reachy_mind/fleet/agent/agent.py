"""`DeviceAgent`: a device of the fleet as a process: its buttons, light, sound, conversation, alarm and link.

The buttons are armed before the store is open and before there is a network: the red one works from then on, whatever
else fails.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any, Final

from filelock import FileLock, Timeout

from reachy_mind import __version__, log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import AlreadyRunning, ConfigError, MindError
from reachy_mind.fleet.activities.clip_cache import ClipCache
from reachy_mind.fleet.activities.clock_estimate import ClockEstimate
from reachy_mind.fleet.activities.device_activities import DeviceActivities
from reachy_mind.fleet.agent.agent_fleet import AgentFleet
from reachy_mind.fleet.agent.agent_identity import agent_folder
from reachy_mind.fleet.agent.agent_requests import AgentRequests
from reachy_mind.fleet.agent.announcements import Announcer
from reachy_mind.fleet.agent.button_actions import ButtonActions, ButtonTargets
from reachy_mind.fleet.agent.buttons import ButtonPanel
from reachy_mind.fleet.agent.chimes import TONES, chime
from reachy_mind.fleet.agent.commands import AgentCommandParts, AgentCommands
from reachy_mind.fleet.agent.control_socket import ControlSocket
from reachy_mind.fleet.agent.conversation import LIGHTS, VoiceConversation, VoicePlaces
from reachy_mind.fleet.agent.display import open_display
from reachy_mind.fleet.agent.emergency import EmergencyAlarm
from reachy_mind.fleet.agent.light import StatusLight
from reachy_mind.fleet.agent.light_drivers import open_light
from reachy_mind.fleet.agent.local_choices import LocalChoices
from reachy_mind.fleet.agent.microphones import open_microphone
from reachy_mind.fleet.agent.mind_robot import MindRobot
from reachy_mind.fleet.agent.pins import open_pins
from reachy_mind.fleet.agent.service_notify import ServiceNotify
from reachy_mind.fleet.agent.sound import open_sound
from reachy_mind.fleet.agent.twin_applier import AgentTwinApplier
from reachy_mind.fleet.agent.update import UpdateHook
from reachy_mind.fleet.agent.uplink import AgentUplink
from reachy_mind.fleet.agent.vitals import MachineVitals
from reachy_mind.fleet.device.enrolment import DeviceIdentity
from reachy_mind.fleet.device.outbox import Outbox
from reachy_mind.fleet.protocol.handshake import Persona
from reachy_mind.fleet.voice.hub_voice import HubVoice
from reachy_mind.fleet.voice.local_voice import LocalVoiceBackend
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
        self._ending = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._notify, self._vitals = ServiceNotify(), MachineVitals()
        self._display, self._pins = open_display(settings), open_pins(settings)
        self._light = light = StatusLight(
            open_light(settings, self._pins), brightness=settings.brightness, colors=settings.colors
        )
        self._sound = sound = open_sound(configuration)
        self._uplink = uplink = AgentUplink()
        self._choices = LocalChoices(folder / "choices.json", sound, light)
        self._announcer = announcer = Announcer(configuration, sound, folder / "phrases", self._show)
        self._alarm = alarm = EmergencyAlarm(
            light, sound, announcer, uplink, folder / "alarm.json", repeat_s=settings.emergency_repeat_s
        )
        self._robot = (
            MindRobot(configuration.home, configuration.settings.mind.profile) if settings.robot == "mind" else None
        )
        self._updates = UpdateHook(settings.update_command, folder / "update.json")
        self._local_voice = LocalVoiceBackend(configuration)
        self._conversation = VoiceConversation(
            sound,
            announcer,
            VoicePlaces(self._hub_voice, self._local_voice),
            open_microphone(configuration),
            idle_s=settings.conversation_idle_s,
            on_change=self._note_conversation,
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
            handlers=self._commands.handlers(),
            activities=self._make_activities,
            caps=["buttons", "voice", "activities", *(["robot"] if self._robot is not None else [])],
            vitals=self._heartbeat,
            on_change=self._note_fleet,
        )
        self._actions = ButtonActions(
            ButtonTargets(
                *(light, announcer, alarm, self._conversation, self._choices, self._fleet, uplink, self._applier),
                folder / "personas",
                self._settle_light,
            )
        )
        self._panel = ButtonPanel(settings, self._pins, self._actions.note)
        light.on_change = alarm.on_change = self._note_change
        self._conversation.before.append(self._pause_activity)
        self._conversation.after.append(self._rejoin_activity)
        alarm.before += [self._stop_activity, self._conversation.stop]
        if self._robot is not None:
            alarm.before.append(self._robot.stop)

    def end(self) -> None:
        """Let `run` return, in order."""
        self._ending.set()

    async def run(self) -> None:
        """Until `end`. Raises AlreadyRunning, ConfigError, NotReady."""
        async with contextlib.AsyncExitStack() as stack:
            for close in (self._pins.close, self._light.close, self._display.close):
                stack.callback(close)
            await asyncio.to_thread(self._take_lock, stack)
            for name in TONES:
                chime(name)  # so that the first one is as quick as the others
            parts: tuple[contextlib.AbstractAsyncContextManager[Any], ...]
            parts = (self._sound, self._announcer, self._local_voice, self._alarm, self._commands)
            for part in parts:
                await stack.enter_async_context(part)
            stack.push_async_callback(self._conversation.stop)
            await stack.enter_async_context(self._actions)
            self._light.set("idle")
            self._light.overlay("offline", on=True)
            await stack.enter_async_context(self._panel)
            await self._choices.load()
            stack.push_async_callback(self._end_tasks)
            requests = AgentRequests(
                self._heartbeat_state,
                self._panel,
                self._pins,
                self._light,
                self._sound,
                self._announcer,
                self._alarm,
                self._conversation,
                self._applier,
                self._fleet,
                self._uplink,
                self._vitals,
                self._robot,
            )
            await stack.enter_async_context(ControlSocket(self._folder, requests.answer))
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

    def _hub_voice(self) -> HubVoice | None:
        """Conversations at the control plane, while there is a connection."""
        return HubVoice(self._fleet.link) if self._fleet.link is not None and self._is_connected() else None

    def _make_activities(self, outbox: Outbox, clock: ClockEstimate, clips: ClipCache) -> DeviceActivities:
        return DeviceActivities(
            clock,
            self._sound,
            outbox,
            clips=clips,
            file=self._folder / "activity.json",
            voice=self._announcer,
            moves=self._robot,
            on_change=self._note_activity,
        )

    def _note_activity(self) -> None:
        activities = self._fleet.activities
        if self._conversation.active and activities is not None and activities.playing:
            self._own(activities.pause(), "an activity begins during a conversation")
        self._settle_light()

    async def _pause_activity(self) -> None:
        if self._fleet.activities is not None:
            await self._fleet.activities.pause()

    async def _rejoin_activity(self) -> None:
        if self._fleet.activities is not None:
            await self._fleet.activities.rejoin()

    async def _stop_activity(self) -> None:
        if self._fleet.activities is not None:
            await self._fleet.activities.stop("emergency")

    # State

    def _heartbeat_state(self) -> str:
        if self._alarm.active:
            return "emergency"
        if self._conversation.active:
            return self._conversation.state
        if self._fleet.state in BROKEN:
            return "error"
        return "muted" if self._choices.muted else "idle"

    def _heartbeat(self) -> dict[str, Any]:
        return {**self._vitals.read(), "state": self._heartbeat_state()}

    def _settle_light(self) -> None:
        """What it shows when no button is being pressed."""
        activities = self._fleet.activities
        if self._conversation.active:
            self._light.set(LIGHTS.get(self._conversation.state, "idle"))
        elif self._fleet.state in BROKEN:
            self._light.set("error")
        else:
            self._light.set("speaking" if activities is not None and activities.playing else "idle")

    def _note_fleet(self) -> None:
        state = self._fleet.state
        self._light.overlay("offline", on=state != "connected")
        self._settle_light()
        _log.info("fleet", state=state, reason=self._fleet.reason)
        self._notify.tell(STATUS=f"{state} {self._fleet.reason}"[:200])
        self._note_change()

    def _note_conversation(self) -> None:
        self._settle_light()
        self._note_change()

    def _note_change(self) -> None:
        self._fleet.beat()
        self._show()

    def _show(self) -> None:
        self._display.show(self._light.shown, self._announcer.said)

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
