"""Conversation events: one family of typed events for all that happens in a conversation, typed or spoken.

    brains.brain            Said, Voiced, Called, Handoff, Done: what a brain yields, passed on by `Turns` as it is
    conversation.response   Response: the end of a turn
    speech.events           UserSpeech, RobotSpeech, Transcription, ReplyInterrupted
    events                  ConfirmationAsked, ConfirmationAnswered, ToolStarted, Announced, Missed: from the bus
    here                    what belongs to one client: TurnAccepted, SpokenState, RequestFailed, InTurn

Chat socket, server-sent events, voice socket and terminal derive from them; `conversation.wire` is their JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reachy_mind.brains.brain import Said, Thought
from reachy_mind.conversation.response import Response
from reachy_mind.errors import MindError
from reachy_mind.events import Announced, ConfirmationAnswered, ConfirmationAsked, Missed, ToolStarted
from reachy_mind.speech.events import ReplyInterrupted, SpeechEvent, Transcription

Activity = Literal["listening", "hearing", "thinking", "speaking"]
"""What a spoken conversation is doing."""


@dataclass(frozen=True)
class TurnAccepted:
    """A client's words have been accepted; they may wait for other turns."""

    text: str
    conversation: str


@dataclass(frozen=True)
class RequestFailed:
    """A client's request failed. `about` names it where no turn ended: the id of a confirmation, or `stop`."""

    error: MindError
    about: str = ""


@dataclass(frozen=True)
class SpokenState:
    """A spoken conversation does something else, or its microphone has another state; `reason`: why that is lost."""

    conversation: str
    activity: Activity
    microphone: str
    reason: str = ""


TurnEvent = Thought | Response
"""What `Turns` yields for a turn; the response is the last."""


@dataclass(frozen=True)
class InTurn:
    """An event of a client's turn; its first turn is number 1."""

    turn: int
    event: TurnAccepted | TurnEvent | RequestFailed


ChatEvent = InTurn | RequestFailed | ConfirmationAsked | ConfirmationAnswered | ToolStarted | Announced | Missed
"""What a typed conversation shows."""
VoiceEvent = SpokenState | Transcription | Said | Response | ReplyInterrupted | RequestFailed
"""What a spoken conversation shows."""
ConversationEvent = ChatEvent | VoiceEvent | TurnAccepted | TurnEvent | SpeechEvent
