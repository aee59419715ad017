"""`ButtonActions`: what the buttons do.

         single                      double               long
red      emergency, at once          -                    -
green    talk, or end the talk       how the device is    microphone off and on; in an emergency: it is not needed
blue     ask for an activity         louder               quieter
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError
from reachy_mind.fleet.agent.agent_fleet import AgentFleet
from reachy_mind.fleet.agent.announcements import Announcer
from reachy_mind.fleet.agent.conversation import VoiceConversation
from reachy_mind.fleet.agent.emergency import EmergencyAlarm
from reachy_mind.fleet.agent.gestures import ButtonDown, ButtonGesture, ButtonSignal
from reachy_mind.fleet.agent.light import StatusLight
from reachy_mind.fleet.agent.local_choices import LocalChoices
from reachy_mind.fleet.agent.local_personas import find_persona
from reachy_mind.fleet.agent.phrases import Phrase
from reachy_mind.fleet.agent.twin_applier import AgentTwinApplier
from reachy_mind.fleet.agent.uplink import AgentUplink
from reachy_mind.fleet.device.personas import PersonaTexts

PERSONAS: Final = {"red": "emergency", "green": "companion", "blue": "entertainer"}
VOLUME_STEP: Final = 10
PERSONA_WAIT_S: Final = 1.0
"""How long a conversation waits for the personality that its button asks for."""
SAYS: Final[dict[str, Phrase]] = {"connected": "online", "not enrolled": "not_enrolled", "refused": "refused"}

_log = log.get(__name__)


@dataclass(frozen=True)
class ButtonTargets:
    """What buttons act on."""

    light: StatusLight
    announcer: Announcer
    alarm: EmergencyAlarm
    conversation: VoiceConversation
    choices: LocalChoices
    fleet: AgentFleet
    uplink: AgentUplink
    applier: AgentTwinApplier
    personas: Path
    settle: Callable[[], None]
    """Lets the light show again what is, after a press."""


class ButtonActions:
    """Use as `async with`; give it what a `ButtonPanel` tells."""

    def __init__(self, targets: ButtonTargets) -> None:
        self._on = targets
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in list(self._tasks):
            await cancel_and_wait(task)

    def note(self, signal: ButtonSignal) -> None:
        """In the event loop, at once."""
        match signal:
            case ButtonDown(button="red"):
                self._on.alarm.press()
            case ButtonDown():
                self._on.announcer.play_later("pressed")
                if not self._on.conversation.active:
                    self._on.light.set("processing")
            case ButtonGesture(button="red"):
                pass  # it acted when it was pressed
            case ButtonGesture(button, press):
                self._on.settle()
                self._own(self._store(button, press), f"{button} is stored")
                self._own(self._act(button, press), f"{button} {press}")

    async def _store(self, button: str, press: str) -> None:
        asked = {"request_persona": PERSONAS[button]} if press == "single" else {}
        try:
            await self._on.uplink.accept("button.pressed", {"button": button, "press": press, **asked})
        except MindError as error:
            _log.error("a press of a button can't be stored", button=button, reason=error.message)
            self._on.announcer.play_later("error")

    async def _act(self, button: str, press: str) -> None:
        on = self._on
        match button, press:
            case "green", "single":
                await self._talk(button)
            case "green", "double":
                await on.announcer.say(SAYS.get(on.fleet.state, "offline"))
            case "green", "long":
                if not await on.alarm.cancel():
                    await self._switch_microphone()
            case "blue", "single":
                if on.fleet.connected.is_set():
                    await on.announcer.say("activity_asked")
                else:
                    await self._talk(button)
            case "blue", _:
                await on.choices.change_volume(VOLUME_STEP if press == "double" else -VOLUME_STEP)
                on.announcer.play_later("listening")

    async def _talk(self, button: str) -> None:
        on = self._on
        if on.conversation.active:
            await on.conversation.stop()
            on.announcer.play_later("ended")
        elif on.choices.muted:
            await on.announcer.say("muted")
        else:
            on.conversation.start(await self._persona(PERSONAS["red" if on.alarm.active else button]))

    async def _persona(self, name: str) -> PersonaTexts | None:
        """The one that a button asks for: what the control plane makes of that, else as it is known here."""
        on = self._on
        if on.applier.persona is not None and on.applier.persona.id == name:
            return on.applier.persona
        if on.fleet.connected.is_set():
            await on.applier.changed_within(PERSONA_WAIT_S)
            if on.applier.persona is not None:
                return on.applier.persona
        return await asyncio.to_thread(find_persona, on.personas, name) or on.applier.persona

    async def _switch_microphone(self) -> None:
        on = self._on
        await on.choices.switch_microphone(off=not on.choices.microphone_off)
        if on.choices.muted:
            await on.conversation.stop()
        await on.announcer.say("muted" if on.choices.muted else "unmuted")

    def _own(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
