"""`ButtonPanel`: the three buttons. gpiozero calls back in threads of its own; everything else happens in the loop."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Self

from reachy_mind.config.device_settings import DeviceSettings
from reachy_mind.errors import InvalidParameter, NotReady
from reachy_mind.fleet.agent.gestures import ButtonSignal, GestureRecognizer, GestureTiming, Press
from reachy_mind.fleet.agent.pins import DevicePins

BUTTONS: Final = ("red", "green", "blue")
SHORT_PRESS_S: Final = 0.06
"""How long a press lasts that a program asks for."""


class ButtonPanel:
    """Use as `async with`. `on_signal` is called in the event loop."""

    def __init__(self, settings: DeviceSettings, pins: DevicePins, on_signal: Callable[[ButtonSignal], None]) -> None:
        self._pins, self._on_signal = pins, on_signal
        self._numbers = dict(zip(BUTTONS, (settings.red_pin, settings.green_pin, settings.blue_pin), strict=True))
        self._timing = GestureTiming.of(settings)
        self._recognizer = GestureRecognizer(self._timing)
        self._contacts: dict[str, Any] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._pressing = asyncio.Lock()

    async def __aenter__(self) -> Self:
        """Raises NotReady when a pin can't be used."""
        loop = asyncio.get_running_loop()
        if self._pins.factory is not None:
            gpiozero = importlib.import_module("gpiozero")
            try:
                for name, number in self._numbers.items():
                    # No `bounce_time`: some pin libraries wait that long before they tell of a press at all.
                    contact = gpiozero.DigitalInputDevice(number, pull_up=True, pin_factory=self._pins.factory)
                    self._contacts[name] = contact
                    contact.when_activated = self._callback(loop, name, down=True)
                    contact.when_deactivated = self._callback(loop, name, down=False)
                    if contact.is_active:  # held since before the start: no edge will tell of it
                        self._edge(name, down=True, at=time.monotonic())
            except gpiozero.GPIOZeroError as error:
                self._close()
                raise NotReady(f"the buttons can't be used: {error}", hint="check device.*_pin") from error
        return self

    async def __aexit__(self, *_: object) -> None:
        self._close()

    async def press(self, button: str, press: Press = "single") -> None:
        """Press a button as a finger would, on mock pins or without any.

        Raises InvalidParameter for a button that is not there, NotReady on real pins.
        """
        if button not in BUTTONS:
            raise InvalidParameter(f"no button {button[:32]!r}", hint=f"there are {', '.join(BUTTONS)}")
        if self._pins.kind == "gpiozero":
            raise NotReady("this device has real buttons", hint="press them")
        async with self._pressing:
            await self._hold(button, self._timing.long + SHORT_PRESS_S if press == "long" else SHORT_PRESS_S)
            if press == "double":
                await asyncio.sleep(self._timing.double / 3 + self._timing.bounce)
                await self._hold(button, SHORT_PRESS_S)
            else:
                await asyncio.sleep(self._timing.double)  # what is pressed next is another press

    async def _hold(self, button: str, seconds: float) -> None:
        self._drive(button, down=True)
        try:
            await asyncio.sleep(seconds)
        finally:
            self._drive(button, down=False)

    def _drive(self, button: str, *, down: bool) -> None:
        if self._pins.factory is None:
            self._edge(button, down=down, at=time.monotonic())
            return
        pin = self._contacts[button].pin
        (pin.drive_low if down else pin.drive_high)()

    def _callback(self, loop: asyncio.AbstractEventLoop, name: str, *, down: bool) -> Callable[[], None]:
        def called_in_a_foreign_thread() -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(partial(self._edge, name, down=down, at=time.monotonic()))

        return called_in_a_foreign_thread

    def _edge(self, button: str, *, down: bool, at: float) -> None:
        self._tell(self._recognizer.edge(button, down=down, at=at))

    def _wait(self) -> None:
        self._tell(self._recognizer.advance(time.monotonic()))

    def _tell(self, signals: list[ButtonSignal]) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline = self._recognizer.deadline()
        if deadline is not None:
            delay = max(0.0, deadline - time.monotonic())
            self._timer = asyncio.get_running_loop().call_later(delay, self._wait)
        for signal in signals:
            self._on_signal(signal)

    def _close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for contact in self._contacts.values():
            contact.close()
        self._contacts.clear()
