"""`MediaCalls`: the host side of `reachy_mini.media`: frames of the camera, sound out and in, direction of sounds."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from reachy_mind.body import wav
from reachy_mind.body.media import SAMPLE_RATE_HZ, Microphone, Speaker
from reachy_mind.errors import HardwareError, InvalidParameter, MindError, NotReady
from reachy_mind.tools import acts
from reachy_mind.tools.sdk import arguments
from reachy_mind.tools.sdk.method import Answer, Method
from reachy_mind.tools.sdk.orders import MovementOrders

MAX_SOUND_BYTES = 8 << 20
MAX_SOUND_S = 60.0
MAX_SAMPLES = 10 * SAMPLE_RATE_HZ
MAX_HEARD_BYTES = 2 * 10 * SAMPLE_RATE_HZ
"""Ten seconds; a tool that reads more rarely loses the oldest."""

Arguments = Mapping[str, Any]


class MediaCalls:
    """Camera and sound for one call of a guest or one run of sandboxed code."""

    def __init__(self, orders: MovementOrders) -> None:
        self._orders, self._ctx = orders, orders.ctx
        self._sound_out, self._sound_in = contextlib.AsyncExitStack(), contextlib.AsyncExitStack()
        self._speaker: Speaker | None = None
        self._heard: bytearray | None = None
        rows: list[tuple[str, tuple[str, ...], Answer, tuple[str, ...]]] = [
            ("get_frame", (), self._frame, ("camera",)),
            ("get_frame_jpeg", (), self._frame_jpeg, ("camera",)),
            ("get_resolution", (), self._resolution, ("camera",)),
            ("play_sound", ("name", "data"), self._play_sound, ("speak",)),
            ("start_playing", (), self._start_playing, ("speak",)),
            ("push_audio_sample", ("data",), self._push, ("speak",)),
            ("clear_player", (), self._clear_player, ("speak",)),
            ("stop_playing", (), self._stop_playing, ("speak",)),
            ("start_recording", (), self._start_recording, ("microphone",)),
            ("get_audio_sample", (), self._audio_sample, ("microphone",)),
            ("stop_recording", (), self._stop_recording, ("microphone",)),
            ("get_doa", (), self._direction, ()),
        ]
        self.methods: Mapping[str, Method] = {
            f"media.{name}": Method(f"media.{name}", parameters, answer, needs)
            for name, parameters, answer, needs in rows
        }

    async def close(self) -> None:
        """Close loudspeaker and microphone."""
        self._speaker = self._heard = None
        await self._sound_out.aclose()
        await self._sound_in.aclose()

    # Camera

    async def _frame(self, _: Arguments) -> Any:
        """Rows of blue, green, red; None while there is no camera, as the vendor's SDK answers."""
        await self._orders.permit(acts.TAKE_PICTURE)
        try:
            picture = await (await self._ctx.sight.frame()).picture()
        except (NotReady, HardwareError):
            return None
        return np.ascontiguousarray(picture.pixels[:, :, ::-1])

    async def _frame_jpeg(self, _: Arguments) -> bytes | None:
        await self._orders.permit(acts.TAKE_PICTURE)
        try:
            return (await self._ctx.sight.frame()).jpeg
        except (NotReady, HardwareError):
            return None

    async def _resolution(self, _: Arguments) -> list[int]:
        await self._orders.permit(acts.TAKE_PICTURE)
        picture = await (await self._ctx.sight.frame(1.0)).picture()
        return [picture.width, picture.height]

    # Sound out

    async def _play_sound(self, args: Arguments) -> None:
        name, data = arguments.text("name", args.get("name"), 100), args.get("data")
        if not isinstance(data, bytes) or not 0 < len(data) <= MAX_SOUND_BYTES:
            hint = f"a sound file of the tool's own folder, at most {MAX_SOUND_BYTES >> 20} MB"
            raise InvalidParameter(f"there is no sound file {name!r}", hint=hint)
        sound = await asyncio.to_thread(_clean_wav, name, data)
        await self._orders.permit(acts.SPEAK)
        with tempfile.TemporaryDirectory(prefix="reachy-mind-sound-") as folder:
            file = Path(folder) / "tool_sound.wav"
            await asyncio.to_thread(file.write_bytes, sound)
            played = await self._ctx.motion.play_sound(file)
        if played != "played":
            raise HardwareError(f"the sound was {played}", hint="is the robot's loudspeaker in use?")

    async def _start_playing(self, _: Arguments) -> None:
        await self._open_speaker()

    async def _open_speaker(self) -> Speaker:
        await self._orders.permit(acts.SPEAK)
        if self._speaker is None:
            self._speaker = await self._sound_out.enter_async_context(await self._ctx.voice.speaker())
        return self._speaker

    async def _push(self, args: Arguments) -> None:
        pcm = _pcm(args.get("data"))
        await (await self._open_speaker()).write(pcm)

    async def _clear_player(self, _: Arguments) -> None:
        if self._speaker is not None:
            await self._speaker.flush()

    async def _stop_playing(self, _: Arguments) -> None:
        """Close the loudspeaker when the queued samples, at most a second, have been played."""
        speaker, self._speaker = self._speaker, None
        if speaker is not None:
            with contextlib.suppress(MindError):
                await speaker.drained()
        await self._sound_out.aclose()

    # Sound in

    async def _start_recording(self, _: Arguments) -> None:
        await self._orders.permit(acts.LISTEN)
        if self._heard is None:
            microphone = await self._sound_in.enter_async_context(await self._ctx.voice.microphone())
            heard = self._heard = bytearray()
            listening = asyncio.create_task(_listen(microphone, heard), name="microphone of a tool")
            self._sound_in.callback(listening.cancel)

    async def _audio_sample(self, _: Arguments) -> Any:
        if not self._heard:
            return None
        samples = np.frombuffer(bytes(self._heard), dtype="<i2").astype(np.float32) / 32768.0
        self._heard.clear()
        return np.ascontiguousarray(np.stack([samples, samples], axis=1))

    async def _stop_recording(self, _: Arguments) -> None:
        self._heard = None
        await self._sound_in.aclose()

    async def _direction(self, _: Arguments) -> list[Any] | None:
        found = await self._ctx.motion.sound_direction()
        return None if found is None else [found.angle, found.speech_detected]


async def _listen(microphone: Microphone, heard: bytearray) -> None:
    with contextlib.suppress(MindError):  # a lost microphone has no more samples
        async for block in microphone:
            heard += block
            del heard[:-MAX_HEARD_BYTES]


def _clean_wav(name: str, data: bytes) -> bytes:
    """The sound written anew, so that no decoder of the robot gets a file that code made. Raises InvalidParameter."""
    try:
        return wav.write(wav.read_pcm(data, MAX_SOUND_S))
    except InvalidParameter as error:
        raise InvalidParameter(
            f"{name!r} can't be played: {error.message}", hint="a WAV file, at most a minute"
        ) from None


def _pcm(data: Any) -> bytes:
    """Samples as 16-bit mono. Raises InvalidParameter."""
    hint = "float32 samples from -1 to 1, one or two columns, at most ten seconds"
    if not isinstance(data, np.ndarray) or data.dtype.kind != "f" or data.ndim not in (1, 2):
        raise InvalidParameter("data are no samples", hint=hint)
    if not 0 < data.shape[0] <= MAX_SAMPLES or (data.ndim == 2 and data.shape[1] not in (1, 2)):
        raise InvalidParameter("data has the wrong shape", hint=hint)
    if not np.isfinite(data).all():
        raise InvalidParameter("data has samples that are no number", hint=hint)
    mono = data if data.ndim == 1 else data.mean(axis=1)
    return (np.clip(mono, -1.0, 1.0) * 32767).astype("<i2").tobytes()
