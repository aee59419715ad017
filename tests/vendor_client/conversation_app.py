"""Run by the Python of the vendor's conversation app, with the app's own handler, tools and movement manager:

    conversation_app.py DAEMON_PORT SENTENCE.wav...

OPENAI_BASE_URL says whom the app talks with. Each sentence is given to the handler as its microphone would give it.
What came of it is on the last line, as JSON: what the app showed, how long it spoke, and where the head went.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
import wave
from typing import Any

import numpy as np
from reachy_mini import ReachyMini
from reachy_mini_conversation_app.moves import MovementManager
from reachy_mini_conversation_app.openai_realtime import OpenaiRealtimeHandler
from reachy_mini_conversation_app.tools.core_tools import ToolDependencies
from scipy.signal import resample_poly

RATE_HZ, BLOCK_S, TIMEOUT_S = 24000, 0.02, 30.0


def yaw(robot: Any) -> float:
    head = robot.get_current_head_pose()
    return float(np.degrees(np.arctan2(head[1, 0], head[0, 0])))


def read(path: str) -> np.ndarray:
    """The sound at the app's rate, as FastRTC gives it."""
    with wave.open(path) as file:
        samples, rate = np.frombuffer(file.readframes(file.getnframes()), "<i2"), file.getframerate()
    return resample_poly(samples.astype(np.float32), RATE_HZ, rate).clip(-32768, 32767).astype(np.int16)


class Listener:
    """What the app shows and plays, and where the head is meanwhile."""

    def __init__(self, handler: Any, robot: Any) -> None:
        self.handler, self.robot = handler, robot
        self.shown: list[dict[str, Any]] = []
        self.spoken_s = 0.0
        self.yaws: list[float] = []

    async def listen(self) -> None:
        while True:
            self.handler.last_activity_time = asyncio.get_event_loop().time()  # it is not to be idle
            out = await self.handler.emit()
            if isinstance(out, tuple):
                self.spoken_s += out[1].size / out[0]
            elif out is not None:
                self.shown += [message for message in out.args if isinstance(message, dict)]

    async def watch(self) -> None:
        while True:
            self.yaws.append(yaw(self.robot))
            await asyncio.sleep(0.05)


async def say(handler: Any, path: str) -> None:
    block = round(RATE_HZ * BLOCK_S)
    samples = np.concatenate([read(path), np.zeros(2 * RATE_HZ, np.int16)])
    for at in range(0, len(samples), block):
        await handler.receive((RATE_HZ, samples[at : at + block].reshape(1, -1)))
        await asyncio.sleep(BLOCK_S)


async def converse(robot: Any, manager: Any, sentences: list[str]) -> list[dict[str, Any]]:
    deps = ToolDependencies(reachy_mini=robot, movement_manager=manager)
    handler = OpenaiRealtimeHandler(deps)
    running = asyncio.create_task(handler.start_up())
    found = []
    try:
        async with asyncio.timeout(TIMEOUT_S):
            while handler.connection is None:
                if running.done():
                    running.result()
                await asyncio.sleep(0.05)
        for sentence in sentences:
            listener = Listener(handler, robot)
            tasks = [asyncio.create_task(listener.listen()), asyncio.create_task(listener.watch())]
            await say(handler, sentence)
            end = time.monotonic() + TIMEOUT_S
            while time.monotonic() < end and not any(
                message["role"] == "assistant" and "metadata" not in message for message in listener.shown
            ):
                await asyncio.sleep(0.1)
            await asyncio.sleep(2.0)  # the movement, and the end of the answer
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            low, high = min(listener.yaws), max(listener.yaws)
            found.append({"shown": listener.shown, "spoken_s": listener.spoken_s, "yaw": [low, high]})
    finally:
        await handler.shutdown()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    return found


def main() -> None:
    with ReachyMini(port=int(sys.argv[1]), connection_mode="localhost_only", media_backend="no_media") as robot:
        robot.enable_motors()
        robot.wake_up()
        manager = MovementManager(current_robot=robot)
        manager.start()
        try:
            found = asyncio.run(converse(robot, manager, sys.argv[2:]))
        finally:
            manager.stop()
    print(json.dumps(found))  # noqa: T201 -- the result


main()
