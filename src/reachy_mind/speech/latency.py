"""`LatencyStages`: the stages of the latency between the end of a person's turn and the start of the answer."""

from __future__ import annotations

from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    Frame,
    LLMTextFrame,
    TranscriptionFrame,
    TTSAudioRawFrame,
    TTSSpeakFrame,
    UserStoppedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.observers.base_observer import BaseObserver, FramePushed

NAMES = ("activity", "transcription", "patience", "thinking", "synthesis", "opening")
"""Until the VAD detects the end of the voice, until it is transcribed, until the turn ends, until the first word of the
answer, until its first sound, until that is written to the loudspeaker."""

_ENDS: tuple[tuple[str, type[Frame] | tuple[type[Frame], ...]], ...] = (
    ("transcription", TranscriptionFrame),
    ("patience", UserStoppedSpeakingFrame),
    ("thinking", (LLMTextFrame, TTSSpeakFrame)),
    ("synthesis", TTSAudioRawFrame),
    ("opening", BotStartedSpeakingFrame),
)


class LatencyStages(BaseObserver):
    """A pipecat observer; it sees every frame once."""

    def __init__(self) -> None:
        super().__init__(observe_every_push=False)
        self._at: dict[str, float] = {}
        self.last: dict[str, float] = {}
        """Milliseconds by stage, of the last answer."""

    async def on_push_frame(self, data: FramePushed) -> None:
        at = data.timestamp / 1e6
        frame = data.frame
        if isinstance(frame, VADUserStoppedSpeakingFrame):
            self._at = {"ended": at - 1000 * frame.stop_secs, "activity": at}
            return
        for name, kind in _ENDS:
            if isinstance(frame, kind) and self._at and name not in self._at:
                self._at[name] = at
                if name == NAMES[-1]:
                    self._close()
                return

    def _close(self) -> None:
        before, took = self._at["ended"], {}
        for name in NAMES:
            if name in self._at:
                took[name] = round(max(0.0, self._at[name] - before), 1)  # an answer is prepared during the silence
                before = max(before, self._at[name])
        self.last, self._at = took, {}
