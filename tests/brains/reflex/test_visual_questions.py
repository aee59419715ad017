"""Sentences about what can be seen go to the eyes; others do not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from reachy_mind.brains.reflex.brain import Reflex
from reachy_mind.brains.reflex.plan import Before
from reachy_mind.brains.selection import choose
from reachy_mind.config.configuration import load


@pytest.fixture(scope="module")
def brain() -> Reflex:
    brain = choose(load(environ={}, flags={"mind.brain": "reflex"}))
    assert isinstance(brain, Reflex)
    return brain


def steps(brain: Reflex, text: str, before: Sequence[Before] = ()) -> list[tuple[str, dict[str, object]]]:
    return [(step.tool, step.args) for step in brain._understand(text, before).steps]


@pytest.mark.parametrize(
    "text",
    ["is there an apple", "where is the croissant?", "what is left of the croissant", "what is nearest to you",
     "which thing is closest?", "how many ducks are there", "are there any ducks", "what does the sign say",
     "is there anything red?", "can you see the duck", "do you see a banana", "is the duck yellow"],
)  # fmt: skip
def test_questions_for_the_eyes(brain: Reflex, text: str) -> None:
    assert steps(brain, text) == [("analyze_scene", {"prompt": text.rstrip("?")})]


@pytest.mark.parametrize("text", ["who wrote hamlet", "Who painted the Mona Lisa?", "who is the king of Spain"])
def test_who_did_something_elsewhere_is_not_for_the_eyes(brain: Reflex, text: str) -> None:
    assert steps(brain, text) == []
    (tool,) = [tool for tool, _ in steps(brain, "who is in front of you?")]
    assert tool in ("detect_faces", "analyze_scene")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "could you look over at the cup and describe what you see",
            [("look_at_object", "cup"), ("analyze_scene", "")],
        ),
        (
            "Look at the cup and tell me its colour.",
            [("look_at_object", "cup"), ("analyze_scene", "colour of the cup")],
        ),
        ("Do you see a cup? Look at it, please.", [("analyze_scene", "Do you see a cup"), ("look_at_object", "cup")]),
        ("What is the thing on the left?", [("analyze_scene", "What is the thing on the left")]),
        ("Never mind that, look at the cup.", [("look_at_object", "cup")]),
        ("That was wrong, I said nod.", [("nod", "")]),
        ("No, thank you.", []),
        ("Never mind.", []),
        ("Wrong, he danced all night.", []),
    ],
)
def test_where_to_look_what_is_asked_and_what_is_taken_back(
    brain: Reflex, text: str, wanted: list[tuple[str, str]]
) -> None:
    made = steps(brain, text)
    assert [tool for tool, _ in made] == [tool for tool, _ in wanted]
    assert all(word in str(args) for (_, args), (_, word) in zip(made, wanted, strict=True))


@pytest.mark.parametrize(
    ("text", "name"),
    [("Regarde le canard.", "duck"), ("Mira la manzana roja.", "red apple"), ("Schau dir bitte die Ente an.", "duck"),
     ("Schau das Dingsbums an.", "Dingsbums")],
)  # fmt: skip
def test_a_thing_is_looked_for_by_the_name_that_detectors_have(brain: Reflex, text: str, name: str) -> None:
    assert steps(brain, text) == [("look_at_object", {"name": name})]


@pytest.mark.parametrize(
    "text",
    ["look at the table and tell me what you see", "please look at the table, then tell me what you see",
     "Look at the table. What do you see?"],
)  # fmt: skip
def test_first_the_table_then_the_question(brain: Reflex, text: str) -> None:
    (first, where), (then, _) = steps(brain, text)
    assert (first, where, then) == ("look_at_object", {"name": "table"}, "analyze_scene")


def test_it_is_what_was_talked_about_last(brain: Reflex) -> None:
    found = [Before("look_at_object", {"name": "duck"})]
    assert steps(brain, "what colour is it?", found) == [("analyze_scene", {"prompt": "what colour is the duck"})]
    asked = [Before("analyze_scene", {"prompt": "is there an apple"}, {"about": "apple"})]
    assert steps(brain, "where is it?", asked) == [("analyze_scene", {"prompt": "where is the apple"})]
    assert steps(brain, "find the duck and tell me what colour it is") == [
        ("look_at_object", {"name": "duck"}),
        ("analyze_scene", {"prompt": "tell me what colour the duck is"}),
    ]


@pytest.mark.parametrize(
    "text",
    ["where is Paris", "how many planets are there", "is there life on mars", "what is the nearest star",
     "how many people live in France", "how many dogs are there in the world", "is there a timer"],
)  # fmt: skip
def test_the_eyes_are_not_asked_about_the_world(brain: Reflex, text: str) -> None:
    assert "analyze_scene" not in [tool for tool, _ in steps(brain, text)]
