"""Maps the mind's activity to motion: idle motion on and off, and a posture while it is thinking."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reachy_mind.events import TurnPhase
    from reachy_mind.motion.client import Motion

THINKING_POSTURE_DELAY_S = 0.5

Body = Callable[[], "Motion | None"]


class IdleSwitch:
    """Pauses and resumes idle motion: breathing and looking around. It rests while a turn is processed."""

    def __init__(self, body: Body) -> None:
        self._body = body

    def pause(self) -> None:
        if (motion := self._body()) is not None:
            motion.idle(on=False)

    def resume(self) -> None:
        if (motion := self._body()) is not None:
            motion.idle(on=True)

    def show(self, doing: TurnPhase) -> None:
        if (motion := self._body()) is not None:
            motion.rest_idle(on=doing != "ready")


class ThinkingPosture:
    """Shows the thinking posture when an answer takes longer than a short delay."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._delayed: asyncio.TimerHandle | None = None

    def show(self, doing: TurnPhase) -> None:
        if self._delayed is not None:
            self._delayed.cancel()
            self._delayed = None
        if (motion := self._body()) is None:
            return
        if doing == "thinking":
            self._delayed = asyncio.get_running_loop().call_later(THINKING_POSTURE_DELAY_S, motion.posture, "thinking")
        elif doing == "pondering":  # at once: the person sees that the robot heard them
            motion.posture("thinking")
        else:
            motion.posture("none")
