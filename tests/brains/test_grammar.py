"""The grammar: what is planned for what people say."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.brains.grammar import LONGEST, plan
from reachy_mind.brains.plan import Before, Pause, Plan, Step, Words
from reachy_mind.brains.rules import personality
from reachy_mind.tools.builtin import TOOLS
from tests.brains.sentences import NOTHING, TABLES


def written(made: Plan) -> list[tuple[str, dict[str, Any]]]:
    """A plan as the tables have it."""
    out: list[tuple[str, dict[str, Any]]] = []
    for part in made.parts:
        if isinstance(part, Step):
            out.append((part.tool, part.args))
        elif isinstance(part, Pause):
            out.append((f"pause={part.seconds:g}", {}))
    return out


def expected(line: str) -> list[tuple[str, dict[str, Any]]]:
    steps = []
    for step in line.split(" + "):
        name, *pairs = shlex.split(step)
        steps.append((name, {key: value_of(key, value) for key, _, value in (pair.partition("=") for pair in pairs)}))
    return steps


def value_of(key: str, value: str) -> Any:
    if value in ("true", "false"):
        return value == "true"
    if key in ("task_id", "timer_id", "at"):
        return value
    try:
        return float(value)
    except ValueError:
        return value


CASES = [
    pytest.param(said, line, id=f"{table}: {said}") for table, rows in TABLES.items() for said, line in rows.items()
]


@pytest.mark.parametrize(("said", "line"), CASES)
def test_a_request_becomes_its_plan(said: str, line: str) -> None:
    assert written(plan(said)) == expected(line)


@pytest.mark.parametrize("said", NOTHING)
def test_what_is_no_request_moves_nothing(said: str) -> None:
    assert written(plan(said)) == []


@pytest.mark.parametrize("said", [said for rows in TABLES.values() for said in rows if "background task" not in said])
def test_the_tools_take_what_is_planned(said: str) -> None:
    tools = {tool.name: tool for tool in TOOLS}
    for step in plan(said).steps:
        tool = tools[step.tool]
        args = {key: value for key, value in step.args.items() if key != "background" or not tool.supports_background}
        tool.check(args)


def test_every_tool_for_brains_can_be_asked_for() -> None:
    planned = {step.tool for rows in TABLES.values() for said in rows for step in plan(said).steps}
    asked = (personality.plan(said, lambda: ("poet",)) for said in ("be a poet", "who can you be?"))
    planned |= {step.tool for made in asked if made for step in made.steps}  # whose names are known when it is said
    assert {tool.name for tool in TOOLS if not tool.hidden} <= planned


def test_the_table_is_as_large_as_it_says() -> None:
    assert len(CASES) + len(NOTHING) >= 300 and len(NOTHING) >= 40


@pytest.mark.parametrize("said", NOTHING)
def test_nothing_is_still_answered(said: str) -> None:
    assert plan(said).parts or not any(letter.isalnum() for letter in said)


def test_a_negation_is_confirmed_in_words() -> None:
    assert plan("please don't wiggle your antennas").parts == (Words("All right, I won't wiggle my antennas."),)


def test_a_timer_without_a_time_asks_for_it() -> None:
    assert not plan("set a timer").steps
    assert "how long" in str(plan("set a timer").parts[0])


def test_a_task_of_the_turn_before_is_known() -> None:
    before = [Before("background_demo", {}, {"task_id": "abc"})]
    assert plan("cancel the task", before).steps[0].args == {"task_id": "abc"}


def test_no_more_steps_than_a_turn_should_have() -> None:
    made = plan(", ".join(["look left", "look right"] * 15))
    assert len(made.steps) == 12 and not made.understood


FREQUENT = """look left right up and then , . ! nod twice don't if when you please the a 5 degrees minutes timer set for
remind me to be happy dance waltz again more what is it " say remember that my head slowly antennas not in at pm"""
WORDS = st.sampled_from(FREQUENT.split())


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=600), st.lists(WORDS, max_size=60).map(" ".join)))
def test_no_text_is_too_strange(said: str) -> None:
    made = plan(said)
    assert len(made.steps) <= 12
    assert all(isinstance(step.args, dict) for step in made.steps)


PIECES = [
    "look left and ",
    "a ",
    "1 ",
    "and ",
    "if ",
    '"',
    "remind me to ",
    "5 minutes ",
    "e\u0301",
    "x",
    "nod, ",
    "very ",
]


@pytest.mark.timeout(10)
@pytest.mark.parametrize("piece", PIECES)
def test_a_long_text_is_read_or_refused_in_no_time(piece: str) -> None:
    assert plan(piece * (100 * LONGEST // len(piece))).unknown[0].why == "too_much"
    plan((piece * LONGEST)[:LONGEST])
