"""`ClientResults`: what a client's tools returned. A picture may come in a message of its own after the result."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.server.realtime.items import Item

PICTURE_TIMEOUT_S = 5.0
"""How long a result that announces a picture waits for it."""
ANNOUNCED = ("image_attached", "image_in_next_message")


class ClientResults:
    """`deliver` passes a result on, by the id of the call."""

    def __init__(self, deliver: Callable[[str, Any], bool]) -> None:
        self._deliver = deliver
        self._held: tuple[str, dict[str, Any]] | None = None
        self._waiting: asyncio.Task[None] | None = None
        self.answered = False
        """Whether a result came since the last response was asked for."""

    async def aclose(self) -> None:
        if self._waiting is not None:
            await cancel_and_wait(self._waiting)

    def note(self, item: Item) -> None:
        """An item that the client added."""
        if item["type"] == "function_call_output":
            self.flush()
            self.answered = True
            result = _parsed(item["output"])
            if isinstance(result, dict) and any(result.get(name) is True for name in ANNOUNCED):
                self._held = item["call_id"], result
                self._waiting = asyncio.create_task(self._give_up(), name="realtime picture")
            else:
                self._deliver(item["call_id"], result)
        elif item["type"] == "message" and self._held is not None and (picture := _picture(item)):
            call_id, result = self._held
            self._held = call_id, result | {"image_url": picture}
            self.flush()

    def flush(self) -> None:
        """Pass on a result that waits for its picture."""
        held, self._held = self._held, None
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        if held is not None:
            self._deliver(*held)

    async def _give_up(self) -> None:
        await asyncio.sleep(PICTURE_TIMEOUT_S)
        held, self._held, self._waiting = self._held, None, None
        if held is not None:
            self._deliver(*held)


def _parsed(output: str) -> Any:
    try:
        return json.loads(output)
    except (ValueError, RecursionError):
        return output


def _picture(item: Item) -> str:
    parts = (part.get("image_url") for part in item.get("content", []) if part.get("type") == "input_image")
    return next((str(url) for url in parts if url), "")
