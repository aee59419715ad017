"""How people ask for a published skill: in their own words, in four languages, and no sentence is dropped."""

from __future__ import annotations

from typing import Any

import pytest

from reachy_mind.brains.brain import Turn
from reachy_mind.brains.selection import reflex
from reachy_mind.config.configuration import load
from reachy_mind.learning.policies.skill_file import sentences_for
from reachy_mind.learning.policies.skill_templates import SKILLS
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.tools.definition import Outcome
from reachy_mind.workshop.shelf.versions import MAX_LISTED
from tests.brains.reflex.spoken_tools import tool_with

LOOK_AT = SKILLS["look_at"]


@pytest.mark.parametrize("task", SKILLS)
def test_a_version_keeps_all_sentences_of_its_skill(task: str) -> None:
    template = SKILLS[task]
    assert len(sentences_for(template, template.tool_name)) <= MAX_LISTED


@pytest.mark.parametrize(
    ("said", "thing"),
    [
        ("Please look at the duck like you practised.", "duck"),
        ("Could you look at the apple as you practised?", "apple"),
        ("Tu peux regarder la pomme comme tu t'es entraîné ?", "apple"),
        ("¿Puedes mirar la manzana como lo has practicado?", "apple"),
        ("Kannst du den Apfel anschauen, wie du es geübt hast?", "apple"),
    ],
)
async def test_what_was_practised_is_asked_for_in_other_words(said: str, thing: str) -> None:
    called: list[tuple[str, dict[str, Any]]] = []

    async def call(name: str, args: dict[str, Any]) -> Outcome:
        called.append((name, args))
        return Outcome("ok", {"message": "done"})

    skill = tool_with(LOOK_AT.tool_name, *sentences_for(LOOK_AT, LOOK_AT.tool_name))
    async for _ in reflex(load()).think(Turn(said, call, (*TOOLS, skill))):
        pass
    assert called == [(LOOK_AT.tool_name, {"thing": thing})]
