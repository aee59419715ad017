"""`draft`: the tool that a recipe makes of a request, in the order in which recipes are asked."""

from __future__ import annotations

from reachy_mind.brains.reflex.at_once import at_once
from reachy_mind.workshop.draft import Draft
from reachy_mind.workshop.recipes import (
    antennas,
    counting,
    delay,
    following,
    repetition,
    request,
    rules,
    sequence,
    watching,
    word_counting,
)
from reachy_mind.workshop.recipes.recipe import ToolRecipe
from reachy_mind.workshop.recipes.request import LONGEST_REQUEST, Understand

RECIPES: tuple[ToolRecipe, ...] = (
    antennas.MORSE_RECIPE,
    antennas.RHYTHM_RECIPE,
    word_counting.RECIPE,
    counting.RECIPE,
    watching.RECIPE,
    rules.RECIPE,
    following.RECIPE,
    repetition.RECIPE,
    delay.RECIPE,
    sequence.RECIPE,
)
"""The more particular ones first."""


def draft(said: str, understand: Understand, language: str = "") -> Draft | None:
    """The tool for a request in words; None when no recipe serves it. Reading takes some milliseconds of arithmetic."""
    if not said.strip() or len(said) > LONGEST_REQUEST:
        return None
    wanted = request.read(said, understand, language)
    if not wanted.wants_tool and at_once(wanted.text, understand) is not None:
        return None  # decided by one look, now
    return next((made for recipe in RECIPES if (made := recipe.draft(wanted)) is not None), None)
