"""How the robot holds itself while the mind is at work, and while it is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reachy_mind.motion.client import Motion
    from reachy_mind.turns import Doing

PONDER_S = 0.5

Body = Callable[[], "Motion | None"]


class Idle:
    """Whether the robot breathes and looks around when it has nothing to do."""

    def __init__(self, body: Body) -> None:
        self._body = body

    def pause(self) -> None:
        if (motion := self._body()) is not None:
            motion.idle(on=False)

    def resume(self) -> None:
        if (motion := self._body()) is not None:
            motion.idle(on=True)


class Pondering:
    """Who thinks for long looks like it; who answers at once does not."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._later: asyncio.TimerHandle | None = None

    def show(self, doing: Doing) -> None:
        if self._later is not None:
            self._later.cancel()
            self._later = None
        if (motion := self._body()) is None:
            return
        if doing == "thinking":
            self._later = asyncio.get_running_loop().call_later(PONDER_S, motion.posture, "thinking")
        elif doing == "pondering":  # whoever spoke sees at once that it was heard
            motion.posture("thinking")
        else:
            motion.posture("none")
