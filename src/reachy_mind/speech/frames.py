"""Frames that the parts of the speech pipeline pass to each other, besides those of pipecat."""

from __future__ import annotations

from dataclasses import dataclass

from pipecat.frames.frames import DataFrame, SystemFrame, TranscriptionFrame, TTSAudioRawFrame

from reachy_mind.speech.heard import Heard


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
