"""`OnDemandAuthor`: an author whose reader and model are loaded with the first request."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reachy_mind.brains.selection import understanding
from reachy_mind.brains.text_models import text_model
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError
from reachy_mind.workshop.author.author import Author
from reachy_mind.workshop.draft import Case, Draft


class OnDemandAuthor:
    """Keeps the protocol `ToolAuthor`."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._author: Author | None = None
        self._opening = asyncio.Lock()

    async def write(self, request: str, *, name: str = "", cases: Sequence[Case | str] = ()) -> Draft:
        return await (await self.opened()).write(request, name=name, cases=cases)

    async def repair(
        self, draft: Draft, findings: Iterable[Mapping[str, Any]], verdict: Mapping[str, Any] | None = None
    ) -> Draft | None:
        return await (await self.opened()).repair(draft, findings, verdict)

    async def improve(self, draft: Draft, wish: str, *, cases: Sequence[Case | str] = ()) -> Draft:
        return await (await self.opened()).improve(draft, wish, cases=cases)

    async def explain(self, draft: Draft) -> str:
        return await (await self.opened()).explain(draft)

    async def opened(self) -> Author:
        """The author, loaded."""
        async with self._opening:
            if self._author is None:
                reader = await asyncio.to_thread(understanding, self._configuration)
                try:
                    model = await text_model(self._configuration)
                except MindError:
                    model = None  # recipes need none; a request that no recipe serves says what is missing
                self._author = Author(reader.plan, model)
            return self._author

    async def aclose(self) -> None:
        if self._author is not None:
            await self._author.aclose()
