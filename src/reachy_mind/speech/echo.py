"""`Echo`: acoustic echo cancellation: removes the robot's own voice from what its microphone hears.

It uses WebRTC's audio processing, which needs the played and the recorded signal in blocks of ten milliseconds, at the
same pace and with a constant delay. So whenever playback starts, the first blocks of the microphone are buffered until
it is known, to the sample, which part of the answer is heard in them. Its noise suppression is off: it loses words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.errors import MissingExtra
from reachy_mind.speech.alignment import offset_of

if TYPE_CHECKING:
    from livekit.rtc import AudioFrame

BLOCK = SAMPLE_RATE_HZ // 100
SILENCE = bytes(2 * BLOCK)
LEAD_MS = 20
"""The played signal is given to it this long before it is heard; constant over all answers."""
LEAD = SAMPLE_RATE_HZ * LEAD_MS // 1000
LEARNING = 40
"""The first blocks of the robot's own voice, during which the microphone counts as silent: the echo path is not known
yet."""
ALIGNMENT_TIMEOUT_S = 0.5
"""A start that is not found in this much sound is taken to have the delay of the one before."""
NOWHERE = -(1 << 40)
"""A position before any answer: silence is played there."""
BACK_S = 0.4
"""How far the heard sound may lag the position that the loudspeaker reports."""


@dataclass(frozen=True)
class Played:
    """What the loudspeaker is doing: sample `position` of the answer `pcm`, which it began to play at `begins`, in the
    run of this number. A run is sound without a gap."""

    run: int
    pcm: bytearray
    begins: int
    position: int


class Echo:
    """One for a microphone and a loudspeaker: it keeps what it has learnt of the room."""

    def __init__(self) -> None:
        try:
            from livekit import rtc  # noqa: PLC0415
            from livekit.rtc.apm import AudioProcessingModule  # noqa: PLC0415
        except ImportError as error:
            raise MissingExtra("echo cancellation", "speech") from error
        self._frame = rtc.AudioFrame
        self._processing = AudioProcessingModule(
            echo_cancellation=True, noise_suppression=False, high_pass_filter=True, auto_gain_control=False
        )
        self._learning = LEARNING
        self._run = -1
        self._kept = bytearray()
        """Heard since the run began, until it is aligned with the answer."""
        self._first: Played | None = None
        self._next: int | None = None
        """The sample of the answer that the next block begins with."""
        self._late: int | None = None
        """By how much what is heard is behind what the loudspeaker said at the last start; None while nothing of it was
        ever heard: there is a headset, or a file."""

    def cleaned(self, heard: bytes, played: Played | None) -> bytes:
        """What was heard, without the echo of what is played. In the first moments of an answer nothing: it follows."""
        if played is None:
            return self._finished() + self._subtracted(heard, bytes(len(heard)))
        out = b""
        if played.run != self._run:
            out = self._finished()
            self._run, self._first, self._next = played.run, played, None
        if self._next is None:
            self._kept += heard
            return out + self._sought(played)
        return out + self._known(heard, played.pcm)

    def _sought(self, played: Played) -> bytes:
        """All that was kept, once it is known what it is."""
        assert self._first is not None
        origin = max(played.begins, self._first.position - round(BACK_S * SAMPLE_RATE_HZ))
        length = len(self._kept) // 2 + round(BACK_S * SAMPLE_RATE_HZ)
        far = np.frombuffer(bytes(played.pcm[2 * origin : 2 * (origin + length)]), "<i2")
        offset = offset_of(np.frombuffer(bytes(self._kept), "<i2"), far)
        if offset is not None:
            self._late = self._first.position - (origin + offset)
            return self._begun(origin + offset, played.pcm)
        if len(self._kept) < 2 * ALIGNMENT_TIMEOUT_S * SAMPLE_RATE_HZ:
            return b""
        if self._late is None:
            return self._begun(NOWHERE, played.pcm)
        return self._begun(self._first.position - self._late, played.pcm)

    def _begun(self, at: int, pcm: bytearray) -> bytes:
        kept, self._kept = bytes(self._kept), bytearray()
        self._next = at
        return self._known(kept, pcm)

    def _known(self, heard: bytes, pcm: bytearray) -> bytes:
        assert self._next is not None
        begin = self._next + LEAD
        self._next += len(heard) // 2
        before = bytes(2 * min(len(heard) // 2, max(0, -begin)))
        far = before + bytes(pcm[2 * max(0, begin) : 2 * max(0, begin + len(heard) // 2)])
        return self._subtracted(heard, far[: len(heard)].ljust(len(heard), b"\0"))

    def _finished(self) -> bytes:
        """The run is over. What was kept of one that was too short to be found is left out: it may be our own voice."""
        kept, self._kept = bytes(self._kept), bytearray()
        self._run, self._next, self._first = -1, None, None
        return self._subtracted(bytes(len(kept)), bytes(len(kept)))

    def _subtracted(self, heard: bytes, far: bytes) -> bytes:
        out = bytearray()
        for begin in range(0, len(heard) - len(SILENCE) + 1, len(SILENCE)):
            block = far[begin : begin + len(SILENCE)]
            self._processing.process_reverse_stream(self._block(block))
            near = self._block(heard[begin : begin + len(SILENCE)])
            self._processing.set_stream_delay_ms(LEAD_MS)
            self._processing.process_stream(near)
            out += SILENCE if self._too_early(block) else bytes(near.data)
        return bytes(out)

    def _too_early(self, far: bytes) -> bool:
        if not self._learning or not any(far):
            return False
        self._learning -= 1
        return True

    def _block(self, pcm: bytes) -> AudioFrame:
        return self._frame(pcm, SAMPLE_RATE_HZ, 1, BLOCK)
