"""Sound devices of this machine through PortAudio: which there are, how they can be opened, other rates than ours."""

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
from reachy_mind.body.media.apart import PATIENCE_S, apart
from reachy_mind.errors import MissingExtra, NotReady

Kind = Literal["input", "output"]
LATENCY_S = 0.06
"""Three blocks: what a device may hold. Less stutters on a busy machine, more is still heard after a flush."""

_WORDS: dict[Kind, tuple[str, str]] = {
    "input": ("microphone", "media.microphone"),
    "output": ("loudspeaker", "media.speaker"),
}
_streams = 0
_guard = threading.RLock()
_log = log.get(__name__)
CLOSES_S = 2.0


@dataclass(frozen=True, slots=True)
class Card:
    """A device, and how it is opened: 16 bits at this rate with this many channels."""

    number: int
    name: str
    rate: int
    channels: int

    def __str__(self) -> str:
        return f"{self.name}, {self.rate} Hz, {'mono' if self.channels == 1 else f'{self.channels} channels'}"


def library() -> Any:
    """PortAudio. Raises MissingExtra or NotReady when it is not there."""
    try:
        return importlib.import_module("sounddevice")
    except ImportError:
        raise MissingExtra("sound of this computer", "media") from None
    except OSError as error:
        raise NotReady(
            f"sound of this computer: {error}", hint="Debian, Ubuntu: apt-get install libportaudio2"
        ) from None


def find(wanted: Sequence[str], kind: Kind, rate_hz: int = SAMPLE_RATE_HZ) -> Card:
    """The first device that is meant: a number, a part of a name, or empty for the default. Blocks for a moment.

    Raises NotReady saying what there is.
    """
    portaudio = library()
    channels = f"max_{kind}_channels"
    with _alone():
        _look_again(portaudio)
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
            return _opened_as(portaudio, meant[0], kind, rate_hz)
    what, setting = _WORDS[kind]
    there = ", ".join(f"{device['name']} ({device['index']})" for device in known) or f"no {what}"
    named = " or ".join(repr(name) for name in wanted if name)
    raise NotReady(
        f"this computer has no {what} {named}".rstrip(), hint=f"it has {there}; set {setting} to a number or a name"
    )


@contextmanager
def _alone() -> Iterator[None]:
    """PortAudio for one thread at a time. Raises NotReady when another does not come back from it."""
    if not _guard.acquire(timeout=PATIENCE_S):
        raise NotReady("the sound system does not answer", hint="is its server alive?")
    try:
        yield
    finally:
        _guard.release()


def _look_again(portaudio: Any) -> None:
    """PortAudio looks for devices once; what was plugged in or set free later is seen only by starting it anew."""
    if _streams == 0:
        portaudio._terminate()
        portaudio._initialize()


def _opened_as(portaudio: Any, device: dict[str, Any], kind: Kind, rate_hz: int) -> Card:
    check = portaudio.check_input_settings if kind == "input" else portaudio.check_output_settings
    most, own = device[f"max_{kind}_channels"], int(device["default_samplerate"])
    for rate in dict.fromkeys((rate_hz, own)):
        for channels in (number for number in dict.fromkeys((1, 2, most)) if number <= most):
            try:
                check(device=device["index"], channels=channels, dtype="int16", samplerate=rate)
            except portaudio.PortAudioError as error:
                reason = error
            else:
                return Card(device["index"], device["name"], rate, channels)
    what, _ = _WORDS[kind]
    raise NotReady(
        f"the {what} {device['name']} can't be opened: {reason}", hint="does another program use it? may you?"
    )


@asynccontextmanager
async def running(
    wanted: Sequence[str], kind: Kind, rate_hz: int, make: Callable[[Any, Card], Any]
) -> AsyncIterator[Any]:
    """A stream of sound, which `make` makes of PortAudio and a device, from its start to its end; what it still holds
    then is not heard. Raises NotReady."""
    what, _ = _WORDS[kind]
    stream = await apart(lambda: _started(wanted, kind, rate_hz, make), what, _close)
    try:
        yield stream
    finally:
        try:
            await apart(lambda: _close(stream), what, patience_s=CLOSES_S)
        except NotReady:
            # Its thread never ends. PortAudio would wait for it again when the program ends: leave that out.
            atexit.unregister(library()._exit_handler)
            _log.warning("a sound device that has gone can't be closed", device=what)


def _started(wanted: Sequence[str], kind: Kind, rate_hz: int, make: Callable[[Any, Card], Any]) -> Any:
    """All under one lock: PortAudio must not be started anew while a device is being opened."""
    global _streams  # noqa: PLW0603
    portaudio = library()
    what, _ = _WORDS[kind]
    with _alone():
        card = find(wanted, kind, rate_hz)
        try:
            stream = make(portaudio, card)
            stream.start()
        except portaudio.PortAudioError as error:
            raise NotReady(
                f"the {what} {card.name} can't be opened: {error}", hint="does another program use it? may you?"
            ) from error
        _streams += 1
    return stream


def _close(stream: Any) -> None:
    global _streams  # noqa: PLW0603
    stream.abort(ignore_errors=True)
    stream.close(ignore_errors=True)
    with _alone():
        _streams -= 1


class Resampler:
    """16-bit mono from one rate to another, piece by piece. It holds a little back until `end`."""

    def __init__(self, from_hz: int, to_hz: int) -> None:
        self._stream = None
        if from_hz != to_hz:
            try:
                soxr = importlib.import_module("soxr")
            except ImportError:
                raise MissingExtra("a device that does not run at 16 kHz", "media") from None
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
        """What was held back. It begins anew."""
        return self.feed(b"", last=True)

    def clear(self) -> None:
        """Forget what was held back."""
        if self._stream is not None:
            self._stream.clear()
