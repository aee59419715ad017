"""`SpeechDelegate`: what the speech pipeline asks of, and reports to, the conversation it belongs to.

Subclass it: `respond` and `end_of_turn_probability` have to be there, the rest has a default.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncGenerator, Sequence
from typing import Literal, Protocol

from reachy_mind.speech.events import SpeechEvent
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.speech.keyword_model import HeardKeyword
from reachy_mind.speech.transcriber import Alternative

MicrophoneState = Literal["off", "opening", "open", "lost"]


class MotionSync(Protocol):
    """What moves the body with the voice: `motion.speech_playback.SpeechPlayback`."""

    def push(self, samples: bytes) -> None: ...
    def position(self, seconds_played: float) -> None: ...
    def finish(self) -> None: ...
    def cancel(self) -> None: ...


class SpeechDelegate(Protocol):
    """One spoken conversation, as the pipeline sees it. All methods are called in the pipeline's event loop."""

    @abstractmethod
    def respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        """The answer to a turn, piece by piece. It is closed when somebody interrupts."""

    @abstractmethod
    async def end_of_turn_probability(self, text: str) -> float:
        """How likely a person who said this and fell silent has finished: 0 to 1."""

    async def expected_words(self) -> Sequence[str]:
        """Words that people may say here and the ears may not know, such as names: see `Transcriber.transcribe`."""
        return ()

    async def chosen(self, alternatives: Sequence[Alternative]) -> Alternative:
        """Which of these, the likeliest first and at least one, was said."""
        return alternatives[0]

    def is_side_remark(self, heard: Heard) -> bool:  # noqa: ARG002
        """Whether the words are no turn of their own, such as the yes to an open question. Handles them if so."""
        return False

    @property
    def awaits_reply(self) -> bool:
        """Whether the next words may be a side remark: a voice then interrupts nothing."""
        return False

    @property
    def awake(self) -> bool:
        """Whether what is said now is said to the robot: only then a remote listener may hear it."""
        return True

    @property
    def keywords(self) -> frozenset[str]:
        """The keywords that mean something now."""
        return frozenset()

    def keyword_heard(self, word: HeardKeyword) -> bool:  # noqa: ARG002
        """A keyword was said. Returns whether the answer ends here and now."""
        return False

    def motion_sync(self) -> MotionSync | None:
        """What moves with the next answer, if anything does."""
        return None

    def microphone_changed(self, state: MicrophoneState, reason: str) -> None:
        """The microphone has another state, and why."""

    def failed(self, reason: str) -> None:
        """Speech to text, the voice or the loudspeaker failed; the conversation goes on."""

    def observed(self, event: SpeechEvent) -> None:
        """Something happened that a user interface may show."""
