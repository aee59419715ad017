"""The check of the workshop for `doctor` and the page: which isolation holds for code that others wrote."""

from __future__ import annotations

import asyncio

from reachy_mind.config.checks import Finding
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError
from reachy_mind.workshop import isolation


async def check(configuration: Configuration) -> Finding:  # noqa: ARG001 -- the signature of a check
    profiles = await asyncio.to_thread(isolation.detect)
    try:
        chosen = isolation.choose("auto", profiles)
    except MindError as error:
        return Finding("workshop", ok=False, detail=error.message, fix=error.hint, optional=True)
    missing = f"; without {', '.join(chosen.missing)}" if chosen.missing else ""
    return Finding(
        "workshop", ok=True, detail=f"code runs isolated ({chosen.name}): {', '.join(chosen.layers)}{missing}"
    )
