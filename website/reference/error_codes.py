"""The page of error codes: every code that the source gives an error."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import reachy_mind
from reachy_mind.server.app import STATUS_CODES
from website.markup import code, plain_text, table

SOURCE = Path(reachy_mind.__file__).parent
CODE = re.compile(r"[A-Z][A-Z_]{2,}")
INTRODUCTION = """\
# Error codes

Every error has the form `{"code", "message", "hint"}`: on the command line with `--json`, in the answers of tools and
of the [API](api.md). The message says what failed, the hint what to do. Programs should go by the code. What to do
about the most frequent ones: [the guide](../robot.md#errors)."""
CONCLUSION = """\
Where no status is given, the API answers 500, unless the route says otherwise. A tool's own failure is part of its
result, which has status 200."""
NOT_FOR_PEOPLE = ("bench",)


@dataclass
class ErrorCode:
    """`meanings`: the first sentences of the classes that have it, or the message where it is given without a class."""

    meanings: dict[str, None] = field(default_factory=dict)
    rooms: dict[str, None] = field(default_factory=dict)


def page() -> str:
    """A table of the codes, in alphabetical order."""
    rows = (
        (
            code(name),
            plain_text(" ".join(found.meanings)),
            str(STATUS_CODES.get(name, "")),
            ", ".join(code(room) for room in sorted(found.rooms)),
        )
        for name, found in sorted(codes().items())
    )
    head = ("code", "what it means", "HTTP status of the mind", "where it comes from")
    return f"{INTRODUCTION}\n\n{table(head, rows)}\n\n{CONCLUSION}\n"


def codes() -> dict[str, ErrorCode]:
    """Every code, from classes of errors, from `code` in a dict or a call, and from `ToolError("CODE", ...)`."""
    found: dict[str, ErrorCode] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        room = file.relative_to(SOURCE).parts[0].removesuffix(".py")
        if room in NOT_FOR_PEOPLE:
            continue
        for name, meaning in _in_module(ast.parse(file.read_text(encoding="utf-8"))):
            known = found.setdefault(name, ErrorCode())
            known.rooms[room] = None
            if meaning:
                known.meanings[meaning] = None
    return found


def _in_module(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef():
                about = _first_sentence(ast.get_docstring(node) or "")
                yield from ((name, about) for inside in node.body if (name := _assigned(inside)))
            case ast.Dict():
                pairs = zip(node.keys, node.values, strict=True)
                yield from ((name, "") for key, value in pairs if (name := _given(key, value)))
            case ast.Call(func=ast.Name(id="ToolError"), args=[ast.Constant(value=str(name)), *_]):
                yield name, ""


def _assigned(statement: ast.stmt) -> str:
    """The code in `code = "CODE"`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id="code")], value=ast.Constant(value=str(name))) if CODE.fullmatch(name):
            return name
    return ""


def _given(key: ast.expr | None, value: ast.expr) -> str:
    """The code in `{"code": "CODE"}`."""
    match key, value:
        case ast.Constant(value="code"), ast.Constant(value=str(name)) if CODE.fullmatch(name):
            return name
    return ""


def _first_sentence(text: str) -> str:
    paragraph = " ".join(text.partition("\n\n")[0].split())
    return re.split(r"(?<=\.)\s(?=[A-Z`])", paragraph)[0]
