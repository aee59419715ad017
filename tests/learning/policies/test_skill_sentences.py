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


FIND, FOLLOW = SKILLS["find_object"], SKILLS["track_face"]
BEAT = SKILLS["beat"]


async def called_by(said: str) -> list[tuple[str, dict[str, Any]]]:
    """The tools that the reflex brain calls, where all four skills are published."""
    called: list[tuple[str, dict[str, Any]]] = []

    async def call(name: str, args: dict[str, Any]) -> Outcome:
        called.append((name, args))
        return Outcome("ok", {"message": "done"})

    skills = [tool_with(each.tool_name, *sentences_for(each, each.tool_name)) for each in SKILLS.values()]
    async for _ in reflex(load()).think(Turn(said, call, (*TOOLS, *skills))):
        pass
    return called


@pytest.mark.parametrize(
    ("said", "thing"),
    [
        ("Please look at the duck like you practised.", "duck"),
        ("Could you look at the apple as you practised?", "apple"),
        ("Tu peux regarder la pomme comme tu t'es entraîné ?", "apple"),
        ("¿Puedes mirar la manzana como lo has practicado?", "apple"),
        ("Kannst du den Apfel anschauen, wie du es geübt hast?", "apple"),
        ("Look at the duck the way you've learned it", "duck"),
        ("Turn your head to the apple, just like I taught you.", "apple"),
        ("Schau bitte die Ente an, wie du es geübt hast.", "duck"),
        ("Guck mal zur Ente, so wie du es gelernt hast!", "duck"),
        ("Regarde le canard comme tu l\u2019as appris", "duck"),
        ("Mira el pato como practicaste", "duck"),
        ("use your trained skill to look at the duck", "duck"),
        ("do the look at the croissant you trained", "croissant"),
        ("can you look at the apple with the policy you just learned?", "apple"),
        ("mira el pato con la habilidad que entrenaste", "duck"),
    ],
)
async def test_what_was_practised_is_asked_for_in_other_words(said: str, thing: str) -> None:
    assert await called_by(said) == [(LOOK_AT.tool_name, {"thing": thing})]


@pytest.mark.parametrize(
    ("said", "tool", "args"),
    [
        ("Search for the duck like you were taught", FIND.tool_name, {"thing": "duck"}),
        ("Such die Ente, wie du es gelernt hast", FIND.tool_name, {"thing": "duck"}),
        ("Follow my face the way you learned", FOLLOW.tool_name, {}),
        ("Folge meinem Gesicht so wie gelernt", FOLLOW.tool_name, {}),
        ("Keep the beat like you rehearsed it", BEAT.tool_name, {}),
        ("Nod on the beat as you practised", BEAT.tool_name, {}),
        ("Nicke im Takt, wie du es gelernt hast", BEAT.tool_name, {}),
        ("Bats le rythme comme tu l'as appris", BEAT.tool_name, {}),
    ],
)
async def test_each_skill_is_asked_for_by_what_it_does(said: str, tool: str, args: dict[str, Any]) -> None:
    (call,) = await called_by(said)
    assert call[0] == tool and call[1].items() >= args.items()


@pytest.mark.parametrize(
    "said",
    [
        "Look at the duck",
        "What have you learned?",
        "Did you learn to look at the duck?",
        "Nod like you learned it",
        "I learned German the way you learned English",
        "Tell me how you learned to talk",
        "Comme tu as appris !",
    ],
)
async def test_other_talk_about_learning_calls_no_skill(said: str) -> None:
    assert not {name for name, _ in await called_by(said)} & {each.tool_name for each in SKILLS.values()}
