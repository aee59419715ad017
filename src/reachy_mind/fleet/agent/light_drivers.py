"""Chooses the driver of the status light."""

from __future__ import annotations

from reachy_mind import log
from reachy_mind.config.device_settings import DeviceSettings
from reachy_mind.errors import MindError
from reachy_mind.fleet.agent.light import LightDriver, MemoryLight
from reachy_mind.fleet.agent.pins import DevicePins

_log = log.get(__name__)


def open_light(settings: DeviceSettings, pins: DevicePins) -> LightDriver:
    """The light of the settings; one that only remembers where that can't be had, which is logged."""
    try:
        if settings.light == "strip":
            from reachy_mind.fleet.agent.led_strip import LedStrip  # noqa: PLC0415 -- not without one

            return LedStrip(settings)
        if settings.light == "rgb" and pins.factory is not None:
            from reachy_mind.fleet.agent.rgb_light import RgbLight  # noqa: PLC0415 -- as above

            return RgbLight(settings, pins)
    except MindError as error:
        _log.error("there is no light", reason=error.message, hint=error.hint)
    return MemoryLight()
