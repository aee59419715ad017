"""The event socket: all viewers get the same text, encoded once."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from pathlib import Path

import pytest

from reachy_mind.config.configuration import load
from reachy_mind.events import Announced
from reachy_mind.mind import Mind
from reachy_mind.server import event_stream
from reachy_mind.server.event_stream import EventTexts
from reachy_mind.server.responsiveness import SWITCH_INTERVAL_S
from tests.server.served import serving, socket


async def test_many_viewers_cost_one_encoding_and_no_compression(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[str] = []

    def dumps(message: dict[str, object], **options: object) -> str:
        encoded.append(str(message.get("text")))
        return json.dumps(message, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(event_stream, "json", type("Counting", (), {"dumps": staticmethod(dumps)}))
    flags = {"robot.address": "none", "mind.brain": "reflex"}
    async with (
        Mind(load(flags=flags)).session() as mind,
        serving(mind) as place,
        socket(place, "events") as one,
        socket(place, "events") as two,
    ):
        mind.bus.publish(Announced(text="tea", about="timer"))
        told = await asyncio.gather(*(viewer.until("Announced") for viewer in (one, two)))
        assert told[0] == told[1] and told[0]["text"] == "tea"
        assert encoded.count("tea") == 1 and not one.raw.protocol.extensions
        assert sys.getswitchinterval() == pytest.approx(SWITCH_INTERVAL_S) and gc.get_freeze_count() > 10_000
    assert sys.getswitchinterval() > SWITCH_INTERVAL_S, "as it was before"


def test_equal_events_are_told_apart() -> None:
    texts = EventTexts()
    first, second = Announced(text="tea", about="timer", at=1.0), Announced(text="tea", about="timer", at=2.0)
    assert texts.text(first) is texts.text(first) and json.loads(texts.text(second))["at"] == 2.0
    many = [Announced(text=str(number), about="") for number in range(200)]
    assert [json.loads(texts.text(event))["text"] for event in many] == [str(number) for number in range(200)]
