"""`SpokenStatus`: what a spoken conversation is doing, and how its microphone is, reported as events."""

from __future__ import annotations

from collections.abc import Callable

from reachy_mind.conversation.events import Activity, RequestFailed, SpokenState, VoiceEvent
from reachy_mind.errors import NotReady
from reachy_mind.speech.events import ReplyInterrupted, RobotSpeech, SpeechEvent, Transcription, UserSpeech
from reachy_mind.speech.heard import Heard


class SpokenStatus:
    """`emit` gets every event; `microphone` is the state of the microphone."""

    def __init__(self, conversation: str, emit: Callable[[VoiceEvent], None], microphone: Callable[[], str]) -> None:
        self._conversation, self.emit, self._microphone = conversation, emit, microphone
        self._hearing = self._thinking = self._speaking = False
        self.microphone_trouble = ""
        """Why the microphone is lost."""
        self._last_failure = ""

    @property
    def activity(self) -> Activity:
        if self._speaking:
            return "speaking"
        return "thinking" if self._thinking else "hearing" if self._hearing else "listening"

    @property
    def state(self) -> SpokenState:
        return SpokenState(self._conversation, self.activity, self._microphone(), self.microphone_trouble)

    def observed(self, event: SpeechEvent) -> None:
        """An event of the speech pipeline."""
        match event:
            case UserSpeech(active):
                self._change(hearing=active)
            case RobotSpeech(active):
                self._change(speaking=active)
            case Transcription() | ReplyInterrupted():
                self.emit(event)

    def heard(self, heard: Heard) -> None:
        self.emit(Transcription(heard.text, final=True, confidence=heard.confidence, alternatives=heard.alternatives))

    def thinking(self, *, active: bool) -> None:
        if active:
            self._last_failure = ""
        self._change(thinking=active)

    def failed(self, reason: str) -> None:
        """Speech to text, voice or loudspeaker failed. Reported once for an answer, though each sentence may fail."""
        if reason != self._last_failure:
            self._last_failure = reason
            self.emit(RequestFailed(NotReady(reason, hint="it goes on; see the log")))

    def microphone_changed(self, trouble: str) -> None:
        self.microphone_trouble = trouble
        self.emit(self.state)

    def _change(
        self, *, hearing: bool | None = None, thinking: bool | None = None, speaking: bool | None = None
    ) -> None:
        before = self.activity
        self._hearing = self._hearing if hearing is None else hearing
        self._thinking = self._thinking if thinking is None else thinking
        self._speaking = self._speaking if speaking is None else speaking
        if self.activity != before:
            self.emit(self.state)
