"""Frames of our own that parts of the pipeline pass to each other."""

from __future__ import annotations

from dataclasses import dataclass

from pipecat.frames.frames import SystemFrame, TranscriptionFrame, TTSAudioRawFrame


@dataclass
class Transcribed(TranscriptionFrame):
    """All words of a turn so far, not only the newest. `began_at` and `ended_at` are of the voice, monotonic."""

    began_at: float = 0.0
    ended_at: float = 0.0
    continues: bool = False
    """The turn was taken to have ended before its last words came; `added` are those, else all of them."""
    added: str = ""
    items: tuple[str, ...] = ()
    """What a partner who heard it calls it."""


@dataclass
class SentenceFrame(TTSAudioRawFrame):
    """A piece of a sentence: `text` is that of the whole sentence with its first piece, empty with the others.

    With a `source`, it is a piece of what a partner says itself: words and sound of the same source belong together,
    whichever comes first.
    """

    text: str = ""
    source: str = ""


@dataclass
class HoldFrame(SystemFrame):
    """Stop playing for now."""


@dataclass
class ReleaseFrame(SystemFrame):
    """Go on playing: what was heard meanwhile is no turn."""
