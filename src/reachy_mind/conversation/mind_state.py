"""`MindState`: what state a mind is in, published when it changes."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Literal

from reachy_mind.errors import MindError
from reachy_mind.events import Announced, Bus, LinkChanged, MindChanged, TurnPhase

if TYPE_CHECKING:
    from reachy_mind.memory.conversations import Conversations

State = Literal["initializing", "ready", "processing", "error", "shutdown"]


class MindState:
    """`error` while the robot is lost, `processing` while a turn is under way."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self.state: State = "shutdown"

    def change(self, state: State, reason: str = "") -> None:
        if state != self.state:
            self.state = state
            self._bus.publish(MindChanged(state=state, reason=reason))

    def show(self, phase: TurnPhase) -> None:
        """Follow the phase of the latest turn."""
        if self.state in ("ready", "processing"):
            self.change("ready" if phase == "ready" else "processing")

    async def follow(self, conversations: Conversations) -> None:
        """Follow the link to the robot, and store announcements in their conversation, until it is cancelled."""
        with self._bus.subscribe(Announced, LinkChanged) as events:
            async for event in events:
                if isinstance(event, Announced) and event.conversation:
                    with contextlib.suppress(MindError):
                        await conversations.add_announcement(event.conversation, event.text)
                elif isinstance(event, LinkChanged) and self.state in ("ready", "processing", "error"):
                    lost = event.status in ("lost", "refused")
                    self.change("error" if lost else "ready", event.reason)
