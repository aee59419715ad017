"""Sound cards of this machine through PortAudio: device search, opening, and resampling to 16 kHz."""

from __future__ import annotations

import atexit
import importlib
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from reachy_mind import log
from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.body.media.blocking_calls import BLOCKING_CALL_TIMEOUT_S, run_blocking
from reachy_mind.errors import MindError, MissingExtra, NotReady

Kind = Literal["input", "output"]
LATENCY_S = 0.06
"""Device buffer, three blocks. Less stutters on a busy machine; more is still heard after a flush."""

_NAMES: dict[Kind, tuple[str, str]] = {
    "input": ("microphone", "media.microphone"),
    "output": ("loudspeaker", "media.speaker"),
}
_open_streams = 0
_lock = threading.RLock()
_log = log.get(__name__)
CLOSE_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class Card:
    """A device and the format to open it with: 16 bits at this rate and number of channels."""

    number: int
    name: str
    rate: int
    channels: int

    def __str__(self) -> str:
        return f"{self.name}, {self.rate} Hz, {'mono' if self.channels == 1 else f'{self.channels} channels'}"


def library() -> Any:
    """The PortAudio module. Raises MissingExtra or NotReady when it is not installed."""
    try:
        return importlib.import_module("sounddevice")
    except ImportError:
        raise MissingExtra("sound of this computer", "media") from None
    except OSError as error:
        raise NotReady(
            f"sound of this computer: {error}", hint="Debian, Ubuntu: apt-get install libportaudio2"
        ) from None


def find(wanted: Sequence[str], kind: Kind, rate_hz: int = SAMPLE_RATE_HZ, channels_hint: int = 1) -> Card:
    """The first match of `wanted`: numbers, parts of names, or empty for the default device. Blocks for a moment.

    `rate_hz` and `channels_hint` channels are tried first. Raises NotReady with the available devices.
    """
    portaudio = library()
    channels = f"max_{kind}_channels"
    with _portaudio_lock():
        _rescan_devices(portaudio)
        known = [device for device in portaudio.query_devices() if device[channels] > 0]
    for name in wanted:
        if not name:
            number = portaudio.default.device[kind]
            meant = [device for device in known if device["index"] == number]
        elif name.isdigit():
            meant = [device for device in known if device["index"] == int(name)]
        else:
            meant = [device for device in known if name.lower() in device["name"].lower()]
        if meant:
            return _probe_card(portaudio, meant[0], kind, rate_hz, channels_hint)
    what, setting = _NAMES[kind]
    there = ", ".join(f"{device['name']} ({device['index']})" for device in known) or f"no {what}"
    named = " or ".join(repr(name) for name in wanted if name)
    raise NotReady(
        f"this computer has no {what} {named}".rstrip(), hint=f"it has {there}; set {setting} to a number or a name"
    )


def device_names() -> list[str]:
    """The names of all sound devices, as PortAudio knows them; none without it. Opens none of them."""
    try:
        portaudio = library()
        with _portaudio_lock():
            _rescan_devices(portaudio)
            return [str(device["name"]) for device in portaudio.query_devices()]
    except MindError:
        return []


@contextmanager
def _portaudio_lock() -> Iterator[None]:
    """PortAudio for one thread at a time. Raises NotReady when another thread hangs in it."""
    if not _lock.acquire(timeout=BLOCKING_CALL_TIMEOUT_S):
        raise NotReady("the sound system does not answer", hint="is its server alive?")
    try:
        yield
    finally:
        _lock.release()


def _rescan_devices(portaudio: Any) -> None:
    """Restart PortAudio, which lists devices only at its start, unless a stream is open."""
    if _open_streams == 0:
        portaudio._terminate()
        portaudio._initialize()


def _probe_card(portaudio: Any, device: dict[str, Any], kind: Kind, rate_hz: int, channels_hint: int) -> Card:
    check = portaudio.check_input_settings if kind == "input" else portaudio.check_output_settings
    most, own = device[f"max_{kind}_channels"], int(device["default_samplerate"])
    for rate in dict.fromkeys((rate_hz, own)):
        for channels in (number for number in dict.fromkeys((channels_hint, 1, 2, most)) if number <= most):
            try:
                check(device=device["index"], channels=channels, dtype="int16", samplerate=rate)
            except portaudio.PortAudioError as error:
                reason = error
            else:
                return Card(device["index"], device["name"], rate, channels)
    what, _ = _NAMES[kind]
    raise NotReady(
        f"the {what} {device['name']} can't be opened: {reason}", hint="does another program use it? may you?"
    )


@asynccontextmanager
async def running(
    wanted: Sequence[str], kind: Kind, rate_hz: int, make: Callable[[Any, Card], Any], channels_hint: int = 1
) -> AsyncIterator[Any]:
    """A running stream, created by `make` from PortAudio and a device. On exit it is aborted. Raises NotReady."""
    what, _ = _NAMES[kind]
    stream = await run_blocking(lambda: _start(wanted, kind, rate_hz, make, channels_hint), what, _close)
    try:
        yield stream
    finally:
        try:
            await run_blocking(lambda: _close(stream), what, timeout_s=CLOSE_TIMEOUT_S)
        except NotReady:
            # PortAudio's thread hangs, and its exit handler would wait for it again: skip that.
            atexit.unregister(library()._exit_handler)
            _log.warning("a lost sound device can't be closed", device=what)


def _start(
    wanted: Sequence[str], kind: Kind, rate_hz: int, make: Callable[[Any, Card], Any], channels_hint: int
) -> Any:
    """Find, open and start under one lock: PortAudio must not be restarted meanwhile."""
    global _open_streams  # noqa: PLW0603
    portaudio = library()
    what, _ = _NAMES[kind]
    with _portaudio_lock():
        card = find(wanted, kind, rate_hz, channels_hint)
        try:
            stream = make(portaudio, card)
            stream.start()
        except portaudio.PortAudioError as error:
            raise NotReady(
                f"the {what} {card.name} can't be opened: {error}", hint="does another program use it? may you?"
            ) from error
        _open_streams += 1
    return stream


def _close(stream: Any) -> None:
    global _open_streams  # noqa: PLW0603
    stream.abort(ignore_errors=True)
    stream.close(ignore_errors=True)
    with _portaudio_lock():
        _open_streams -= 1


class Resampler:
    """Resamples a 16-bit mono stream. It holds a few samples back until `end`."""

    def __init__(self, from_hz: int, to_hz: int) -> None:
        self._stream = None
        if from_hz != to_hz:
            import soxr  # noqa: PLC0415 -- most devices run at our rate

            self._stream = soxr.ResampleStream(from_hz, to_hz, 1, dtype="int16", quality="MQ")

    def feed(self, pcm: bytes, *, last: bool = False) -> bytes:
        if self._stream is None:
            return pcm
        import numpy as np  # noqa: PLC0415

        made = self._stream.resample_chunk(np.frombuffer(pcm, np.int16), last=last)
        if last:
            self._stream.clear()
        return bytes(made.tobytes())

    def end(self) -> bytes:
        """The samples held back. A new stream begins."""
        return self.feed(b"", last=True)

    def clear(self) -> None:
        """Drop the samples held back."""
        if self._stream is not None:
            self._stream.clear()
