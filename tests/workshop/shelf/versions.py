"""Versions of a tool, for the tests of the shelf."""

from __future__ import annotations

from typing import Any

from reachy_mind.workshop.shelf.versions import NewVersion

WAVE = '''async def wave_twice(times: int = 2) -> dict:
    """Wave at somebody."""
    return {"waved": times}
'''
PASSED = {"passed": True, "results": [], "errors": []}
TIMES = {"name": "times", "type": "int", "required": False, "default": "2"}


def new_version(**changes: Any) -> NewVersion:
    """A tool that passed its trial, unless `changes` say otherwise."""
    content: dict[str, Any] = {
        "name": "wave_twice",
        "code": WAVE,
        "description": "Wave at somebody.",
        "parameters": (TIMES,),
        "capabilities": ("motion",),
        "cases": ({"input": {"times": 2}, "expected": "it waves"},),
        "results": PASSED,
        "author": "recipe:sequence",
        "request": "wave at me twice",
    }
    return NewVersion(**(content | changes))
