"""What a brain is given, and what it gives back.

    async def think(self, turn: Turn) -> AsyncIterator[Thought]

A turn is one thing a person said and everything that helps to understand it. Thoughts come as they are made: words to
say, calls that were made through the turn's toolbox, and at the end what it took.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from reachy_mind.errors import MindError
from reachy_mind.events import Event
from reachy_mind.speech.partner import Partner
from reachy_mind.tools.definition import Outcome, Tier, Tool


class NoThought(MindError):
    """The model can't be had, or made no sense. The message is a sentence that can be said aloud."""

    code = "NO_THOUGHT"


class Unanswered(NoThought):
    """The model is there; this one question it did not answer."""


@dataclass(frozen=True)
class Call:
    """A tool that was called in a turn, with its bare name, and how it ended."""

    name: str
    args: dict[str, Any]
    outcome: Outcome

    def as_dict(self) -> dict[str, Any]:
        """As `ask --json` tells it."""
        return {"name": self.name, "args": self.args, "status": self.outcome.status}


Gate = Callable[[str, dict[str, Any]], Awaitable[Outcome]]
"""What a brain calls tools through: the name and the arguments of one."""


@dataclass(frozen=True)
class Past:
    """An earlier turn of the conversation."""

    said: str
    reply: str
    calls: tuple[Call, ...] = ()
    brain: str = ""
    """Who answered; empty when that is not known."""


def declared(tool: Tool) -> Tier:
    """The tier that a tool's author declares; permissions may have another."""
    return tool.tier or Tier.CONFIRM


def unpublished(event: Event) -> None:
    """Nobody reads it."""


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
    """Who else it could be, by name; asking takes a moment."""
    id: str = ""
    tier: Callable[[Tool], Tier] = declared
    """Who decides about a call of a tool, as the permissions have it now."""
    publish: Callable[[Event], None] = unpublished
    """What the brain does, for whoever watches."""
    voice: str = ""
    """The voice of the profile, by a name of ours or of OpenAI's; empty: the usual one."""


@dataclass(frozen=True)
class Said:
    """Words, as far as they are known; put together as they are, they make the reply.

    Those with an `item` are not to be spoken: their sound comes as `Voiced` of the same item.
    """

    text: str
    item: str = ""


@dataclass(frozen=True)
class Voiced:
    """Sound of the reply, 16 bits mono, from a brain that speaks itself; only where the turn was spoken."""

    pcm: bytes
    rate: int
    item: str


@dataclass(frozen=True)
class Called:
    """A tool call that has ended."""

    call: Call


@dataclass(frozen=True)
class Handoff:
    """Another part of the brain takes over."""

    to: str
    reason: str = ""


@dataclass(frozen=True)
class Done:
    """The end of it, and what it took."""

    cost_usd: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    understood: bool = True
    agent: str = ""
    """Which part of the brain answered, where it has parts."""
    brain: str = ""
    """Who answered, where several could have."""


Thought = Said | Voiced | Called | Handoff | Done


@runtime_checkable
class Listener(Protocol):
    """A brain that knows whether somebody who speaks has finished."""

    def finished(self, text: str) -> float:
        """0 to 1, for what was said up to a pause. Takes some milliseconds."""
        ...

    def usual(self, language: str) -> Sequence[str]:
        """What it says again and again, to be made ready by whoever speaks."""
        ...


@runtime_checkable
class Lasting(Protocol):
    """A brain that holds something open: a process, a connection. Who chose it closes it."""

    async def aclose(self) -> None: ...


@runtime_checkable
class Preparing(Protocol):
    """A brain that has something to load or to find out before its first thought, and waits for nobody with it."""

    async def prepare(self, turn: Turn) -> None:
        """`turn`: one in which nothing was said, with the tools and the personality of now."""
        ...


@runtime_checkable
class Conversant(Protocol):
    """A brain that hears and speaks itself, where a conversation is spoken."""

    def attending(self, conversation: str) -> Partner:
        """Its ears for a conversation; they come and go with its connection."""
        ...


class Brain(Protocol):
    """Anything that can think about a turn."""

    @property
    def name(self) -> str: ...

    def think(self, turn: Turn) -> AsyncIterator[Thought]: ...
