"""The tools the robot comes with: one module for each group, and the names they have elsewhere."""

from __future__ import annotations

from reachy_mind.tools.builtin import (
    direct,
    faces,
    head,
    hearing,
    leading,
    looking,
    memory,
    moves,
    owning,
    perception,
    personality,
    pictures,
    state,
    tasks,
    time,
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
    *looking.TOOLS,
    *faces.TOOLS,
    *perception.TOOLS,
    *hearing.TOOLS,
    *voice.TOOLS,
    *web.TOOLS,
    *time.TOOLS,
    *memory.TOOLS,
    *tasks.TOOLS,
    *personality.TOOLS,
    *workshop.TOOLS,
    *direct.TOOLS,
    *pictures.TOOLS,
    *leading.TOOLS,
    *owning.TOOLS,
)

__all__ = ["ALIASES", "TOOLS"]
