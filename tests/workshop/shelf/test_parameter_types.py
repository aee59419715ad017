"""The schema and the check of a generated tool's arguments, from annotations that are never evaluated."""

from __future__ import annotations

from typing import Any

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.definition import argument_schema
from reachy_mind.workshop.parameter_types import arguments_of


def parameter(kind: str | None, default: str | None = None, name: str = "x") -> dict[str, Any]:
    described = {"name": name, "type": kind, "required": default is None}
    return described if default is None else described | {"default": default}


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("int", [3], ["three", None, [1]]),
        ("float", [0.5, 2], ["x", float("nan")]),
        ("str", ["a"], [1, None]),
        ("bool", [True], ["perhaps"]),
        ("list[str]", [["a", "b"]], [[1], "a"]),
        ("List[int]", [[1]], [["x"]]),
        ("tuple[float, ...]", [[1.0, 2.0]], [["x"]]),
        ("dict[str, int]", [{"a": 1}], [{"a": "x"}, []]),
        ("int | None", [1, None], ["x"]),
        ("Optional[str]", ["a", None], [1]),
        ("Union[int, str]", [1, "a"], [[1]]),
        ("typing.Optional[int]", [1, None], ["x"]),
        ("Literal['left', 'right']", ["left"], ["up"]),
        ("Annotated[int, Field(ge=1, le=5)]", [1, 5], [0, 6]),
        ("'int'", [1], ["x"]),
        ("Any", [1, "a", None, {"b": []}], []),
        (None, [1, "a"], []),
        ("Pose", [{"x": 1}], []),
        ("__import__('os').system('exit 1')", [1], []),
        ("list[" * 60 + "int" + "]" * 60, [[]], []),
        ("Annotated[int, Field(ge='x', pattern='(a+)+')]", [1], []),
    ],
)
def test_what_an_annotation_takes(kind: str | None, good: list[Any], bad: list[Any]) -> None:
    model, check = arguments_of("tool", [parameter(kind)])
    assert argument_schema(model)["required"] == ["x"]
    for value in good:
        assert check({"x": value}) == {"x": value}
    for value in bad:
        with pytest.raises(InvalidParameter):
            check({"x": value})
    with pytest.raises(InvalidParameter):
        check({})
    with pytest.raises(InvalidParameter):
        check({"x": good[0], "y": 1})


def test_defaults_are_shown_and_left_to_the_code() -> None:
    model, check = arguments_of("tool", [parameter("int", "5"), parameter("float", "RATE * 2", name="rate")])
    schema = argument_schema(model)
    assert schema["properties"]["x"] == {"type": "integer", "default": 5}
    assert schema["properties"]["rate"]["type"] == "number"
    assert check({}) == {}
    assert check({"rate": 1}) == {"rate": 1.0}


@pytest.mark.parametrize("name", ["model_config", "json", "copy", "_hidden", "argument_0", "schema", "self", "class_"])
def test_any_name_of_a_parameter_will_do(name: str) -> None:
    model, check = arguments_of("tool", [parameter("int", "1"), parameter("str", "'a'", name=name)])
    assert set(argument_schema(model)["properties"]) == {"x", name}
    assert check({name: "b"}) == {name: "b"}
    if name != "argument_0":
        with pytest.raises(InvalidParameter):
            check({"argument_0": 1})
