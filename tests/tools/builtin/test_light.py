"""The light: colours in any form, other words for it, an event for those who show it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reachy_mind.events import LightChanged
from tests.tools.builtin.robot import done, refused, toolbox


@pytest.mark.parametrize(
    ("name", "args", "light"),
    [
        ("set_light", {}, ("#ffffff", 1.0, "solid")),
        ("set_light", {"color": "red", "brightness": 0.25}, ("#ff0000", 0.25, "solid")),
        ("set_light", {"color": "Warm White", "effect": "pulse"}, ("#ffd8a8", 1.0, "pulse")),
        ("set_light", {"color": [0, 128, 255], "brightness": 40}, ("#0080ff", 0.4, "solid")),
        ("set_light", {"color": "#0f8", "effect": "off"}, ("#00ff88", 0.0, "off")),
        ("set_light", {"brightness": 0}, ("#ffffff", 0.0, "off")),
        ("set_led", {"r": 255, "g": 128, "b": 0}, ("#ff8000", 1.0, "solid")),
        ("set_led_color", {"colour": "blue", "intensity": 0.5}, ("#0000ff", 0.5, "solid")),
        ("set_lights", {"rgb": [1, 2, 3], "mode": "breathing"}, ("#010203", 1.0, "pulse")),
        ("light", {"on": False}, ("#ffffff", 0.0, "off")),
    ],
)
async def test_it_is_set_and_told(tmp_path: Path, name: str, args: dict[str, Any], light: tuple[Any, ...]) -> None:
    async with toolbox(tmp_path) as box:
        with box.parts.bus.subscribe(LightChanged) as changes:
            told = await done(box, name, **args)
            change = await changes.get()
        assert isinstance(change, LightChanged) and (change.color, change.brightness, change.effect) == light
        assert (told["color"], told["brightness"], told["effect"]) == light
        assert told["shown_on"] == "page" and "no light of its own" in told["message"]


@pytest.mark.parametrize(
    "args", [{"color": "no colour"}, {"color": [1, 2]}, {"color": [1, 2, 300]}, {"color": "x" * 99}, {"effect": "sing"}]
)
async def test_a_light_that_is_none(tmp_path: Path, args: dict[str, Any]) -> None:
    async with toolbox(tmp_path) as box:
        assert (await refused(box, "set_light", **args))[0] == "INVALID_PARAMETER"
        assert "light" not in box.parts.extra
