"""Speech events: what the speech pipeline reports while it runs. They are part of the conversation events.

`conversation.events` lists the whole family; these live here because `speech` may not import `conversation`.
"""

from __future__ import annotations

from dataclasses import dataclass

from reachy_mind.speech.transcriber import Alternative


@dataclass(frozen=True)
class UserSpeech:
    """A person's turn began (`active`) or ended."""

    active: bool


@dataclass(frozen=True)
class RobotSpeech:
    """The loudspeaker began (`active`) or ended to play an answer."""

    active: bool


@dataclass(frozen=True)
class Transcription:
    """The words of a person's turn: all of them so far, or all of them (`final`)."""

    text: str
    final: bool = False
    confidence: float | None = None
    """How sure the ears are, 0 to 1; None where that is not known."""
    alternatives: tuple[Alternative, ...] = ()
    """What it may have been, the likeliest first; with a final one only."""


@dataclass(frozen=True)
class ReplyInterrupted:
    """The answer was cut short; `heard` are the words that had been played."""

    heard: str


SpeechEvent = UserSpeech | RobotSpeech | Transcription | ReplyInterrupted
