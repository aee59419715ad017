"""Frames that the parts of the speech pipeline pass to each other, besides those of pipecat."""

from __future__ import annotations

from dataclasses import dataclass

from pipecat.frames.frames import DataFrame, LLMTextFrame, SystemFrame, TranscriptionFrame, TTSAudioRawFrame

from reachy_mind.speech.heard import Heard
from reachy_mind.speech.transcriber import Alternative


@dataclass
class Transcribed(TranscriptionFrame):
    """All words of a turn so far, not only the newest. `began_at` and `ended_at` of the voice are monotonic."""

    began_at: float = 0.0
    ended_at: float = 0.0
    continues: bool = False
    """The turn was taken to have ended before its last words came; `added` are those words, else all of them."""
    added: str = ""
    items: tuple[str, ...] = ()
    """The ids that a remote listener gave to it."""
    confidence: float | None = None
    alternatives: tuple[Alternative, ...] = ()
    """As in `Transcript`."""


@dataclass
class Prosody(SystemFrame):
    """How likely the voice that has just fallen silent has finished, by its melody: 0 to 1."""

    finished: float = 1.0


@dataclass
class ReplyTextFrame(LLMTextFrame):
    """A piece of the answer, and the name of the mood to say it in."""

    mood: str = ""


@dataclass
class SentenceFrame(TTSAudioRawFrame):
    """A piece of a sentence: `text` is that of the whole sentence with its first piece, empty with the others.

    With a `source` a server has spoken it: words and sound of one source belong together, whichever comes first.
    """

    text: str = ""
    source: str = ""


@dataclass
class WrittenTurn(DataFrame):
    """A person's turn that was not said aloud: it is answered aloud as if it had been."""

    heard: Heard | None = None


@dataclass
class PauseFrame(SystemFrame):
    """Pause playback."""


@dataclass
class ResumeFrame(SystemFrame):
    """Resume playback: what was heard meanwhile is no turn."""


@dataclass
class HoldFrame(SystemFrame):
    """Play nothing of the next answer until it is released: the person may not have finished."""


@dataclass
class ReleaseFrame(SystemFrame):
    """Play what was held."""
