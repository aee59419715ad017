"""`Thinking`: the brain of a mind: chosen when it is first needed, made ready meanwhile, closed at the end."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reachy_mind import log
from reachy_mind.ending import ended
from reachy_mind.errors import MindError

if TYPE_CHECKING:
    from reachy_mind.brains.thought import Brain, Conversant, Preparing, Turn
    from reachy_mind.config import Configuration
    from reachy_mind.profiles.profile import Profile

UNKNOWN = 0.6
"""How sure one is that somebody has finished when the brain can't tell."""

_log = log.get(__name__)


class Thinking:
    """`brain`: one that somebody else made, and closes."""

    def __init__(self, configuration: Configuration, brain: Brain | None = None) -> None:
        self._configuration, self._brain, self._given = configuration, brain, brain is not None
        self._choosing = threading.Lock()

    @property
    def loaded(self) -> bool:
        return self._brain is not None

    def brain(self) -> Brain:
        """Takes a second the first time: call it in a thread then. Raises what its maker raises."""
        with self._choosing:
            if self._brain is None:
                from reachy_mind.brains.choice import choose  # noqa: PLC0415

                self._brain = choose(self._configuration)
            return self._brain

    def prepare(self, turn: Turn, stack: contextlib.AsyncExitStack) -> None:
        """What it has to load is loaded from now on, and nobody waits for it."""
        from reachy_mind.brains.thought import Preparing  # noqa: PLC0415

        brain: object = self._brain
        if isinstance(brain, Preparing):
            preparing = asyncio.create_task(_prepared(brain, turn), name="brain preparing")
            stack.push_async_callback(ended, preparing)

    async def aclose(self) -> None:
        """A later question chooses anew."""
        from reachy_mind.brains.thought import Lasting  # noqa: PLC0415

        if self._given:
            return
        brain: object = self._brain
        self._brain = None
        if isinstance(brain, Lasting):
            await brain.aclose()

    @property
    def line(self) -> str:
        """What thinks and why, in one line, as far as it was decided."""
        from reachy_mind.brains.auto import Auto  # noqa: PLC0415

        brain = self.brain()
        return brain.choice.line if isinstance(brain, Auto) and brain.choice else brain.name

    async def decide(self) -> str:
        """The same, once it is decided: that takes at most a second."""
        from reachy_mind.brains.auto import Auto  # noqa: PLC0415

        brain = await asyncio.to_thread(self.brain)
        if isinstance(brain, Auto):
            await brain.decided()
        return self.line

    async def finished(self, text: str) -> float:
        """How sure one may be that somebody who said this, and then fell silent, has finished: 0 to 1."""
        from reachy_mind.brains.thought import Listener  # noqa: PLC0415

        brain = self.brain()
        if isinstance(brain, Listener):
            return await asyncio.to_thread(brain.finished, text)
        return UNKNOWN

    def usual(self, language: str, profile: Profile) -> Sequence[str]:
        """What it says again and again, if it knows: in the manner of the profile first."""
        from reachy_mind.brains.thought import Listener  # noqa: PLC0415

        brain = self.brain()
        if not isinstance(brain, Listener):
            return ()
        own = (way for ways in profile.manner.get(language, {}).values() for way in ways if "{" not in way)
        return (*own, *brain.usual(language))

    def conversant(self) -> Conversant | None:
        """The brain, if it is one that hears and speaks itself."""
        from reachy_mind.brains.auto import Auto  # noqa: PLC0415
        from reachy_mind.brains.thought import Conversant  # noqa: PLC0415

        brain: object = self.brain()
        first = brain.named if isinstance(brain, Auto) else brain
        return first if isinstance(first, Conversant) else None


async def _prepared(brain: Preparing, turn: Turn) -> None:
    try:
        await brain.prepare(turn)
    except MindError as error:  # said again, to whoever asks
        _log.warning("the brain is not ready", reason=error.message, hint=error.hint)
