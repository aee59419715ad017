"""`Echo`: the robot's own voice taken out of what its microphone hears.

WebRTC's audio processing does it: it is given what leaves the loudspeaker, finds out how that comes back, and subtracts
it. It wants both in blocks of ten milliseconds, at the same pace and with a delay between them that stays. Its noise
suppression is off: words get lost by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.errors import MissingExtra

if TYPE_CHECKING:
    from livekit.rtc import AudioFrame

BLOCK = SAMPLE_RATE_HZ // 100
SILENCE = bytes(2 * BLOCK)
DELAY_MS = 100
"""From what it is given of the loudspeaker to the microphone: a start for the estimate, which corrects itself."""
LEARNING, AGAIN = 40, 12
"""Blocks of the robot's own voice for which the microphone counts as silent: of the first of all, until the way of the
echo is found, and at the start of every answer."""


class Echo:
    """Made once for a microphone and a loudspeaker: what it has learnt of the room stays."""

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
        self._learning, self._again = LEARNING, AGAIN

    def cleaned(self, heard: bytes, played: bytes) -> bytes:
        """What was heard, without the echo of what was played meanwhile; as long, in blocks of ten milliseconds."""
        out = bytearray()
        for begin in range(0, len(heard) - len(SILENCE) + 1, len(SILENCE)):
            far = played[begin : begin + len(SILENCE)]
            self._processing.process_reverse_stream(self._block(far))
            near = self._block(heard[begin : begin + len(SILENCE)])
            self._processing.set_stream_delay_ms(DELAY_MS)
            self._processing.process_stream(near)
            out += SILENCE if self._too_early(far) else bytes(near.data)
        return bytes(out)

    def _too_early(self, far: bytes) -> bool:
        if not any(far):
            return False
        early = self._learning > 0 or self._again > 0
        self._learning, self._again = max(0, self._learning - 1), max(0, self._again - 1)
        return early

    def silent(self) -> None:
        """An answer is over."""
        self._again = AGAIN

    def _block(self, pcm: bytes) -> AudioFrame:
        return self._frame(pcm, SAMPLE_RATE_HZ, 1, BLOCK)
