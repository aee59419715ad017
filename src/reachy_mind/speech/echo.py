"""`Echo`: the robot's own voice taken out of what its microphone hears.

WebRTC's audio processing does it: it is given what leaves the loudspeaker, finds out how that comes back, and subtracts
it. It wants blocks of ten milliseconds of both, at the same pace. Its noise suppression is off: words get lost by it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.errors import MissingExtra

if TYPE_CHECKING:
    from livekit.rtc import AudioFrame

BLOCK = SAMPLE_RATE_HZ // 100
SILENCE = bytes(2 * BLOCK)
DELAY_MS = 200
"""From the loudspeaker's position to the microphone: a start for the estimate, which corrects itself."""
LEARNING = 30
"""Blocks at the start of an answer for which the microphone counts as silent: until the way of the echo is found, the
beginning of the robot's own voice comes through."""
LONGEST = 500
"""Blocks of the loudspeaker kept for a microphone that is late: five seconds."""


class Echo:
    """Give it what is played with `played`, in order; `cleaned` takes what was heard meanwhile."""

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
        self._far: deque[bytes] = deque(maxlen=LONGEST)
        self._rest = b""
        self._since = 0
        """Blocks heard since the loudspeaker began."""
        self._owed = 0
        """Blocks that were due before they came: silence stood for them, so they are left out when they come."""

    def played(self, pcm: bytes) -> None:
        """What has just left the loudspeaker."""
        self._rest += pcm
        while len(self._rest) >= len(SILENCE):
            block, self._rest = self._rest[: len(SILENCE)], self._rest[len(SILENCE) :]
            if self._owed:
                self._owed -= 1
            else:
                self._far.append(block)

    def silent(self) -> None:
        """The loudspeaker plays nothing more for now."""
        self._rest, self._owed = b"", 0

    def _reference(self, *, playing: bool) -> bytes:
        if self._far:
            return self._far.popleft()
        self._owed += playing
        return SILENCE

    def cleaned(self, pcm: bytes, *, playing: bool) -> bytes:
        """What was heard, without the echo, in blocks of ten milliseconds. `playing`: whether the loudspeaker is."""
        out = bytearray()
        for begin in range(0, len(pcm) - len(SILENCE) + 1, len(SILENCE)):
            self._processing.process_reverse_stream(self._block(self._reference(playing=playing)))
            near = self._block(pcm[begin : begin + len(SILENCE)])
            self._processing.set_stream_delay_ms(DELAY_MS)
            self._processing.process_stream(near)
            self._since = self._since + 1 if playing else 0
            out += SILENCE if 0 < self._since <= LEARNING else bytes(near.data)
        return bytes(out)

    def _block(self, pcm: bytes) -> AudioFrame:
        return self._frame(pcm, SAMPLE_RATE_HZ, 1, BLOCK)
