"""The virtual clock: timers cost nothing, real work holds it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from reachy_mind.workshop.trial.clock import VirtualClock, real_monotonic, real_sleep
from reachy_mind.workshop.trial.event_loop import run

EPOCH = 1_700_000_000.0
SPIN = """
import signal, sys, time
signal.signal(signal.SIGUSR1, lambda *_: time.sleep(1000))
print(flush=True)
while True:
    pass
"""


def virtually(main: Callable[[VirtualClock], Coroutine[Any, Any, Any]]) -> Any:
    clock = VirtualClock(epoch=EPOCH)
    with clock.patched():
        return run(lambda: main(clock), clock)


def test_an_hour_of_sleep_passes_at_once_on_every_clock_of_the_process() -> None:
    async def main(clock: VirtualClock) -> list[float]:
        before = [time.time(), time.monotonic(), time.perf_counter(), time.clock_gettime(time.CLOCK_BOOTTIME)]
        await asyncio.sleep(3600)
        after = [time.time(), time.monotonic(), time.perf_counter(), time.clock_gettime(time.CLOCK_BOOTTIME)]
        assert clock.elapsed == pytest.approx(3600)
        return [b - a for a, b in zip(before, after, strict=True)]

    assert virtually(main) == pytest.approx([3600.0] * 4)


def test_the_time_module_is_real_again_afterwards() -> None:
    virtually(lambda clock: asyncio.sleep(86400, clock))
    assert time.monotonic is real_monotonic
    assert time.localtime().tm_year >= 2024
    assert concurrent.futures.ThreadPoolExecutor.submit.__name__ == "submit"


def test_timers_fire_in_their_order() -> None:
    async def main(clock: VirtualClock) -> list[tuple[str, float]]:
        fired: list[tuple[str, float]] = []

        async def after(seconds: float, name: str) -> None:
            await asyncio.sleep(seconds)
            fired.append((name, clock.elapsed))

        await asyncio.gather(after(30, "c"), after(10, "a"), after(20, "b"))
        return fired

    assert virtually(main) == [("a", pytest.approx(10)), ("b", pytest.approx(20)), ("c", pytest.approx(30))]


def test_work_in_a_thread_holds_the_clock() -> None:
    async def main(clock: VirtualClock) -> float:
        waiting = asyncio.create_task(asyncio.sleep(1000))
        await asyncio.to_thread(real_sleep, 0.05)
        held = clock.elapsed
        waiting.cancel()
        return held

    assert virtually(main) == 0.0


def test_threads_sleep_on_the_clock() -> None:
    async def main(clock: VirtualClock) -> list[float]:
        def nap(seconds: float) -> float:
            time.sleep(seconds)
            return clock.elapsed

        return list(await asyncio.gather(*(asyncio.to_thread(nap, seconds) for seconds in (100, 300, 200))))

    assert virtually(main) == pytest.approx([100, 300, 200])


def test_an_error_and_a_cancellation_in_a_thread_leave_the_clock_free() -> None:
    async def main(clock: VirtualClock) -> float:
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(lambda: 1 / 0)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            first = pool.submit(real_sleep, 0.02)
            second = pool.submit(real_sleep, 0.02)
            assert second.cancel()
            await asyncio.wrap_future(first)
        await asyncio.sleep(500)
        return clock.elapsed

    assert virtually(main) == pytest.approx(500)


def test_the_wall_timeout_counts_real_seconds() -> None:
    async def main(clock: VirtualClock) -> str:
        async with clock.wall_timeout(60):
            await asyncio.sleep(3600)
        try:
            async with clock.wall_timeout(0.05):
                await asyncio.get_running_loop().create_future()
        except TimeoutError:
            return "real seconds"
        return "none"

    assert virtually(main) == "real seconds"


@pytest.mark.process
def test_a_process_that_computes_holds_the_clock_and_one_that_waits_does_not() -> None:
    async def main(clock: VirtualClock) -> tuple[float, float]:
        with clock.real_time():
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", SPIN), stdout=subprocess.PIPE, stdin=subprocess.PIPE
            )
            assert process.stdout is not None
            await process.stdout.readline()
        before = clock.elapsed
        clock.watch(process.pid)
        with pytest.raises(TimeoutError):
            async with clock.wall_timeout(0.1):
                await asyncio.sleep(100)
        held = clock.elapsed - before
        process.send_signal(signal.SIGUSR1)  # it sleeps from now on
        await asyncio.sleep(100)
        passed = clock.elapsed - before
        process.kill()
        assert await process.wait() == -9
        clock.unwatch(process.pid)
        return held, passed

    held, passed = virtually(main)
    assert held == 0.0
    assert passed == pytest.approx(100, abs=1)
