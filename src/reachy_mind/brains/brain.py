"""The brain contract: what a brain is given (`Turn`), and what it yields (`Thought`).

    async def think(self, turn: Turn) -> AsyncIterator[Thought]

A turn is one thing a person said and everything that helps to understand it. Thoughts are yielded as they come: words
to say, calls that were made through the turn's gate, and at the end the usage. `conversation.turns` passes them on as
conversation events. A stop never reaches a brain.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from reachy_mind.errors import MindError
from reachy_mind.events import Event
from reachy_mind.speech.remote_listener import RemoteListener
from reachy_mind.tools.definition import Outcome, Tier, Tool


class BrainUnavailable(MindError):
    """The model is not available, or its answer made no sense. The message is a sentence that can be said aloud."""

    code = "NO_THOUGHT"


class Unanswered(BrainUnavailable):
    """The model is available, but did not answer this question."""


THINKER = "thinker"
"""Whichever brain thinks, as a preference: see `Turn.preferred`."""


@dataclass(frozen=True)
class ToolCall:
    """A tool that was called in a turn, with its bare name, and how it ended."""

    name: str
    args: dict[str, Any]
    outcome: Outcome

    def as_dict(self) -> dict[str, Any]:
        """As `ask --json` prints it."""
        return {"name": self.name, "args": self.args, "status": self.outcome.status}


Gate = Callable[[str, dict[str, Any]], Awaitable[Outcome]]
"""How a brain calls a tool: with its name and arguments."""


@dataclass(frozen=True)
class Past:
    """An earlier turn of the conversation."""

    said: str
    reply: str
    calls: tuple[ToolCall, ...] = ()
    brain: str = ""
    """Which brain answered; empty when that is not known."""
    turn: str = ""
    """Its id."""
    at: float = 0.0
    """When it was said, a Unix time; 0 when that is not known."""


def declared(tool: Tool) -> Tier:
    """The tier that a tool's author declares; permissions may have another."""
    return tool.tier or Tier.CONFIRM


def unpublished(event: Event) -> None:
    """Discards an event: for turns without a bus."""


@dataclass(frozen=True)
class Turn:
    """One thing a person said. `call` is the gate, on behalf of this turn."""

    text: str
    call: Gate
    tools: Sequence[Tool] = ()
    conversation: str = ""
    person: str = ""
    profile: str = "default"
    history: tuple[Past, ...] = ()
    heard: str | None = None
    """What of the last reply was played before the person spoke; None: all of it."""
    context: dict[str, Any] = field(default_factory=dict)
    manner: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    """The profile's own ways to say things, by language and key of the phrasebook."""
    instructions: str = ""
    """Who the robot is, for a brain that reads: the text of its profile."""
    moves: tuple[str, ...] = ()
    """Moves that the profile favours."""
    personalities: Callable[[], Sequence[str]] = tuple
    """The names of the other profiles; calling it reads the disk."""
    id: str = ""
    tier: Callable[[Tool], Tier] = declared
    """The tier of a tool, as the permissions are now."""
    publish: Callable[[Event], None] = unpublished
    """Publishes events on the bus."""
    teachable: bool = True
    """Whether whoever speaks may teach the robot."""
    voice: str = ""
    """The voice of the profile, by a name of ours or of OpenAI's; empty: the usual one."""
    preferred: str = ""
    """The brain that the person prefers for this request, an agent of it, or `THINKER`; ignored if it is not there."""


@dataclass(frozen=True)
class Said:
    """A piece of the reply; joined as they are, the pieces make the reply.

    One with an `item` is not synthesized: its sound comes as `Voiced` of the same item.
    """

    text: str
    item: str = ""


@dataclass(frozen=True)
class Voiced:
    """Sound of the reply, 16 bits mono, from a brain that speaks itself; only for a spoken turn."""

    pcm: bytes
    rate: int
    item: str


@dataclass(frozen=True)
class Called:
    """A tool call that has ended."""

    call: ToolCall


@dataclass(frozen=True)
class Handoff:
    """Another part of the brain takes over."""

    to: str
    reason: str = ""


@dataclass(frozen=True)
class Done:
    """The end of the turn, and its usage."""

    cost_usd: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    understood: bool = True
    agent: str = ""
    """Which part of the brain answered, where it has parts."""
    brain: str = ""
    """Which brain answered, where several could have."""


Thought = Said | Voiced | Called | Handoff | Done


@runtime_checkable
class EndOfTurnJudge(Protocol):
    """A brain that knows how likely a person who speaks has finished."""

    def finished(self, text: str) -> float:
        """The probability, 0 to 1, for what was said up to a pause. Takes some milliseconds."""
        ...

    def usual(self, language: str) -> Sequence[str]:
        """What it says often: its sound can be synthesized ahead of time."""
        ...


@dataclass(frozen=True)
class Sense:
    """What a brain would make of words. `worth`: how much sense they make, 0 to 1; `tools`: what it would call."""

    worth: float
    tools: tuple[str, ...] = ()


@runtime_checkable
class SenseJudge(Protocol):
    """A brain that knows whether words make sense, without doing anything about them."""

    def sense(self, text: str, history: Sequence[Past] = (), conversation: str = "") -> Sense:
        """Of a turn of this conversation, after these turns. Takes some milliseconds."""
        ...


@runtime_checkable
class Closable(Protocol):
    """A brain that holds resources: a process, a connection. `ActiveBrain` closes it."""

    async def aclose(self) -> None: ...


@runtime_checkable
class Preparable(Protocol):
    """A brain that loads something before its first thought, in the background."""

    async def prepare(self, turn: Turn) -> None:
        """`turn`: one in which nothing was said, with the tools and the profile of now."""
        ...


@runtime_checkable
class SpeechToSpeech(Protocol):
    """A brain that hears and speaks itself in a spoken conversation."""

    def attending(self, conversation: str) -> RemoteListener:
        """Its listener for a conversation; present while its connection is."""
        ...


@runtime_checkable
class HasAgents(Protocol):
    """A brain made of agents, one of which can be preferred."""

    @property
    def agents(self) -> Sequence[str]:
        """Their names."""
        ...


class Brain(Protocol):
    """Anything that can think about a turn."""

    @property
    def name(self) -> str: ...

    def think(self, turn: Turn) -> AsyncIterator[Thought]: ...
