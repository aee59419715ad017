"""`SoundOutput`: the one loudspeaker of a device. Everything that is heard goes through it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, Protocol, Self

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError
from reachy_mind.fleet.agent.mixer import ALARM_VOLUME, Mixer, Playback, SoundKind
from reachy_mind.fleet.agent.null_speaker import NullSpeaker

RETRY_S: Final = 30.0
"""Between attempts to open a sound card that is not there."""

_log = log.get(__name__)


class OutputCard(Protocol):
    """What asks a mixer for samples, from its start to its end. `lost` is set when it is gone."""

    lost: asyncio.Event

    @property
    def device(self) -> str: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_: object) -> None: ...


class SoundOutput:
    """Use as `async with`. Sound is 16 kHz, 16 bits little-endian, mono.

    `open_card` makes a card for a mixer; it may raise a MindError, then or when it is opened: until a card is there
    again, a card without hardware keeps the time.
    """

    def __init__(self, open_card: Callable[[Mixer], OutputCard], *, volume: int = 100, max_volume: int = 100) -> None:
        self._open_card, self._max_volume = open_card, max_volume
        self._mixer = Mixer()
        self._mixer.alarm_volume = min(ALARM_VOLUME, max_volume)
        self.volume = volume
        self.device = ""
        """What plays now; empty until something does."""
        self.trouble = ""
        """Why there is no card, when there should be one."""
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        ready = asyncio.Event()
        self._task = asyncio.create_task(self._keep_open(ready), name="sound output")
        await ready.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._mixer.silence(())
        if self._task is not None:
            await cancel_and_wait(self._task)

    @property
    def volume(self) -> int:
        """From 0 to 100. Alarms are loud at any volume."""
        return self._mixer.volume

    @volume.setter
    def volume(self, volume: int) -> None:
        self._mixer.volume = max(0, min(self._max_volume, volume))

    async def play(self, pcm: bytes, *, at: float | None = None, kind: SoundKind = "speech") -> None:
        """Play a sound, and return when it was played or silenced. `at`: when its first sample leaves the loudspeaker,
        by time.monotonic; one that comes too late for that begins with the sample that is due."""
        playback = self._mixer.add(kind, at=at, pcm=pcm, complete=True)
        try:
            await playback.finish()
        except asyncio.CancelledError:
            self._mixer.drop(playback)
            raise

    async def play_stream(self, blocks: AsyncIterator[bytes], *, kind: SoundKind = "speech") -> None:
        """Play sound as it comes, and return when it was played or silenced."""
        async with self.open_stream(kind) as stream:
            async for block in blocks:
                if not await stream.write(block):
                    break

    @contextlib.asynccontextmanager
    async def open_stream(self, kind: SoundKind = "speech") -> AsyncIterator[Playback]:
        """A sound that is written as it comes. At the end it is played to its end; after an error it is dropped."""
        playback = self._mixer.add(kind)
        try:
            yield playback
            await playback.finish()
        except BaseException:
            self._mixer.drop(playback)
            raise

    async def silence(self, *kinds: SoundKind) -> None:
        """Stop what is playing of these kinds; everything without any."""
        self._mixer.silence(kinds)

    async def _keep_open(self, ready: asyncio.Event) -> None:
        while True:
            try:
                async with self._open_card(self._mixer) as card:
                    self.device, self.trouble = card.device, ""
                    _log.info("sound", device=card.device)
                    ready.set()
                    await card.lost.wait()
                    self.trouble = f"{card.device} was lost"
            except MindError as error:
                self.trouble = error.message
            _log.warning("no sound card: nothing is heard", reason=self.trouble, retry_s=RETRY_S)
            async with NullSpeaker(self._mixer) as silent:
                self.device = silent.device
                ready.set()
                await asyncio.sleep(RETRY_S)


def open_sound(configuration: Configuration) -> SoundOutput:
    """The loudspeaker that the settings ask for."""
    device, rate = configuration.settings.device, configuration.settings.audio.sample_rate

    def null(mixer: Mixer) -> OutputCard:
        return NullSpeaker(mixer, device.sound_capture)

    def soundcard(mixer: Mixer) -> OutputCard:
        from reachy_mind.fleet.agent.soundcard_output import SoundcardOutput  # noqa: PLC0415 -- not without a card

        return SoundcardOutput(mixer, (configuration.settings.media.speaker,), rate)

    card = null if device.sound == "null" else soundcard
    return SoundOutput(card, volume=device.volume, max_volume=device.max_volume)


def sound_about(sound: SoundOutput) -> dict[str, Any]:
    """For people and programs that ask how it is."""
    return {"device": sound.device, "volume": sound.volume} | ({"trouble": sound.trouble} if sound.trouble else {})
