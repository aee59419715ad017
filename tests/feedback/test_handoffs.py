"""Words that say who should answer."""

from __future__ import annotations

import pytest

from reachy_mind.brains.agents.roles import ROLES
from reachy_mind.brains.brain import THINKER
from reachy_mind.feedback.handoffs import read_handoff


@pytest.mark.parametrize(
    ("said", "who"),
    [
        ("no, ask the big brain", THINKER),
        ("Think about it properly!", THINKER),
        ("please think it through", THINKER),
        ("let Claude do that next time", "claude"),
        ("hand that to the vision agent", "VisionAgent"),
        ("non, demande au grand cerveau s'il te plaît", THINKER),
        ("réfléchis bien", THINKER),
        ("laisse Claude faire", "claude"),
        ("no, pregunta al cerebro grande", THINKER),
        ("piénsalo otra vez", THINKER),
        ("deja que Claude lo haga", "claude"),
        ("nein, frag lieber das große Modell", THINKER),
        ("denk nochmal darüber nach", THINKER),
        ("lass Claude das machen", "claude"),
    ],
)
def test_who_should_answer_is_read(said: str, who: str) -> None:
    assert read_handoff(said) == who


def test_every_agent_can_be_named() -> None:
    named = {read_handoff(f"ask the {role.name.removesuffix('Agent').removeprefix('Reachy')} agent") for role in ROLES}
    spoken = "ask the robot control agent", "ask the search agent", "ask the coordinator"
    assert {role.name for role in ROLES} <= named | {read_handoff(each) for each in spoken}


@pytest.mark.parametrize(
    "said",
    [
        "ask the big brain why the sky is blue",  # a request of its own
        "think about my birthday properly",
        "what do you think about it",
        "I want the other one",
        "let me think about it",
        "ask my mother",
        "frag mich etwas",
        "piensa en un número",
        "réfléchis à un nombre",
        "",
    ],
)
def test_other_sentences_are_about_something_else(said: str) -> None:
    assert read_handoff(said) is None
