"""The status light: which state is seen, and what pins and strips show of it."""

from __future__ import annotations

import time

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from reachy_mind.config.device_settings import DeviceSettings
from reachy_mind.fleet.agent.led_strip import LATCH, encode_ws2812, to_pixel
from reachy_mind.fleet.agent.light import MemoryLight, StatusLight
from reachy_mind.fleet.agent.light_states import PATTERNS, LightPattern, shown
from reachy_mind.fleet.agent.pins import DevicePins
from reachy_mind.fleet.agent.rgb_light import RgbLight
from tests.waiting import until_sync


def test_an_emergency_covers_everything() -> None:
    for state in ("off", "idle", "listening", "processing", "speaking", "error"):
        assert shown(state, {"emergency", "muted", "offline"}) == "emergency"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("state", "overlays", "seen"),
    [
        ("idle", {"muted", "offline"}, "muted"),
        ("listening", {"muted"}, "muted"),
        ("speaking", {"muted", "offline"}, "speaking"),
        ("idle", {"offline"}, "offline"),
        ("processing", {"offline"}, "processing"),
        ("error", {"muted", "offline"}, "error"),
        ("idle", set(), "idle"),
    ],
)
def test_overlays_cover_what_is_less_than_they(state: str, overlays: set[str], seen: str) -> None:
    assert shown(state, overlays) == seen  # type: ignore[arg-type]


def test_what_lies_beneath_an_overlay_is_seen_again_after_it() -> None:
    light = StatusLight(MemoryLight(), brightness=1.0)
    light.set("speaking")
    light.overlay("emergency", on=True)
    light.set("listening")
    assert light.shown == "emergency"
    light.overlay("emergency", on=False)
    assert [each.name for each in light.history] == ["off", "speaking", "emergency", "listening"]


def test_colors_can_be_changed_and_dimmed_but_not_those_of_an_emergency() -> None:
    light = StatusLight(MemoryLight(), brightness=0.5, colors=("idle=#00ff80",))
    light.set("idle")
    red, green, blue = light.history[-1].pattern.color
    assert (red, green) == (0.0, 0.5) and blue == pytest.approx(0.25, abs=0.01)
    light.overlay("emergency", on=True)
    assert light.history[-1].pattern.color == (1.0, 0.0, 0.0)


@pytest.fixture
def pins() -> DevicePins:
    return DevicePins("mock", MockFactory(pin_class=MockPWMPin), "a test")


def values(light: RgbLight, seconds: float) -> set[tuple[float, float, float]]:
    seen, end = set(), time.monotonic() + seconds
    while time.monotonic() < end:
        seen.add(light.value())
        time.sleep(0.005)
    return seen


def test_pins_show_solid_pulsing_and_flashing_light(pins: DevicePins) -> None:
    light = RgbLight(DeviceSettings(), pins)
    try:
        light.show(PATTERNS["processing"])
        assert values(light, 0.2) == {(1.0, 1.0, 0.0)}
        light.show(LightPattern((0.0, 0.0, 1.0), "pulse", 0.5))
        seen: set[tuple[float, float, float]] = set()
        until_sync(lambda: seen.add(light.value()) or len(seen) >= 6)
        assert all(red == green == 0 for red, green, _ in seen)
        light.show(LightPattern((1.0, 0.0, 0.0), "flash", 0.1))
        flashed: set[tuple[float, float, float]] = set()
        until_sync(lambda: flashed.add(light.value()) or flashed >= {(1.0, 0.0, 0.0), (0.0, 0.0, 0.0)})
        assert {value for value in flashed if value[2] == 0} <= {(1.0, 0.0, 0.0), (0.0, 0.0, 0.0)}
    finally:
        light.close()
        pins.close()


def test_a_led_with_a_common_anode_shines_when_its_pins_are_low(pins: DevicePins) -> None:
    light = RgbLight(DeviceSettings(light_common_anode=True), pins)
    light.show(LightPattern((1.0, 0.0, 0.0)))
    assert pins.factory.pin(5).state == 0.0 and pins.factory.pin(6).state == 1.0
    light.close()
    pins.close()


def bits(data: bytes) -> str:
    return "".join(f"{byte:08b}" for byte in data)


def test_a_strip_gets_green_red_and_blue_with_three_bits_for_each_bit() -> None:
    data = encode_ws2812([(255, 0, 0x81)])
    assert data.startswith(LATCH) and data.endswith(LATCH)
    sent = bits(data[len(LATCH) : -len(LATCH)])
    symbols = [sent[place : place + 3] for place in range(0, len(sent), 3)]
    decoded = "".join({"110": "1", "100": "0"}[symbol] for symbol in symbols)
    assert decoded == f"{0:08b}{255:08b}{0x81:08b}", "green first"


def test_every_pixel_of_a_strip_is_nine_bytes() -> None:
    for number in (1, 8, 300):
        assert len(encode_ws2812([(1, 2, 3)] * number)) == 9 * number + 2 * len(LATCH)


def test_brightness_is_as_eyes_see_it() -> None:
    assert to_pixel((1.0, 0.0, 0.5), 1.0) == (255, 0, 55)
    assert to_pixel((1.0, 0.0, 0.0), 0.0) == (0, 0, 0)


def test_patterns_move() -> None:
    flash = PATTERNS["emergency"]
    assert [flash.level(t) for t in (0.0, 0.2, 0.3, 0.55)] == [1.0, 1.0, 0.0, 1.0]
    pulse = [PATTERNS["listening"].level(t / 100) for t in range(160)]
    assert min(pulse) > 0 and max(pulse) > 0.99 and len({round(level, 3) for level in pulse}) > 50
