"""Recipes with the reader that is shipped."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reachy_mind.brains.reflex.reader import Reader
from reachy_mind.brains.reflex.understanding import Understanding
from reachy_mind.workshop.draft import Draft
from reachy_mind.workshop.recipes import book
from reachy_mind.workshop.recipes.request import Understand

Drafted = Callable[[str], Draft | None]


@pytest.fixture(scope="session")
def understand() -> Understand:
    return Understanding(Reader.load()).plan


@pytest.fixture(scope="session")
def drafted(understand: Understand) -> Drafted:
    made: dict[str, Draft | None] = {}

    def draft(said: str) -> Draft | None:
        if said not in made:
            made[said] = book.draft(said, understand)
        return made[said]

    return draft
