"""The names of server events: those of the protocol as it is now (GA), or of its beta, for clients that ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BETA_HEADER = b"openai-beta"
_BETA_TYPES = {
    "conversation.item.added": "conversation.item.created",
    "conversation.item.done": "",
    "response.output_audio.delta": "response.audio.delta",
    "response.output_audio.done": "response.audio.done",
    "response.output_audio_transcript.delta": "response.audio_transcript.delta",
    "response.output_audio_transcript.done": "response.audio_transcript.done",
    "response.output_text.delta": "response.text.delta",
    "response.output_text.done": "response.text.done",
}
_BETA_PARTS = {"output_audio": "audio", "output_text": "text"}


def wants_beta(headers: Mapping[bytes, bytes]) -> bool:
    """Whether a client asks for the beta by its header."""
    return b"realtime=v1" in headers.get(BETA_HEADER, b"")


def in_beta(kind: str, about: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """An event in the names of the beta; its type is empty where the beta has none."""
    renamed = dict(about)
    if isinstance(item := about.get("item"), dict):
        renamed["item"] = _item(item)
    if isinstance(response := about.get("response"), dict):
        known = {name: value for name, value in response.items() if name not in ("audio", "output_modalities")}
        renamed["response"] = known | {"output": [_item(one) for one in response.get("output", [])]}
    return _BETA_TYPES.get(kind, kind), renamed


def _item(item: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(item.get("content"), list):
        return item
    parts = [part | {"type": _BETA_PARTS.get(part.get("type", ""), part.get("type"))} for part in item["content"]]
    return item | {"content": parts}
