"""Buttons on mock pins: presses come from threads that are not ours, and arrive in the event loop."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from reachy_mind.config.device_settings import DeviceSettings
from reachy_mind.errors import InvalidParameter, NotReady
from reachy_mind.fleet.agent.buttons import ButtonPanel
from reachy_mind.fleet.agent.gestures import ButtonDown, ButtonGesture, ButtonSignal
from reachy_mind.fleet.agent.pins import DevicePins, open_pins
from tests.waiting import until

MOCK = DeviceSettings(pins="mock", long_press_s=0.4)


@asynccontextmanager
async def panel(settings: DeviceSettings = MOCK) -> AsyncIterator[tuple[ButtonPanel, DevicePins, list[ButtonSignal]]]:
    pins, seen = open_pins(settings), list[ButtonSignal]()
    loop, thread = asyncio.get_running_loop(), threading.get_ident()

    def note(signal: ButtonSignal) -> None:
        assert threading.get_ident() == thread and asyncio.get_running_loop() is loop
        seen.append(signal)

    try:
        async with ButtonPanel(settings, pins, note) as made:
            yield made, pins, seen
    finally:
        pins.close()


async def test_a_press_in_a_foreign_thread_arrives_in_the_loop() -> None:
    async with panel() as (_, pins, seen):
        pin = pins.factory.pin(27)

        def finger() -> None:
            pin.drive_low()
            time.sleep(0.05)
            pin.drive_high()

        await asyncio.to_thread(finger)
        await until(lambda: ButtonGesture("green", "single") in seen)
        assert seen == [ButtonDown("green"), ButtonGesture("green", "single")]


@pytest.mark.parametrize("press", ["single", "double", "long"])
@pytest.mark.parametrize("kind", ["mock", "none"])
async def test_a_program_can_press_a_button_as_a_finger_would(kind: str, press: str) -> None:
    settings = DeviceSettings(pins=kind, long_press_s=0.4)  # type: ignore[arg-type]
    async with panel(settings) as (made, _, seen):
        await made.press("blue", press)  # type: ignore[arg-type]
        await until(lambda: any(isinstance(each, ButtonGesture) for each in seen))
        assert [each for each in seen if isinstance(each, ButtonGesture)] == [ButtonGesture("blue", press)]  # type: ignore[arg-type]


async def test_many_presses_from_three_threads_all_arrive() -> None:
    settings = DeviceSettings(pins="mock", debounce_ms=0, bounce_ms=0, double_press_ms=50)
    async with panel(settings) as (_, pins, seen):

        def finger(number: int) -> None:
            pin = pins.factory.pin(number)
            for _ in range(20):
                pin.drive_low()
                pin.drive_high()
                time.sleep(0.07)

        await asyncio.gather(*(asyncio.to_thread(finger, number) for number in (17, 27, 22)))
        await until(lambda: sum(isinstance(each, ButtonDown) for each in seen) == 60)
        assert sum(each == ButtonGesture("red", "single") for each in seen) == 20


async def test_a_button_that_is_not_there_is_refused() -> None:
    async with panel() as (made, _, _):
        with pytest.raises(InvalidParameter, match="no button 'yellow'"):
            await made.press("yellow")


async def test_two_things_on_one_pin_are_refused_with_the_setting_to_check() -> None:
    settings = DeviceSettings(pins="mock", green_pin=17)
    pins = open_pins(settings)
    with pytest.raises(NotReady, match="buttons can't be used"):
        async with ButtonPanel(settings, pins, lambda _: None):
            pass
    pins.close()


def test_without_gpio_there_are_mock_pins_and_it_says_why() -> None:
    pins = open_pins(DeviceSettings())
    assert pins.kind in ("mock", "gpiozero") and pins.why
    pins.close()
