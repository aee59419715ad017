"""The arguments of a generated tool: a schema and a check, from the annotations in its source.

The annotations are text that a model or a stranger wrote. They are read as syntax and never evaluated; a type that is
not known here accepts any JSON value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Annotated, Any, Literal, Optional, Union

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from reachy_mind.errors import InvalidParameter
from reachy_mind.models.plain_text import words
from reachy_mind.workshop.shelf.versions import canonical

PLAIN: dict[str, Any] = {"str": str, "int": int, "float": float, "bool": bool, "bytes": str, "None": None}
LISTS = frozenset(("list", "List", "Sequence", "tuple", "Tuple", "set", "Set", "frozenset", "Iterable"))
MAPPINGS = frozenset(("dict", "Dict", "Mapping"))
LIMITS = frozenset(("ge", "gt", "le", "lt", "min_length", "max_length", "description"))
MAX_DEPTH = 8
MAX_WORDS, MAX_DEFAULT = 120, 400
"""Characters of a description or a choice, and of a default, that a schema has."""

Check = Callable[[dict[str, Any]], dict[str, Any]]


def arguments_of(name: str, parameters: Iterable[dict[str, Any]]) -> tuple[type[BaseModel], Check]:
    """A model of the arguments, and a check that returns those that were given: the code has the other defaults."""
    fields: dict[str, Any] = {}
    for number, parameter in enumerate(parameters):
        # Under a name of our own: a parameter may be called like a method of the model.
        fields[f"argument_{number}"] = (type_of(parameter["type"]), _field(parameter))
    config = ConfigDict(extra="forbid", allow_inf_nan=False, populate_by_name=False)
    model = create_model(f"{name}_arguments", __config__=config, **fields)

    def check(given: dict[str, Any]) -> dict[str, Any]:
        try:
            valid = model.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "arguments"
            known = ", ".join(str(each.alias) for each in model.model_fields.values()) or "none"
            raise InvalidParameter(f"{name}: {place}: {first['msg']}", hint=f"its parameters: {known}") from None
        checked: dict[str, Any] = valid.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return checked

    return model, check


def type_of(annotation: str | None) -> Any:
    """The type that an annotation names; Any when it is none that JSON has."""
    return _of_text(annotation or "", MAX_DEPTH)


def _of_text(annotation: str, depth: int) -> Any:
    try:
        return _of(ast.parse(annotation, mode="eval").body, depth)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Any


def _of(node: ast.expr, depth: int) -> Any:  # noqa: PLR0911 -- one per kind
    if depth <= 0:
        return Any
    match node:
        case ast.Constant(value=None):
            return None
        case ast.Constant(value=str() as text):
            return _of_text(text, depth - 1)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            kinds = PLAIN | dict.fromkeys(LISTS, list[Any]) | dict.fromkeys(MAPPINGS, dict[str, Any])
            return kinds.get(name, Any)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return Union[_of(left, depth - 1), _of(right, depth - 1)]  # noqa: UP007 -- not known before
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inner):
            return _generic(name, inner.elts if isinstance(inner, ast.Tuple) else [inner], depth - 1)
    return Any


def _generic(name: str, inner: list[ast.expr], depth: int) -> Any:  # noqa: PLR0911 -- one per kind
    if name == "Literal":
        values = [each.value for each in inner if isinstance(each, ast.Constant)]
        usable = len(values) == len(inner) > 0 and all(map(_is_choice, values))
        return Literal[tuple(values)] if usable else Any
    types = [_of(each, depth) for each in inner if not (isinstance(each, ast.Constant) and each.value is ...)]
    if not types:
        return Any
    if name == "Annotated":
        return Annotated[types[0], Field(**_limits(inner[1:]))]
    if name == "Optional":
        return Optional[types[0]]  # noqa: UP045 -- not known before
    if name == "Union":
        return reduce(lambda left, right: Union[left, right], types)  # noqa: UP007
    if name in LISTS:
        return list[types[0]] if len(types) == 1 else list[Any]  # type: ignore[valid-type]
    if name in MAPPINGS:
        return dict[str, types[-1]]  # type: ignore[valid-type]
    return Any


def _limits(calls: list[ast.expr]) -> dict[str, Any]:
    """The constant limits of `Field(...)` in an annotation."""
    found = {
        str(keyword.arg): keyword.value.value
        for call in calls
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg in LIMITS and isinstance(keyword.value, ast.Constant) and _fits(keyword.arg, keyword.value.value)
    }
    # Models read it beside what they are told by us.
    return found | ({"description": words(str(found["description"]), MAX_WORDS)} if "description" in found else {})


def _is_choice(value: object) -> bool:
    return isinstance(value, int | None) or (isinstance(value, str) and len(value) <= MAX_WORDS)


def _fits(limit: str | None, value: object) -> bool:
    if limit == "description":
        return isinstance(value, str)
    kinds = int if limit in ("min_length", "max_length") else int | float
    return isinstance(value, kinds) and not isinstance(value, bool)


def _field(parameter: dict[str, Any]) -> Any:
    if parameter["required"]:
        return Field(alias=parameter["name"])
    try:
        default = ast.literal_eval(parameter.get("default", "None"))
        if len(canonical(default)) > MAX_DEFAULT:
            default = None
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        default = None
    return Field(default=default, alias=parameter["name"])
