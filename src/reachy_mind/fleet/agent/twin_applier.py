"""`AgentTwinApplier`: makes the device so as the control plane wants it: personality, volume, and a few settings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reachy_mind.errors import MindError
from reachy_mind.fleet.agent.announcements import Announcer
from reachy_mind.fleet.agent.light import StatusLight
from reachy_mind.fleet.agent.sound import SoundOutput
from reachy_mind.fleet.device.personas import PersonaTexts
from reachy_mind.fleet.protocol.handshake import Desired, Persona

GREETING: Final = "greeting.txt"
MAX_GREETING_CHARS: Final = 300


class DesiredConfig(BaseModel):
    """What `config` of a desired state may have. What is not there is as in the settings of the device."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    transition_message: Annotated[str, Field(max_length=500)] | None = None
    """Said when the personality changes; empty: nothing; not there: the personality's greeting."""
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}$")] | None = None
    brightness: Annotated[float, Field(ge=0.05, le=1)] | None = None
    emergency_text: Annotated[str, Field(max_length=300)] | None = None
    microphone: bool = True


class AgentTwinApplier:
    """`previous` is the personality that was reported last: only a change of it is announced, not a restart."""

    def __init__(
        self,
        light: StatusLight,
        sound: SoundOutput,
        announcer: Announcer,
        *,
        language: str,
        brightness: float,
        emergency_text: str,
        max_volume: int,
        previous: Callable[[], Persona | None],
        allow_microphone: Callable[[bool], None],
        robot_persona: Callable[[PersonaTexts | None], Awaitable[None]] | None = None,
    ) -> None:
        self._light, self._sound, self._announcer = light, sound, announcer
        self._language, self._brightness, self._emergency_text = language, brightness, emergency_text
        self._max_volume, self._previous = max_volume, previous
        self._allow_microphone, self._robot_persona = allow_microphone, robot_persona
        self.persona: PersonaTexts | None = None
        """The personality in force."""
        self._changed = asyncio.Event()

    async def changed_within(self, seconds: float) -> bool:
        """Wait for another personality. Whether one came."""
        self._changed.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True

    async def apply(self, desired: Desired, persona: PersonaTexts | None) -> Mapping[str, str]:
        errors: dict[str, str] = {}
        if desired.volume is not None:
            self._sound.volume = desired.volume
            if desired.volume > self._max_volume:
                errors["volume"] = f"this device is set to {self._max_volume} at most"
        config = DesiredConfig()
        try:
            config = DesiredConfig.model_validate(desired.config)
            await self._configure(config)
        except ValidationError as error:
            errors["config"] = _explained(error)
        try:
            if persona is not None:
                await self._take_on(persona, desired.persona, config)
            elif desired.persona is None:
                await self._leave()
        except MindError as error:
            errors["persona"] = error.message
        return errors

    async def _configure(self, config: DesiredConfig) -> None:
        self._light.set_brightness(config.brightness or self._brightness)
        self._allow_microphone(config.microphone)
        text = config.emergency_text
        await self._announcer.set_language(
            config.language or self._language, self._emergency_text if text is None else text
        )

    async def _take_on(self, persona: PersonaTexts, wanted: Persona | None, config: DesiredConfig) -> None:
        if self._robot_persona is not None and (self.persona is None or self.persona.etag != persona.etag):
            await self._robot_persona(persona)
        self.persona = persona
        self._changed.set()
        if wanted != self._previous() and (message := _transition(persona, config)):
            self._announcer.say_later(message)

    async def _leave(self) -> None:
        """It should have no personality of the fleet any more, as after an emergency that found it without one."""
        if self._robot_persona is not None and (self.persona or self._previous()) is not None:
            await self._robot_persona(None)
        self.persona = None


def _transition(persona: PersonaTexts, config: DesiredConfig) -> str:
    if config.transition_message is not None:
        return config.transition_message
    lines = persona.files.get(GREETING, "").strip().splitlines()
    return lines[0].strip()[:MAX_GREETING_CHARS] if lines else ""


def _explained(error: ValidationError) -> str:
    first: Any = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:200]
