"""Speech events: what the speech pipeline reports while it runs. They are part of the conversation events.

`conversation.events` lists the whole family; these live here because `speech` may not import `conversation`.
"""

from __future__ import annotations

from dataclasses import dataclass


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


@dataclass(frozen=True)
class ReplyInterrupted:
    """The answer was cut short; `heard` are the words that had been played."""

    heard: str


SpeechEvent = UserSpeech | RobotSpeech | Transcription | ReplyInterrupted
