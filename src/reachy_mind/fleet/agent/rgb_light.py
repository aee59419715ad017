"""`RgbLight`: a RGB LED on three pins. gpiozero pulses and flashes it in a thread of its own."""

from __future__ import annotations

import importlib
from typing import Any

from reachy_mind.config.device_settings import DeviceSettings
from reachy_mind.errors import NotReady
from reachy_mind.fleet.agent.light_states import DARKEST, LightPattern, Rgb
from reachy_mind.fleet.agent.pins import DevicePins


class RgbLight:
    """Raises NotReady when a pin can't be used."""

    def __init__(self, settings: DeviceSettings, pins: DevicePins) -> None:
        gpiozero = importlib.import_module("gpiozero")
        numbers = (settings.light_red_pin, settings.light_green_pin, settings.light_blue_pin)
        try:
            self._led: Any = gpiozero.RGBLED(
                *numbers, active_high=not settings.light_common_anode, pin_factory=pins.factory
            )
        except gpiozero.GPIOZeroError as error:
            raise NotReady(f"the light can't be used: {error}", hint="check device.light_*_pin") from error

    def show(self, pattern: LightPattern) -> None:
        half = pattern.period_s / 2
        if pattern.effect == "flash":
            self._led.blink(on_time=half, off_time=half, on_color=pattern.color, off_color=(0, 0, 0))
        elif pattern.effect == "pulse":
            dark = tuple(part * DARKEST for part in pattern.color)
            self._led.pulse(fade_in_time=half, fade_out_time=half, on_color=pattern.color, off_color=dark)
        else:
            self._led.color = pattern.color

    def value(self) -> Rgb:
        red, green, blue = self._led.value
        return float(red), float(green), float(blue)

    def close(self) -> None:
        self._led.close()
