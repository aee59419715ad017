"""What Linux says is plugged into this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from reachy_mind.body.media import direct, webcam


def plug(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, cameras: Sequence[tuple[str, int]] = (), card: str = ""
) -> None:
    """Cameras with so many nodes each, and a sound card, in the place of what there is."""
    video, cards = folder / "video4linux", folder / "cards"
    for name, index in ((name, index) for name, nodes in cameras for index in range(nodes)):
        node = video / f"video{len(list(video.glob('*')))}"
        node.mkdir(parents=True)
        (node / "name").write_text(f"{name}\n")
        (node / "index").write_text(f"{index}\n")
    cards.write_text(f" 1 [Audio          ]: USB-Audio - {card}\n" if card else "--- no soundcards ---\n")
    monkeypatch.setattr(webcam, "VIDEO_DEVICES", video)
    monkeypatch.setattr(direct, "CARDS", cards)
