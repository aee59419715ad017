"""The built-in tools (`TOOLS`), a module for each group, and their aliases. `factory` registers them."""

from __future__ import annotations

from reachy_mind.tools.builtin import (
    administration,
    demonstrations,
    exact_commands,
    faces,
    head,
    hearing,
    learning,
    light,
    memory,
    moves,
    object_search,
    perception,
    personality,
    pictures,
    state,
    tasks,
    teleoperation,
    time,
    training,
    voice,
    web,
    workshop,
)
from reachy_mind.tools.builtin.aliases import ALIASES
from reachy_mind.tools.definition import Tool

TOOLS: tuple[Tool, ...] = (
    *head.TOOLS,
    *moves.TOOLS,
    *state.TOOLS,
    *light.TOOLS,
    *object_search.TOOLS,
    *faces.TOOLS,
    *perception.TOOLS,
    *hearing.TOOLS,
    *voice.TOOLS,
    *web.TOOLS,
    *time.TOOLS,
    *memory.TOOLS,
    *tasks.TOOLS,
    *personality.TOOLS,
    *exact_commands.TOOLS,
    *pictures.TOOLS,
    *teleoperation.TOOLS,
    *demonstrations.TOOLS,
    *training.TOOLS,
    *administration.TOOLS,
    *workshop.TOOLS,
    *learning.TOOLS,
)

__all__ = ["ALIASES", "TOOLS"]
