"""`LedStrip`: a strip of WS2812B LEDs on the data line of an SPI bus, which has the timing that they need.

Each bit of a color becomes three bits on the bus, at 2.4 MHz: 110 for a one, 100 for a zero.
"""

from __future__ import annotations

import importlib
import re
import threading
import time
from collections.abc import Sequence
from typing import Any, Final

from reachy_mind import log
from reachy_mind.config.device_settings import DeviceSettings
from reachy_mind.errors import MissingExtra, NotReady
from reachy_mind.fleet.agent.light_states import LightPattern, Rgb

BUS_HZ: Final = 2_400_000
LATCH: Final = bytes(90)
"""300 µs of silence: the strip then shows what it got."""
FRAMES_PER_S: Final = 30.0
GAMMA: Final = 2.2

_log = log.get(__name__)


def _expanded(value: int) -> bytes:
    bits = "".join("110" if value >> place & 1 else "100" for place in range(7, -1, -1))
    return int(bits, 2).to_bytes(3, "big")


_EXPANDED: Final = [_expanded(value) for value in range(256)]


def encode_ws2812(pixels: Sequence[tuple[int, int, int]]) -> bytes:
    """The bytes on the bus for pixels of red, green and blue from 0 to 255; the strip wants green first."""
    colors = (part for red, green, blue in pixels for part in (green, red, blue))
    return LATCH + b"".join(_EXPANDED[part] for part in colors) + LATCH


def to_pixel(color: Rgb, level: float) -> tuple[int, int, int]:
    """What a LED has to be told so that eyes see this color at this brightness."""
    red, green, blue = (round(255 * max(0.0, min(1.0, part * level)) ** GAMMA) for part in color)
    return red, green, blue


class LedStrip:
    """A thread paints it, as writing to the bus blocks. Raises MissingExtra, NotReady."""

    def __init__(self, settings: DeviceSettings) -> None:
        self._pixels = settings.strip_pixels
        self._bus = _open_bus(settings.strip_device)
        self._pattern, self._since = LightPattern(), time.monotonic()
        self._color: Rgb = (0.0, 0.0, 0.0)
        self._changed, self._closing = threading.Event(), False
        self._thread = threading.Thread(target=self._paint, name="led strip", daemon=True)
        self._thread.start()

    def show(self, pattern: LightPattern) -> None:
        self._pattern, self._since = pattern, time.monotonic()
        self._changed.set()

    def value(self) -> Rgb:
        return self._color

    def close(self) -> None:
        self._closing = True
        self._changed.set()
        self._thread.join(1.0)
        self._bus.close()

    def _paint(self) -> None:
        while not self._closing:
            self._changed.clear()
            pattern, level = self._pattern, self._pattern.level(time.monotonic() - self._since)
            red, green, blue = (part * level for part in pattern.color)
            self._color = (red, green, blue)
            self._write(to_pixel(pattern.color, level))
            self._changed.wait(None if pattern.effect == "solid" else 1 / FRAMES_PER_S)
        self._write((0, 0, 0))

    def _write(self, pixel: tuple[int, int, int]) -> None:
        try:
            self._bus.writebytes2(encode_ws2812([pixel] * self._pixels))
        except OSError as error:
            _log.error("the strip can't be painted", reason=str(error))


def _open_bus(device: str) -> Any:
    found = re.fullmatch(r"/dev/spidev(\d+)\.(\d+)", device)
    assert found is not None, "the setting has this form"
    try:
        bus = importlib.import_module("spidev").SpiDev()
        bus.open(int(found[1]), int(found[2]))
        bus.max_speed_hz, bus.mode = BUS_HZ, 0
    except ImportError:
        raise MissingExtra("a LED strip", "device") from None
    except OSError as error:
        hint = "switch SPI on (raspi-config); may this user use it? (group spi)"
        raise NotReady(f"{device} can't be opened: {error.strerror or error}", hint=hint) from error
    return bus
