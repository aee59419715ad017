"""The page of events: those of the bus, which the event socket sends, and the frames of conversations."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType

from reachy_mind import events as bus_events
from reachy_mind.conversation import wire
from website.markup import code, plain_text, table

INTRODUCTION = """\
# Events

What a mind tells while it runs: every event of its bus, and the frames of its conversations. Python:
`async for event in mind.bus.subscribe(...)`; programs: the WebSockets of [the API](api.md#websockets).

## Events of the bus

The socket `/api/v1/ws/events` sends each as one JSON object with its `type` and `at`, a Unix time. A subscriber that is
too slow gets `Missed` in place of the oldest ones."""
CHAT_FRAMES = """\
## Frames of the chat socket

The socket `/api/v1/ws/chat` sends these; `POST /api/v1/chat` with `stream` sends those of a turn as server-sent events.
What a client sends: [the guide](../api.md#the-chat-socket)."""
VOICE_FRAMES = """\
## Frames of the voice socket

The socket `/api/v1/ws/voice` sends these beside sound. What a client sends: [the guide](../api.md#voice)."""
WORDS = {
    "str": "text",
    "float": "number",
    "int": "whole number",
    "bool": "true or false",
    "None": "null",
    "Any": "anything",
}


@dataclass(frozen=True)
class FieldText:
    name: str
    type: str
    about: str = ""
    optional: bool = False


@dataclass(frozen=True)
class ClassText:
    """A class as its source has it; `fields` has the inherited ones first."""

    name: str
    about: str
    fields: tuple[FieldText, ...]
    bases: tuple[str, ...]


def page() -> str:
    """Events of the bus, then the frames of the chat socket and of the voice socket."""
    of_bus, of_wire = classes(bus_events), classes(wire)
    unions = _unions(wire)
    parts = [
        INTRODUCTION,
        *(_class(found, 3) for found in of_bus.values() if "Event" in found.bases),
        CHAT_FRAMES,
        *(_frame(of_wire[name]) for name in _members("ChatFrame", unions)),
        VOICE_FRAMES,
        *(_frame(of_wire[name], "voice ") for name in _members("VoiceFrame", unions)),
        "## Parts of frames",
        *(_class(found, 3) for found in of_wire.values() if found.name.endswith("Fields") and found.fields),
    ]
    return "\n\n".join(parts) + "\n"


def classes(module: ModuleType) -> dict[str, ClassText]:
    """The classes of a module with annotated fields, in the order of the source."""
    tree = ast.parse(inspect.getsource(module))
    named = {
        node.targets[0].id: ast.unparse(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    found: dict[str, ClassText] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            bases = tuple(ast.unparse(base) for base in node.bases)
            inherited = [field for base in bases if base in found for field in found[base].fields if base != "Event"]
            total = not any(each.arg == "total" for each in node.keywords)
            own = list(_fields(node, named, total=total))
            about = ast.get_docstring(node) or ""
            found[node.name] = ClassText(node.name, about, (*inherited, *own), bases)
    return found


def _fields(node: ast.ClassDef, named: Mapping[str, str], *, total: bool) -> Iterator[FieldText]:
    for place, inside in enumerate(node.body):
        if not isinstance(inside, ast.AnnAssign) or not isinstance(inside.target, ast.Name):
            continue
        after = node.body[place + 1] if place + 1 < len(node.body) else None
        about = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
            about = after.value.value
        text = ast.unparse(inside.annotation)
        optional = not total or "NotRequired" in text
        text = re.sub(r"^NotRequired\[(.*)\]$", r"\1", text)
        yield FieldText(inside.target.id, named.get(text, text), about, optional)


def type_words(annotation: str) -> str:
    """A type of Python, as people who read JSON call it."""
    literal = re.fullmatch(r"Literal\[(.*)\]", annotation)
    if literal:
        return ", ".join(code(each.strip().strip("'\"")) for each in literal[1].split(","))
    if " | " in annotation:
        return " or ".join(type_words(part) for part in annotation.split(" | "))
    if several := re.fullmatch(r"(?:list|tuple)\[(\w+)(?:, \.\.\.)?\]", annotation):
        return f"list of {type_words(several[1])}"
    if annotation.startswith("dict["):
        return "object"
    return WORDS.get(annotation) or code(annotation)


def _class(found: ClassText, level: int) -> str:
    head = f"{'#' * level} {found.name}\n\n{plain_text(' '.join(found.about.split()))}"
    return f"{head}\n\n{_table(found.fields)}".strip()


def _frame(found: ClassText, of: str = "") -> str:
    (kind,) = (field for field in found.fields if field.name == "type")
    name = type_words(kind.type).strip("`")
    fields = (field for field in found.fields if field.name != "type")
    return f"### {of}{name}\n\n{plain_text(' '.join(found.about.split()))}\n\n{_table(fields)}".strip()


def _table(fields: Iterable[FieldText]) -> str:
    rows = [(_name(field), type_words(field.type), plain_text(field.about)) for field in fields]
    return table(("field", "type", "what it is"), rows) if rows else "No fields."


def _name(field: FieldText) -> str:
    return code(field.name) + (" (where there is one)" if field.optional else "")


def _unions(module: ModuleType) -> dict[str, list[str]]:
    tree = ast.parse(inspect.getsource(module))
    return {
        node.targets[0].id: [part.strip() for part in ast.unparse(node.value).split("|")]
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.BinOp)
    }


def _members(name: str, unions: Mapping[str, list[str]]) -> Iterator[str]:
    for part in unions[name]:
        if part in unions:
            yield from _members(part, unions)
        else:
            yield part
