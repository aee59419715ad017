"""Maps the mind's activity to motion: idle motion on and off, and a posture while it is thinking."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reachy_mind.events import TurnPhase
    from reachy_mind.motion.client import Motion

THINKING_POSTURE_DELAY_S = 0.5

Body = Callable[[], "Motion | None"]


class IdleSwitch:
    """Pauses and resumes idle motion: breathing and looking around. It rests while a turn is processed, and while
    somebody shows the robot something."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._answering, self._watching = False, 0

    def pause(self) -> None:
        if (motion := self._body()) is not None:
            motion.idle(on=False)

    def resume(self) -> None:
        if (motion := self._body()) is not None:
            motion.idle(on=True)

    def show(self, doing: TurnPhase) -> None:
        self._answering = doing != "ready"
        self._rest()

    @contextlib.contextmanager
    def resting(self) -> Iterator[None]:
        """Hold still for the duration of a `with`; several may overlap."""
        self._watching += 1
        self._rest()
        try:
            yield
        finally:
            self._watching -= 1
            self._rest()

    def _rest(self) -> None:
        if (motion := self._body()) is not None:
            motion.rest_idle(on=self._answering or self._watching > 0)


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
