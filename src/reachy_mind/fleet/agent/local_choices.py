"""`LocalChoices`: what people chose at the device itself, kept over restarts: its volume, and its microphone off."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from reachy_mind import log
from reachy_mind.errors import ConfigError, MindError
from reachy_mind.fleet.agent.light import StatusLight
from reachy_mind.fleet.agent.sound import SoundOutput
from reachy_mind.storage.files import read_own_file, write_text_atomically

_log = log.get(__name__)


class LocalChoices:
    """`load` it once; what is chosen takes effect at once, on the loudspeaker and on the light."""

    def __init__(self, file: Path, sound: SoundOutput, light: StatusLight) -> None:
        self._file, self._sound, self._light = file, sound, light
        self._volume: int | None = None
        self._microphone_off = False
        self._microphone_allowed = True

    @property
    def muted(self) -> bool:
        """Whether the microphone is off, by somebody here or by the control plane."""
        return self._microphone_off or not self._microphone_allowed

    @property
    def microphone_off(self) -> bool:
        """Whether somebody here has switched it off."""
        return self._microphone_off

    async def load(self) -> None:
        """What was kept; nothing when that can't be read."""
        try:
            found = await asyncio.to_thread(read_own_file, self._file)
            content = json.loads(found[0]) if found is not None else {}
            self._microphone_off = content.get("microphone_off") is True
            if isinstance(content.get("volume"), int):
                self._volume = self._sound.volume = content["volume"]
        except (MindError, ValueError, AttributeError) as error:
            _log.warning("what was chosen at the device can't be read", reason=str(error))
        self._show()

    async def change_volume(self, step: int) -> None:
        self._sound.volume += step
        self._volume = self._sound.volume
        await self._keep()

    async def switch_microphone(self, *, off: bool) -> None:
        self._microphone_off = off
        self._show()
        await self._keep()

    def allow_microphone(self, allowed: bool) -> None:
        """By the control plane."""
        self._microphone_allowed = allowed
        self._show()

    def _show(self) -> None:
        self._light.overlay("muted", on=self.muted)

    async def _keep(self) -> None:
        text = json.dumps({"volume": self._volume, "microphone_off": self._microphone_off})
        try:
            await asyncio.to_thread(write_text_atomically, self._file, text)
        except ConfigError as error:
            _log.warning("what was chosen at the device holds until the next restart", reason=error.message)
