"""The pins of buttons and light, by gpiozero: those of this machine, or mock ones without hardware."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from reachy_mind import log
from reachy_mind.config.device_settings import DeviceSettings
from reachy_mind.errors import MissingExtra, NotReady

PinKind = Literal["gpiozero", "mock", "none"]
HINT = "pip install 'reachy-mind[device]'; may this user use /dev/gpiochip*? (group gpio); or set device.pins to mock"

_log = log.get(__name__)


@dataclass(frozen=True)
class DevicePins:
    """`factory`: gpiozero's; None without pins. `why`: in words."""

    kind: PinKind
    factory: Any
    why: str

    def close(self) -> None:
        """Every pin becomes an input again."""
        if self.factory is not None:
            self.factory.close()


def open_pins(settings: DeviceSettings) -> DevicePins:
    """Raises MissingExtra and NotReady when pins were asked for that are not there; with `auto` it never does."""
    if settings.pins == "none":
        return DevicePins("none", None, "device.pins: none")
    if settings.pins == "mock":
        return DevicePins("mock", _mock_factory(), "device.pins: mock")
    if settings.pins == "gpiozero":
        return DevicePins("gpiozero", _hardware_factory(), "device.pins: gpiozero")
    if not list(Path("/dev").glob("gpiochip*")):
        reason = "this machine has no GPIO"
    else:
        try:
            return DevicePins("gpiozero", _hardware_factory(), "the GPIO of this machine")
        except (NotReady, MissingExtra) as error:
            reason = error.message
            _log.warning("the pins of this machine can't be used", reason=error.message, hint=error.hint)
    try:
        return DevicePins("mock", _mock_factory(), reason)
    except MissingExtra:
        return DevicePins("none", None, f"{reason}, and gpiozero is not installed")


def _hardware_factory() -> Any:
    gpiozero = _library("gpiozero")
    try:
        return gpiozero.Device._default_pin_factory()
    except gpiozero.BadPinFactory as error:
        raise NotReady(f"the pins can't be used: {error}", hint=HINT) from error
    except OSError as error:
        raise NotReady(f"the pins can't be used: {error.strerror or error}", hint=HINT) from error


def _mock_factory() -> Any:
    mock = _library("gpiozero.pins.mock")
    return mock.MockFactory(pin_class=mock.MockPWMPin)


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtra("pins", "device") from None
