"""`code`: writes a program. It only writes: nothing runs before somebody asks for that."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from reachy_mind.developer.code_folder import stem_for, stem_of
from reachy_mind.developer.program_writer import language_of
from reachy_mind.developer.required_model import TIMEOUT_S
from reachy_mind.developer.service import developer_of
from reachy_mind.developer.shown_text import shown
from reachy_mind.developer.tools.common import counted
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.developer.program_check import Language
    from reachy_mind.tools.context import Context

MAX_EXCERPT_CHARS = 1500
MOST_EXCERPT_LINES = 30
_ENDINGS: dict[Language, str] = {"python": ".py", "shell": ".sh"}
_SAID: dict[Language, str] = {"python": "Python", "shell": "shell"}


@tool(group="developer", tier="notify", timeout_s=TIMEOUT_S + 60, background=True)
async def code(
    ctx: Context,
    request: Annotated[str, Field(min_length=3, max_length=2000, description="What the program shall do, in words")],
    language: Annotated[
        Literal["auto", "python", "shell"], Field(description="Its language; auto: the one that the request names")
    ] = "auto",
    name: Annotated[str, Field(max_length=100, description="A name for its file; one from the request if empty")] = "",
) -> dict[str, Any]:
    """Write a Python or shell program and save it; it is checked, and does not run."""
    developer = developer_of(ctx)
    wanted = language_of(request) if language == "auto" else language
    program = await developer.programs.write(request, wanted, ctx.progress)
    stem = stem_of(name) or stem_for(request)
    place = await asyncio.to_thread(developer.code.save, stem, _ENDINGS[wanted], program.code)
    lines = program.code.splitlines()
    about = f": {program.summary.rstrip('.')}" if program.summary else ""
    size = f"{counted(len(lines), 'line')} of {_SAID[wanted]}"
    return {
        "message": f"I wrote {place.name}, {size}{about}. It has not run yet.",
        "path": str(place),
        "file": place.name,
        "language": wanted,
        "summary": program.summary,
        "lines": len(lines),
        "excerpt": shown("\n".join(lines[:MOST_EXCERPT_LINES]), MAX_EXCERPT_CHARS, lines=True),
        "mended": program.mended,
        "model": program.model,
    }


TOOLS: tuple[Tool, ...] = (code,)
