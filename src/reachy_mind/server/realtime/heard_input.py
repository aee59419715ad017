"""`HeardInput`: what the client's person says, as the protocol tells of it: speech started, stopped, its item, its
words."""

from __future__ import annotations

from reachy_mind.server.realtime.items import Item, Items, new_id
from reachy_mind.server.realtime.wire_response import Emit


class HeardInput:
    def __init__(self, emit: Emit, items: Items) -> None:
        self._emit, self._items = emit, items
        self.received_ms = 0.0
        """How much sound the client has sent."""
        self._item_id = ""
        self._speaking = False
        self._item: Item | None = None

    def started(self) -> None:
        if self._speaking:
            return
        self._speaking, self._item_id, self._item = True, new_id("item"), None
        about = {"audio_start_ms": round(self.received_ms), "item_id": self._item_id}
        self._emit("input_audio_buffer.speech_started", about)

    def stopped(self) -> None:
        if not self._speaking:
            return
        self._speaking = False
        about = {"audio_end_ms": round(self.received_ms), "item_id": self._item_id}
        self._emit("input_audio_buffer.speech_stopped", about)
        self.committed(self._item_id)

    def committed(self, item_id: str = "") -> None:
        """What was said is an item of the conversation; its words may follow."""
        item: Item = {"id": item_id or new_id("item"), "object": "realtime.item", "type": "message", "role": "user"}
        item |= {"status": "completed", "content": [{"type": "input_audio", "transcript": None}]}
        self._item = item
        before = self._items.insert(item)
        self._emit("input_audio_buffer.committed", {"item_id": item["id"], "previous_item_id": before})
        for kind in ("added", "done"):
            self._emit(f"conversation.item.{kind}", {"previous_item_id": before, "item": item})

    def transcribed(self, text: str, seconds: float = 0.0) -> None:
        """The words of what was said last."""
        self.stopped()
        if self._item is None:
            self.committed()
        assert self._item is not None
        self._item["content"][0]["transcript"] = text
        place = {"item_id": self._item["id"], "content_index": 0}
        name = "conversation.item.input_audio_transcription"
        if text:
            self._emit(f"{name}.delta", place | {"delta": text})
        usage = {"type": "duration", "seconds": seconds}
        self._emit(f"{name}.completed", place | {"transcript": text, "usage": usage})
