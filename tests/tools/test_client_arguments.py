"""Arguments of our tools as a client's own schema wants them."""

from __future__ import annotations

from typing import Any

import pytest

from reachy_mind.tools.client_arguments import DoesNotFit, fitted

DIRECTIONS = {"direction": {"type": "string", "enum": ["left", "right", "up", "down", "front"]}}
LISTED = "Available emotions:\n - amazed1: wow\n - cheerful1: happy\n - sad1: sad\n - sad2: sadder\n"


def schema(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


@pytest.mark.parametrize(
    ("given", "wanted", "made"),
    [
        ({"direction": "left", "speed": "slow"}, schema(("direction",), **DIRECTIONS), {"direction": "left"}),
        ({"direction": "center"}, schema(("direction",), **DIRECTIONS), {"direction": "front"}),
        ({"direction": "up_left"}, schema(("direction",), **DIRECTIONS), {"direction": "left"}),
        ({"yaw": -30.0, "pitch": 5.0}, schema(("direction",), **DIRECTIONS), {"direction": "right"}),
        ({"pitch": -20.0}, schema(("direction",), **DIRECTIONS), {"direction": "up"}),
        ({"name": "waltz", "repeat": 2}, schema(move={"type": "string"}, repeat={"type": "integer"}), None),
        ({"emotion": "happy"}, schema(("emotion",), emotion={"type": "string", "description": LISTED}), "cheerful1"),
        ({"emotion": "surprised"}, schema(("emotion",), emotion={"type": "string", "description": LISTED}), "amazed1"),
        ({"emotion": "hungry"}, schema(("emotion",), emotion={"type": "string", "description": LISTED}), "hungry"),
        ({"emotion": "joyful"}, schema(emotion={"enum": ["Happy", "Sad"]}), "Happy"),
        ({"enabled": True}, schema(("start",), start={"type": "boolean"}), {"start": True}),
        ({}, schema(("dummy",), dummy={"type": "boolean"}), {"dummy": True}),
        ({}, schema(("question",), question={"type": "string"}), {"question": "as it was said"}),
        ({"times": 3}, schema(times={"type": ["integer", "null"], "maximum": 2}), {"times": 2}),
        ({"volume": "70"}, schema(("level",), level={"type": "number"}), {"level": 70.0}),
    ],
)
def test_arguments_become_those_of_the_client(given: dict[str, Any], wanted: dict[str, Any], made: Any) -> None:
    if made is None:
        made = {"move": "waltz", "repeat": 2}
    found = fitted(given, wanted, {}, "as it was said")
    assert found == (made if isinstance(made, dict) else {"emotion": made})


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"direction": "around"}, schema(("direction",), **DIRECTIONS)),
        ({}, schema(("degrees",), degrees={"type": "number"})),
        ({"enabled": "maybe"}, schema(("start",), start={"type": "boolean"})),
        ({"times": "often"}, schema(("times",), times={"type": "integer"})),
    ],
)
def test_what_does_not_fit_is_not_forced(given: dict[str, Any], wanted: dict[str, Any]) -> None:
    with pytest.raises(DoesNotFit):
        fitted(given, wanted, {}, "as it was said")


def test_what_does_not_fit_and_need_not_be_given_is_left_out() -> None:
    assert fitted({"times": "often"}, schema(times={"type": "integer"}), {}, "") == {}
