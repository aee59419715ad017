"""`Items`: the conversation of a Realtime session as the protocol has it: messages, calls and results, in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from reachy_mind.errors import MindError

Item = dict[str, Any]
MOST = 2000
KINDS = ("message", "function_call", "function_call_output")
USER_PARTS = ("input_text", "text", "input_audio", "input_image")


class RefusedEvent(MindError):
    """An event of the client that can't be done; `code` and `param` are those of the protocol."""

    def __init__(self, code: str, message: str, *, param: str | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code, self.param = code, param


def new_id(kind: str) -> str:
    return f"{kind}_{uuid4().hex[:20]}"


class Items:
    def __init__(self) -> None:
        self._items: list[Item] = []

    @property
    def last_id(self) -> str | None:
        return self._items[-1]["id"] if self._items else None

    def find(self, item_id: Any) -> Item:
        """Raises RefusedEvent."""
        for item in self._items:
            if item["id"] == item_id:
                return item
        raise RefusedEvent("item_not_found", f"there is no item {str(item_id)[:40]!r}", param="item_id")

    def insert(self, item: Item, after: Any = None) -> str | None:
        """Adds an item; returns the id of the one before it. Raises RefusedEvent."""
        if any(other["id"] == item["id"] for other in self._items):
            raise RefusedEvent("item_create_duplicate_id", f"there is an item {item['id']!r} already", param="item.id")
        at = len(self._items)
        if after == "root":
            at = 0
        elif after is not None:
            at = self._items.index(self.find(after)) + 1
        if len(self._items) >= MOST:
            del self._items[0]
            at = max(at - 1, 0)
        self._items.insert(at, item)
        return self._items[at - 1]["id"] if at else None

    def delete(self, item_id: Any) -> None:
        """Raises RefusedEvent."""
        self._items.remove(self.find(item_id))

    def has_call(self, call_id: str) -> bool:
        return any(item["type"] == "function_call" and item.get("call_id") == call_id for item in self._items)


def parse(given: Any) -> Item:
    """An item that a client makes. Raises RefusedEvent."""
    if not isinstance(given, Mapping) or given.get("type") not in KINDS:
        kind = given.get("type") if isinstance(given, Mapping) else given
        hint = f"one of: {', '.join(KINDS)}"
        raise RefusedEvent("invalid_value", f"no item of type {str(kind)[:40]!r}", param="item.type", hint=hint)
    item = {"id": new_id("item"), "object": "realtime.item", "status": "completed"}
    item |= {name: value for name, value in given.items() if value is not None}
    match item["type"]:
        case "message":
            _check_message(item)
        case "function_call_output":
            for name in ("call_id", "output"):
                if not isinstance(item.get(name), str):
                    raise RefusedEvent("missing_required_parameter", f"{name} is missing", param=f"item.{name}")
        case _:
            for name in ("name", "arguments"):
                if not isinstance(item.get(name), str):
                    raise RefusedEvent("missing_required_parameter", f"{name} is missing", param=f"item.{name}")
            item.setdefault("call_id", new_id("call"))
    return item


def _check_message(item: Item) -> None:
    content = item.get("content")
    if item.get("role") not in ("user", "assistant", "system"):
        raise RefusedEvent("invalid_value", "a message of nobody", param="item.role", hint="user, assistant or system")
    if not isinstance(content, list) or not content or not all(isinstance(part, dict) for part in content):
        raise RefusedEvent("invalid_value", "a message without content", param="item.content", hint="a list of parts")
    if item["role"] == "user" and (
        wrong := [part.get("type") for part in content if part.get("type") not in USER_PARTS]
    ):
        hint = f"one of: {', '.join(USER_PARTS)}"
        raise RefusedEvent("invalid_value", f"a part of type {str(wrong[0])[:40]!r}", param="item.content", hint=hint)


def text_of(item: Item) -> str:
    """The words of a message."""
    parts = (part.get("text") or part.get("transcript") or "" for part in item.get("content", []))
    return "\n".join(str(part) for part in parts if part).strip()


def shown(item: Item) -> Item:
    """An item as clients get it: without its sound."""
    if item["type"] != "message":
        return item
    content = [{name: value for name, value in part.items() if name != "audio"} for part in item["content"]]
    return item | {"content": content}
