"""`WireResponse`: one response of the Realtime protocol, as the events that tell of it, in the order of the protocol.

created; for each item: output_item.added, conversation.item.added, content_part.added, deltas, their done,
content_part.done, output_item.done, conversation.item.done; done
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any, Literal

from reachy_mind.server.openai_api.messages import as_json
from reachy_mind.server.realtime.audio_format import AudioFormat
from reachy_mind.server.realtime.items import Item, Items, new_id
from reachy_mind.server.realtime.session_config import Modality

Emit = Callable[[str, Mapping[str, Any]], None]
Status = Literal["completed", "cancelled", "failed", "incomplete"]


class WireResponse:
    """`emit` sends an event. Nothing is sent after `done`."""

    def __init__(
        self,
        emit: Emit,
        items: Items,
        conversation: str,
        modality: Modality,
        form: AudioFormat,
        *,
        voice: str = "",
        metadata: Any = None,
        kept: bool = True,
    ) -> None:
        self._emit, self._items, self._form, self._kept = emit, items, form, kept
        self._conversation, self.modality, self._voice, self._metadata = conversation, modality, voice, metadata
        self.id = new_id("resp")
        self.over = False
        self.said = ""
        self._output: list[Item] = []
        self._message: Item | None = None
        self.audio_bytes = 0
        """Of the message that is being spoken."""
        emit("response.created", {"response": self._described("in_progress")})

    @property
    def item_id(self) -> str | None:
        return self._message["id"] if self._message is not None else None

    @property
    def audio_ms(self) -> int:
        return 1000 * self.audio_bytes // self._form.bytes_per_s

    def text(self, delta: str) -> None:
        """Words of the answer."""
        if self.over:
            return
        message = self._message or self._begin_message()
        self.said += delta
        part = message["content"][0]
        key = "transcript" if self.modality == "audio" else "text"
        part[key] += delta
        self._emit(f"response.{self._kind(text=True)}.delta", self._place() | {"delta": delta})

    def audio(self, sound: bytes) -> None:
        """Sound of the answer, in the client's format."""
        if self.over or not sound:
            return
        if self._message is None:
            self._begin_message()
        self.audio_bytes += len(sound)
        delta = base64.b64encode(sound).decode()
        self._emit("response.output_audio.delta", self._place() | {"delta": delta})

    def call(self, call_id: str, name: str, arguments: Mapping[str, Any]) -> None:
        """A call of the client's tool."""
        self._end_message()
        text = as_json(arguments)
        item: Item = {"id": new_id("item"), "object": "realtime.item", "type": "function_call"}
        item |= {"status": "in_progress", "call_id": call_id, "name": name, "arguments": ""}
        place = self._add(item)
        about = place | {"item_id": item["id"], "call_id": call_id}
        self._emit("response.function_call_arguments.delta", about | {"delta": text})
        self._emit("response.function_call_arguments.done", about | {"name": name, "arguments": text})
        item |= {"status": "completed", "arguments": text}
        self._end_item(place, item)

    def done(
        self, status: Status = "completed", details: Mapping[str, Any] | None = None, usage: tuple[int, int] = (0, 0)
    ) -> None:
        """Ends it. `details`: the reason of a cancellation, or the error."""
        if self.over:
            return
        self._end_message("completed" if status == "completed" else "incomplete")
        self.over = True
        about = self._described(status) | {"output": self._output}
        if details is not None:
            about["status_details"] = {"type": status, **details}
        self._emit("response.done", {"response": about | {"usage": _usage(*usage)}})

    def _begin_message(self) -> Item:
        aloud = self.modality == "audio"
        part = {"type": "output_audio", "transcript": ""} if aloud else {"type": "output_text", "text": ""}
        message: Item = {"id": new_id("item"), "object": "realtime.item", "type": "message"}
        message |= {"status": "in_progress", "role": "assistant", "content": []}
        self._message, self.audio_bytes = message, 0
        self._add(message)
        message["content"] = [part]
        empty = {"type": "audio", "transcript": ""} if aloud else {"type": "text", "text": ""}
        self._emit("response.content_part.added", self._place() | {"part": empty})
        return message

    def _end_message(self, status: str = "completed") -> None:
        message, aloud = self._message, self.modality == "audio"
        if message is None:
            return
        part, place = message["content"][0], self._place()
        if aloud:
            self._emit("response.output_audio.done", place)
            self._emit("response.output_audio_transcript.done", place | {"transcript": part["transcript"]})
            told = {"type": "audio", "transcript": part["transcript"]}
        else:
            self._emit("response.output_text.done", place | {"text": part["text"]})
            told = {"type": "text", "text": part["text"]}
        self._emit("response.content_part.done", place | {"part": told})
        self._message = None
        message["status"] = status
        self._end_item({name: place[name] for name in ("response_id", "output_index")}, message)

    def _kind(self, *, text: bool) -> str:
        if self.modality == "text":
            return "output_text"
        return "output_audio_transcript" if text else "output_audio"

    def _place(self) -> dict[str, Any]:
        index = len(self._output) - 1
        return {"response_id": self.id, "item_id": self.item_id, "output_index": index, "content_index": 0}

    def _add(self, item: Item) -> dict[str, Any]:
        self._output.append(item)
        place = {"response_id": self.id, "output_index": len(self._output) - 1}
        self._emit("response.output_item.added", place | {"item": dict(item)})
        if self._kept:
            before = self._items.insert(item)
            self._emit("conversation.item.added", {"previous_item_id": before, "item": dict(item)})
        return place

    def _end_item(self, place: dict[str, Any], item: Item) -> None:
        self._emit("response.output_item.done", place | {"item": item})
        if self._kept:
            self._emit("conversation.item.done", {"previous_item_id": None, "item": item})

    def _described(self, status: str) -> dict[str, Any]:
        about: dict[str, Any] = {"object": "realtime.response", "id": self.id, "status": status}
        about |= {"status_details": None, "output": [], "conversation_id": self._conversation if self._kept else None}
        about |= {"output_modalities": [self.modality], "max_output_tokens": "inf", "metadata": self._metadata}
        voice = {"voice": self._voice} if self._voice else {}
        return about | {"audio": {"output": {"format": self._form.described()} | voice}, "usage": None}


def _usage(tokens_in: int, tokens_out: int) -> dict[str, Any]:
    none = {"cached_tokens": 0, "text_tokens": tokens_in, "audio_tokens": 0, "image_tokens": 0}
    return {
        "total_tokens": tokens_in + tokens_out,
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "input_token_details": none,
        "output_token_details": {"text_tokens": tokens_out, "audio_tokens": 0},
    }
