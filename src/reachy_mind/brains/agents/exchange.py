"""A conversation as the SDK hands it to a model, in the few words that a small one needs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import from_json

HANDED = "transfer_to_"
"""How the calls begin that hand over to another agent: no news for the one who reads them."""
_MARKED = re.compile(r"<result>(.*)</result>", re.DOTALL)


@dataclass
class Made:
    """A call that was made, and how it ended; `output` is empty until then."""

    id: str
    name: str
    arguments: str
    output: str = ""

    @property
    def step(self) -> dict[str, Any]:
        try:
            args = json.loads(self.arguments or "{}")
        except ValueError:
            args = {}
        return {self.name: args}

    @property
    def found(self) -> Mapping[str, Any]:
        """The outcome, as far as it can be read: `status`, `data`, `error`."""
        marked = _MARKED.search(self.output)
        try:
            told = from_json(marked[1] if marked else self.output, allow_partial="trailing-strings")
        except ValueError:
            return {}
        return told if isinstance(told, dict) else {}

    @property
    def failed(self) -> bool:
        return self.found.get("status", "ok") not in ("ok", "started")

    @property
    def message(self) -> str:
        """What the tool says of it; else its answer as it is."""
        found = self.found
        for place in (found.get("data"), found.get("error"), found):
            if isinstance(place, dict) and isinstance(place.get("message"), str):
                return str(place["message"])
        marked = _MARKED.search(self.output)
        return (marked[1] if marked else self.output).strip()

    @property
    def needs_reading(self) -> bool:
        """Whether what was found is in lists behind the message, or there is none: somebody has to put it in words."""
        data = self.found.get("data")
        return not self.failed and (not isinstance(data, dict) or "message" not in data or bool(data.get("results")))


@dataclass
class Exchange:
    """What a person said, what was done about it, what was answered."""

    said: str
    calls: list[Made] = field(default_factory=list)
    reply: str = ""


def exchanges(items: str | list[Any]) -> list[Exchange]:
    """The conversation, the last thing that was said at its end."""
    if isinstance(items, str):
        return [Exchange(items)]
    found: list[Exchange] = []
    for item in items:
        kind, role = item.get("type"), item.get("role")
        if role == "user":
            found.append(Exchange(_text(item.get("content"))))
        elif not found:
            continue
        elif kind == "function_call" and not str(item.get("name", "")).startswith(HANDED):
            found[-1].calls.append(Made(str(item["call_id"]), str(item["name"]), str(item.get("arguments", ""))))
        elif kind == "function_call_output":
            for call in found[-1].calls:
                if call.id == item.get("call_id"):
                    call.output = _text(item.get("output"))
        elif role == "assistant":
            found[-1].reply += _text(item.get("content"))
    return found or [Exchange("")]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts: Iterable[Any] = content if isinstance(content, Sequence) else ()
    return " ".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping)).strip()
