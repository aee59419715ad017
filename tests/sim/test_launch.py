"""A simulator or camera process that hangs: callers get an error soon, and it is started again."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from reachy_mind.body.address import Address
from reachy_mind.body.media import simulated
from reachy_mind.body.media.simulated import SimulatedCamera, SimulatedMicrophone
from reachy_mind.errors import LinkLost, MindError, NotReady
from reachy_mind.sim import launch
from reachy_mind.sim.launch import Simulator
from tests.waiting import until

pytestmark = pytest.mark.process


async def gives_a_picture(camera: SimulatedCamera) -> bool:
    try:
        return (await camera.frame()).startswith(b"\xff\xd8")
    except MindError:
        return False


async def test_a_stopped_camera_or_simulator_is_told_soon_and_started_again(
    description: Path, compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "SILENCE_S", 1.5)
    async with Simulator(description, compiled, "empty", log_level="error") as simulator:
        address = Address("127.0.0.1", await simulator.ready())
        async with SimulatedCamera(address) as camera:
            assert await gives_a_picture(camera)
            [renderer] = psutil.Process(simulator.pid).children()
            renderer.send_signal(signal.SIGSTOP)
            began = time.monotonic()
            with pytest.raises(NotReady, match="no sign of life"):
                await camera.frame()
            assert time.monotonic() - began < simulated.FRAME_TIMEOUT_S / 2
            await until(lambda: gives_a_picture(camera))
            assert not renderer.is_running()

            hung = simulator.pid
            async with SimulatedMicrophone(address) as microphone:
                os.kill(hung, signal.SIGSTOP)
                with pytest.raises(LinkLost):
                    await camera.frame()
                with pytest.raises(LinkLost):
                    async for _ in microphone:
                        pass
            await until(lambda: simulator.pid != hung)
            await until(lambda: gives_a_picture(camera))
