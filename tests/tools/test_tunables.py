"""A correction changes the right parameter by the right amount, and no result leaves the limits of its tool."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.tools.builtin.head import look_at
from reachy_mind.tools.tunables import SIZES, TABLE, Tunable, from_position, intended, revised, tunables

BY_NAME = {tool.name: tool for tool in TOOLS}
AXES = ("yaw", "pitch", "roll", "speed", "volume", "amplitude", "duration", "count", "distance", "talk")
LEFT = {"direction": "left"}

REVISIONS: tuple[tuple[str, dict[str, Any], tuple[str, int, str], dict[str, Any] | None], ...] = (
    ("move_head", LEFT, ("yaw", 1, "small"), {"direction": "left", "degrees": 40}),
    ("move_head", LEFT, ("yaw", -1, "small"), {"direction": "left", "degrees": 30}),
    ("move_head", LEFT | {"degrees": 5}, ("yaw", -1, "medium"), {"direction": "right", "degrees": 5}),
    ("move_head", LEFT | {"degrees": 10}, ("yaw", -1, "medium"), {"direction": "front"}),
    ("move_head", LEFT, ("pitch", 1, "small"), LEFT | {"pitch": -5}),
    ("move_head", {"direction": "up"}, ("yaw", -1, "medium"), {"direction": "up", "yaw": -10}),
    ("move_head", {"direction": "up"}, ("pitch", -1, "large"), {"direction": "down", "degrees": 2}),
    ("move_head", {"direction": "front"}, ("yaw", 1, "medium"), {"direction": "left", "degrees": 10}),
    (
        "move_head",
        {"direction": "up_left"},
        ("pitch", 1, "small"),
        {"direction": "left", "degrees": 35, "pitch": -25},
    ),
    ("move_head", {"direction": "front"}, ("amplitude", 1, "medium"), None),
    ("move_head", {"pitch": 10, "yaw": 20}, ("pitch", 1, "medium"), {"pitch": 0, "yaw": 20}),
    ("move_head", {"yaw": -20}, ("amplitude", 1, "small"), {"yaw": -28}),
    ("move_head", {"roll": -10}, ("roll", 1, "small"), {"roll": -15}),
    ("move_head", LEFT, ("speed", 1, "medium"), LEFT | {"speed": "fast"}),
    ("move_head", LEFT | {"duration": 2}, ("speed", 1, "medium"), LEFT | {"duration": 1.25}),
    ("look_at", {"yaw": 30}, ("yaw", -1, "large"), {"yaw": 8}),
    ("look_at", {}, ("speed", -1, "medium"), {"duration": 1.6}),
    ("look_at_object", {"name": "apple"}, ("pitch", -1, "small"), {"name": "apple", "pitch_offset": -5}),
    ("look_at_object", {"name": "apple", "yaw_offset": 20}, ("yaw", 1, "medium"), {"name": "apple", "yaw_offset": 25}),
    ("rotate", {"direction": "left"}, ("amplitude", 1, "small"), {"direction": "left", "degrees": 15}),
    ("rotate", {"direction": "right"}, ("amplitude", -1, "small"), {"direction": "left", "degrees": 15}),
    ("rotate", {"direction": "right"}, ("yaw", -1, "large"), {"direction": "right", "degrees": 60}),
    ("set_antennas", {"left": 40, "right": 10}, ("pitch", 1, "medium"), {"left": 25, "right": 0}),
    ("set_antennas", {"wiggle": True}, ("pitch", 1, "medium"), None),
    ("nod", {}, ("count", 1, "medium"), {"times": 3}),
    ("nod", {"times": 5}, ("count", 1, "large"), {"times": 5}),
    ("nod", {"speed": "fast"}, ("speed", -1, "large"), {"speed": "slow"}),
    ("wave", {}, ("count", -1, "small"), {"times": 2}),
    ("dance", {}, ("duration", 1, "medium"), {"repeat": 2}),
    ("express_emotion", {"emotion": "sad"}, ("amplitude", -1, "small"), {"emotion": "sad", "intensity": 0.5}),
    ("set_volume", {"volume": 90}, ("volume", 1, "medium"), {"volume": 100}),
    ("speak", {"text": "hello"}, ("speed", -1, "small"), {"text": "hello", "speed": 0.8}),
    ("listen", {}, ("duration", 1, "medium"), {"duration_seconds": 4.8}),
    ("nod", {}, ("yaw", 1, "medium"), None),
    ("set_timer", {"minutes": 3}, ("duration", 1, "medium"), None),
    ("no_such_tool", {}, ("yaw", 1, "medium"), None),
)


@pytest.mark.parametrize(("tool", "args", "correction", "expected"), REVISIONS)
def test_a_correction_changes_the_call(
    tool: str, args: dict[str, Any], correction: tuple[str, int, str], expected: dict[str, Any] | None
) -> None:
    assert revised(tool, args, *correction) == expected


def test_a_turn_goes_on_from_where_it_ended_and_the_whole_turn_is_learned() -> None:
    left = {"direction": "left", "degrees": 40}
    assert revised("rotate", left, "yaw", -1, "medium") == {"direction": "right", "degrees": 30}
    assert intended("rotate", left, "yaw", -1, "medium") == {"direction": "left", "degrees": 10}
    assert intended("rotate", left, "yaw", -1, "large") == {"direction": "right", "degrees": 20}


def test_a_point_in_the_room_moves_around_the_eyes() -> None:
    ahead = {"x": 1.0, "y": 0.0, "z": 0.23}
    assert revised("look_at_world", ahead, "yaw", 1, "medium") == {"x": 0.985, "y": 0.174, "z": 0.23}
    assert revised("look_at_world", ahead, "pitch", -1, "medium") == {"x": 0.985, "y": 0.0, "z": 0.056}
    assert revised("look_at_world", ahead, "distance", 1, "medium") == {"x": 1.6, "y": 0.0, "z": 0.23}


def test_what_has_no_angle_of_its_own_is_corrected_from_where_the_head_is() -> None:
    there = {"pitch": 12.0, "yaw": 50.0, "roll": 0.0, "z_mm": 0.0, "body_yaw": 10.0}
    args = from_position(there, "pitch", 1, "small")
    assert args == {"roll": 0, "pitch": 7, "yaw": 50} and look_at.check(args)
    assert from_position(there, "volume", 1, "small") is None
    assert from_position({}, "yaw", 1, "small") is None


def _limits(schema: dict[str, Any]) -> tuple[float, float]:
    options = [schema, *schema.get("anyOf", ())]
    least = next((option["minimum"] for option in options if "minimum" in option), float("-inf"))
    most = next((option["maximum"] for option in options if "maximum" in option), float("inf"))
    return least, most


@pytest.mark.parametrize("name", TABLE)
def test_the_table_agrees_with_the_tools(name: str) -> None:
    properties = BY_NAME[name].schema["properties"]
    for each in tunables(name):
        least, most = _limits(properties[each.parameter])
        assert least <= each.least <= each.default <= each.most <= most
        assert list(each.steps) == list(SIZES) and sorted(each.steps.values()) == list(each.steps.values())
        default = properties[each.parameter].get("default")
        if default is not None:
            assert each.value(each.default) == default


@pytest.mark.parametrize(("way", "usual"), [("left", 35), ("up", 20), ("down", 25)])
def test_the_usual_degrees_of_a_direction_are_what_can_be_tuned(way: str, usual: float) -> None:
    far = next(each for each in tunables("move_head", {"direction": way}) if each.parameter == "degrees")
    assert far.default == usual and far.at(0.0) == usual and far.at(1.0) == usual + 15


EVERY = [pytest.param(each, id=f"{name}-{each.parameter}-{each.axis}") for name in TABLE for each in tunables(name)]


@pytest.mark.parametrize("each", EVERY)
def test_offsets_are_medium_steps_from_the_default(each: Tunable) -> None:
    assert each.at(0.0) == each.value(each.default)
    assert each.offset(each.default) == 0.0
    lower, upper = each.at(-1e9), each.at(1e9)
    assert (lower, upper) == (each.value(each.least), each.value(each.most))
    if not (each.whole or each.outwards):
        one = each.stepped(each.default, each.sense, "medium")
        assert one in (each.most, pytest.approx(each.at(1.0), abs=0.01))


def _value(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "anyOf" in schema:
        return st.one_of([_value(option) for option in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    least, most = (bound if abs(bound) < 1e9 else None for bound in _limits(schema))
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "number": st.floats(-1e9 if least is None else least, 1e9 if most is None else most),
        "integer": st.integers(None if least is None else int(least), None if most is None else int(most)),
        "boolean": st.booleans(),
        "string": st.sampled_from(["apple", "happy", "simple_nod"]),
        "null": st.none(),
    }
    return kinds[schema["type"]]


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    name = draw(st.sampled_from(list(TABLE)))
    schema = BY_NAME[name].schema
    required = schema.get("required", ())
    chosen = [key for key in schema["properties"] if key in required or draw(st.booleans())]
    return name, {key: draw(_value(schema["properties"][key])) for key in chosen}


CORRECTIONS = st.tuples(st.sampled_from(AXES), st.sampled_from((-1, 1)), st.sampled_from(SIZES))


@settings(max_examples=600, deadline=None)
@given(call=calls(), correction=CORRECTIONS)
def test_no_revision_leaves_the_limits_of_its_tool(
    call: tuple[str, dict[str, Any]], correction: tuple[str, int, str]
) -> None:
    name, args = call
    BY_NAME[name].check(args)
    for change in (revised, intended):
        new = change(name, args, *correction)
        if new is not None:
            BY_NAME[name].check(new)
            assert set(args) - set(new) <= {"direction", "degrees", "pitch", "yaw"}
            again = change(name, new, *correction)
            assert again is None or BY_NAME[name].check(again)


ODD = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4), st.lists(st.integers()))


@settings(max_examples=300, deadline=None)
@given(name=st.sampled_from(list(TABLE)), data=st.data(), correction=CORRECTIONS)
def test_arguments_that_no_tool_would_take_raise_nothing(
    name: str, data: st.DataObject, correction: tuple[str, int, str]
) -> None:
    parameters = sorted(BY_NAME[name].schema["properties"])
    args = data.draw(st.dictionaries(st.sampled_from(parameters), ODD))
    new = revised(name, args, *correction)
    try:
        BY_NAME[name].check(args)
    except InvalidParameter:
        return
    assert new is None or BY_NAME[name].check(new)
