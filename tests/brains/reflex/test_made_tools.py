"""Talk about tools that the robot made: which one is meant, and what happens to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reachy_mind.brains.brain import Turn
from reachy_mind.brains.reflex import made_tools
from reachy_mind.brains.reflex.plan import Step
from reachy_mind.tools.definition import GENERATED, Outcome
from tests.brains.reflex.spoken_tools import tool_with

PHOTOS = replace(tool_with("take_photo_repeatedly", "<take_photo_repeatedly>take photos</>"), source=GENERATED)
CUPS = replace(tool_with("nod_when_cup_seen", "<nod_when_cup_seen>nod at cups</>"), source=GENERATED)


async def no_call(_name: str, _args: dict[str, Any]) -> Outcome:
    raise AssertionError("nothing is called while planning")


def steps(text: str) -> list[tuple[str, dict[str, Any]]]:
    made = made_tools.plan(Turn(text, no_call, (PHOTOS, CUPS, tool_with("nod"))), "en")
    return [(part.tool, part.args) for part in made.parts if isinstance(part, Step)] if made else []


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("stop using the photo tool", [("deactivate_tool", {"name": "take_photo_repeatedly"})]),
        ("please don't use the cup tool any more", [("deactivate_tool", {"name": "nod_when_cup_seen"})]),
        ("benutze das Photo Werkzeug nicht mehr", [("deactivate_tool", {"name": "take_photo_repeatedly"})]),
        ("go back to version 2 of the cup tool", [("rollback_tool", {"name": "nod_when_cup_seen", "version": 2})]),
        ("go back to the old version of the photo tool", [("rollback_tool", {"name": "take_photo_repeatedly"})]),
        ("stop taking photos", [("task_cancel", {})]),
        ("stop using your phone at dinner", []),
        ("stop", []),
    ],
)
def test_a_tool_is_named_by_its_words(said: str, expected: list[tuple[str, dict[str, Any]]]) -> None:
    assert steps(said) == expected
