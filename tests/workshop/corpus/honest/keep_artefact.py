"""Hands a file over explicitly."""

from pathlib import Path

from reachy_mind import tools


async def keep_artefact() -> dict:
    """Write a poem and keep it."""
    Path("poem.txt").write_text("Roses are red,\nantennas are thin.\n")
    kept = tools.keep("poem.txt")
    return {"kept": str(kept), "lines": 2}
