"""`BrainUpgrade`: builds and prepares a thinker that was found while the mind runs, without any turn waiting for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Literal

from reachy_mind import log
from reachy_mind.brains.brain import Brain, Closable, Preparable, Turn
from reachy_mind.brains.selection_rule import BrainChoice, by_ability
from reachy_mind.errors import MindError

UpgradeState = Literal["found", "ready", "failed"]

_log = log.get(__name__)


class BrainUpgrade:
    """One attempt. `told` gets its state, and the selection or the reason of a failure in one line."""

    def __init__(
        self,
        decide: Callable[[], Awaitable[BrainChoice]],
        create: Callable[[BrainChoice], Brain],
        told: Callable[[UpgradeState, str], None],
    ) -> None:
        self._decide, self._create, self._told = decide, create, told
        self.taken = False
        """Whether the thinker is in use: else it is closed at the end."""

    @contextlib.asynccontextmanager
    async def prepared(self, turn: Turn) -> AsyncIterator[tuple[BrainChoice, Brain | None]]:
        """The selection, and its thinker with its model loaded and its prompt read; None without one."""
        choice = await self._decide()
        thinker: Brain | None = None
        try:
            if choice.thinker:
                self._told("found", choice.line)
                try:
                    choice = await by_ability(choice)
                    thinker = await asyncio.to_thread(self._create, choice)
                    if isinstance(thinker, Preparable):
                        await thinker.prepare(turn)
                except Exception as error:  # noqa: BLE001 -- reflex goes on when a model or a library is broken
                    reason = error.message if isinstance(error, MindError) else f"it failed with {type(error).__name__}"
                    _log.warning("the brain could not be prepared", brain=choice.thinker, reason=reason)
                    self._told("failed", reason)
                    await self._close(thinker)
                    choice, thinker = choice.without(reason), None
            yield choice, thinker
        finally:
            if not self.taken:
                await self._close(thinker)

    async def _close(self, thinker: object) -> None:
        if isinstance(thinker, Closable):
            await thinker.aclose()
