"""The event bus: typed events, published once and read by any number of subscribers.

Publishing never waits (no backpressure). A subscriber has a bounded queue; when it is full the oldest events are
dropped, and the subscriber's next event is a `Missed` with their number. The bus belongs to one event loop; other
threads publish with `loop.call_soon_threadsafe(bus.publish, event)`.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal

CreationStage = Literal["writing", "checking", "trying", "repairing"]
TurnPhase = Literal["thinking", "pondering", "acting", "ready"]
"""What the mind does about the current turn. `pondering`: a slow brain is thinking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event, at a Unix time."""

    at: float = field(default_factory=lambda: time.time())  # noqa: PLW0108 -- a trial replaces it


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed(Event):
    """The subscriber was too slow: `count` events were dropped before the next one."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkChanged(Event):
    """The connection to the robot changed: `connecting`, `connected`, `lost`, `refused` or `closed`, and why."""

    status: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionRestarted(Event):
    """The motion process died and was started again."""

    exit_code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotMoved(Event):
    """A robot command ended; `measured` is the pose read back from the robot, angles in degrees."""

    command: str
    measured: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotStopped(Event):
    """A stop was requested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalled(Event):
    """A tool call ended, with any status."""

    call_id: str
    tool: str
    arguments: dict[str, Any]
    status: str
    tier: int
    duration_ms: float
    caller: str
    channel: str
    conversation: str = ""
    error: dict[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted(Event):
    """A tool call was allowed and runs now; `notice` (tier 2): people are notified."""

    call_id: str
    tool: str
    arguments: dict[str, Any]
    notice: bool
    conversation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationAsked(Event):
    """A call needs a person's confirmation before `expires_at`, a Unix time."""

    confirmation_id: str
    call_id: str
    tool: str
    arguments: dict[str, Any]
    consequence: str
    reason: str
    expires_at: float
    conversation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationAnswered(Event):
    """A confirmation was answered, or timed out (`by` is empty). Only the first answer counts."""

    confirmation_id: str
    approved: bool
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskChanged(Event):
    """A background task started, made progress or ended: running, done, failed, cancelled or interrupted."""

    task_id: str
    tool: str
    state: str
    progress: float
    message: str
    conversation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced(Event):
    """An unprompted message to people: a timer is over, a task has ended. `key`: it is kept until a person was told."""

    text: str
    about: str
    conversation: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(Event):
    """A person said something; the mind starts to think about it."""

    turn_id: str
    conversation: str
    text: str
    spoken: bool = False
    direction: float | None = None
    """Where the voice came from: radians from straight ahead of the robot's foot, left positive; None: not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyGrew(Event):
    """A further piece of the reply (streaming)."""

    turn_id: str
    conversation: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThoughtTraced(Event):
    """A trace span of a brain has ended: an agent, a model call, a handoff, a guardrail. It contains no text of the
    conversation.

    `about` has details in plain values: model, agent, tokens. `span_id` and `parent_id` nest the spans.
    """

    turn_id: str
    conversation: str
    step: str
    name: str
    span_id: str
    parent_id: str
    began_at: float
    about: dict[str, Any] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(Event):
    """The turn ended, with a complete reply or an error."""

    turn_id: str
    conversation: str
    reply: str
    brain: str
    latency_ms: float
    error: dict[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackGiven(Event):
    """Somebody said how good an action was. `turn_id`: the turn that it is about, where that is known."""

    feedback_id: int
    turn_id: str
    reward: float
    source: str
    conversation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonChanged(Event):
    """Something was learned (`learned`), undone, valid again (`restored`) or forgotten for good."""

    lesson_ids: tuple[int, ...]
    state: str
    tool: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingChanged(Event):
    """A training that this mind started made progress or ended: starting, running, waiting (for a person), interrupted,
    done or failed. `success_rate`: of the latest evaluation."""

    name: str
    state: str
    episode: int
    episodes: int
    success_rate: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MindChanged(Event):
    """The mind is initializing, ready, processing, in error or shut down."""

    state: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceChanged(Event):
    """The robot's microphone is opening, open, off or lost, and why."""

    microphone: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraChanged(Event):
    """The robot's camera is on, off, or without a usable picture (dark, frozen, lost), and why."""

    camera: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LightChanged(Event):
    """The robot's light: its colour (#rrggbb), its brightness (0 to 1), and solid, blink, pulse or off."""

    color: str
    brightness: float
    effect: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerChanged(Event):
    """A model's process `hung` or `died`, `failed` to start, or is `ready` again after that; and why."""

    name: str
    state: Literal["hung", "died", "failed", "ready"]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreationProgressed(Event):
    """The making of a tool came to another stage; `call_id` is that of `create_tool`, `tool` its name once it has one.

    `repairs`: how often it was repaired so far.
    """

    call_id: str
    stage: CreationStage
    tool: str = ""
    repairs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileChanged(Event):
    """Another personality is active: its name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BrainChanged(Event):
    """A brain that thinks was `found` while reflex was alone, is `ready` (used from now on), or `failed`.

    `thinking`: the selection in one line, or why it failed. Reflex answers until it is ready.
    """

    state: Literal["found", "ready", "failed"]
    thinking: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPullChanged(Event):
    """A model's download started, made progress or ended: running, ready, failed or cancelled.

    `stage`: waiting, checking, downloading or unpacking, with `done` of `total` bytes.
    """

    name: str
    state: str
    stage: str
    done: int
    total: int
    error: dict[str, str] | None = None


class Subscription:
    """An async iterator over the events of some types; use it as a context manager so that it unsubscribes."""

    def __init__(self, bus: Bus, types: tuple[type[Event], ...], size: int) -> None:
        self._bus = bus
        self._types = types
        self._size = size
        self._queue: deque[Event] = deque()
        self._missed = 0
        self._ready = asyncio.Event()
        self._closed = False

    def offer(self, event: Event) -> None:
        if self._types and not isinstance(event, self._types):
            return
        if len(self._queue) >= self._size:
            self._queue.popleft()
            self._missed += 1
        self._queue.append(event)
        self._ready.set()

    async def get(self) -> Event:
        """The next event; `Missed` first if some were dropped. Raises StopAsyncIteration once closed and empty."""
        while not self._queue:
            if self._closed:
                raise StopAsyncIteration
            self._ready.clear()
            await self._ready.wait()
        if self._missed:
            missed, self._missed = self._missed, 0
            return Missed(count=missed)
        return self._queue.popleft()

    def close(self) -> None:
        """Unsubscribe. Events already queued can still be read."""
        self._bus.unsubscribe(self)
        self._closed = True
        self._ready.set()

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        return await self.get()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


class Bus:
    """One stream of typed events with any number of independent readers."""

    def __init__(self) -> None:
        self._subscriptions: list[Subscription] = []

    def publish(self, event: Event) -> None:
        """Hand `event` to every subscriber. Never blocks, never fails because a reader is slow."""
        for subscription in tuple(self._subscriptions):
            subscription.offer(event)

    def subscribe(self, *types: type[Event], size: int = 256) -> Subscription:
        """Read events of these types (all, when none is named) from now on."""
        if size < 1:
            raise ValueError("a subscription needs room for at least one event")
        subscription = Subscription(self, types, size)
        self._subscriptions.append(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)
