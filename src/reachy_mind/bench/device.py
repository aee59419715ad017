"""What does the device agent cost, and how quick is its red button with no server? The real process, without hardware.

Ours: `reachy-mind device run` on mock pins and a sound card without hardware, first alone, then enrolled at a control
plane, then in a conversation that it holds by itself. Reference, in the same run: a bare Python with asyncio and
gpiozero whose button lights a LED by gpiozero's own callback. Latencies are from before the press is asked for to the
painted light, to the moment at which the alarm's first sample that can be heard leaves the loudspeaker, and until the
control plane lists the emergency.
"""

from __future__ import annotations

import asyncio
import json
import math
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import psutil

from reachy_mind.bench import Figures
from reachy_mind.bench.device_process import POLL_S, AgentProcess, first_loud
from reachy_mind.bench.fleet_processes import ControlNode, enrolled
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError, NotReady
from reachy_mind.fleet.device.enrolment import save_identity

SECONDS = 90.0
STARTS: Final = 3
IDLE_S: Final = 6.0
CALLS: Final = 20
"""Emergencies with a control plane."""
QUESTION: Final = "What time is it?"
REFERENCE: Final = """
import asyncio, json, os, time
import gpiozero
from gpiozero.pins.mock import MockFactory, MockPWMPin
async def main():
    factory = MockFactory(pin_class=MockPWMPin)
    led, button = gpiozero.LED(5, pin_factory=factory), gpiozero.Button(17, pin_factory=factory)
    lit = []
    button.when_pressed = lambda: (led.on(), lit.append(time.monotonic()))
    print(json.dumps({"ready": time.monotonic()}), flush=True)
    took = []
    for _ in range(200):
        before = time.monotonic()
        factory.pin(17).drive_low()
        took.append(lit[-1] - before)
        led.off()
        factory.pin(17).drive_high()
        await asyncio.sleep(0.002)
    print(json.dumps({"took": took}), flush=True)
    await asyncio.sleep(3600)
asyncio.run(main())
"""


async def measure(configuration: Configuration, seconds: float) -> Figures:
    reference = await _reference()
    with tempfile.TemporaryDirectory(prefix="device-") as name:
        ours, notes = await _agent(Path(name), configuration, seconds)
    ratio = {key: round(ours[key] / reference[key], 2) for key in ("start_ms", "rss_mb") if reference[key]}
    return Figures(ours, reference, ratio, notes)


async def _agent(folder: Path, configuration: Configuration, seconds: float) -> tuple[dict[str, float], dict[str, str]]:
    starts: list[float] = []
    figures: dict[str, float] = {}
    for number in range(STARTS):
        async with AgentProcess(folder, configuration) as agent:
            starts.append(agent.started_s * 1000)
            if number < STARTS - 1:
                continue  # the first one renders what the device says by itself, and the next ones find it
            await agent.settled()
            figures |= await _idle(agent)
            figures |= await _presses(agent, seconds)
            figures["rss_after_mb"] = _memory(agent.pid)
    figures |= {"first_start_ms": round(starts[0], 1), "start_ms": round(statistics.median(starts[1:]), 1)}
    enrolled_folder = folder / "enrolled"
    await asyncio.to_thread(enrolled_folder.mkdir)
    figures |= await _enrolled(enrolled_folder, configuration)
    try:
        figures |= await _with_voice(folder, configuration)
        return figures, {}
    except MindError as error:
        return figures, {"voice": f"not measured: {error.message}"}


async def _idle(agent: AgentProcess) -> dict[str, float]:
    process = psutil.Process(agent.pid)
    before, began = sum(process.cpu_times()[:2]), time.monotonic()
    await asyncio.sleep(IDLE_S)
    used = sum(process.cpu_times()[:2]) - before
    return {
        "rss_mb": _memory(agent.pid),
        "own_mb": round(process.memory_full_info().uss / (1 << 20), 1),
        "idle_cpu_percent": round(100 * used / (time.monotonic() - began), 2),
        "threads": process.num_threads(),
    }


async def _presses(agent: AgentProcess, seconds: float) -> dict[str, float]:
    """Press red with no server, and say that it is not needed, again and again."""
    light_ms: list[float] = []
    sound_ms: list[float] = []
    end = time.monotonic() + seconds / 2
    while len(light_ms) < 5 or time.monotonic() < end:
        pressed = time.monotonic()
        await agent.ask("press", button="red")
        history = (await agent.ask("light"))["history"]
        light_ms.append(1000 * (next(each["at"] for each in history if each["at"] > pressed) - pressed))
        sound_ms.append(1000 * (await first_loud(agent.capture, pressed) - pressed))
        await agent.ask("press", button="green", press="long")
        await agent.until_state("idle")
        await agent.quiet()
    return {
        "presses": len(light_ms),
        **_percentiles("press_to_light", light_ms),
        **_percentiles("press_to_sound", sound_ms),
    }


async def _enrolled(folder: Path, configuration: Configuration) -> dict[str, float]:
    """From a press of red until the control plane lists the emergency."""
    shown_ms: list[float] = []
    async with ControlNode(folder / "node") as node, AgentProcess(folder, configuration) as agent:
        await asyncio.to_thread(save_identity, agent.home, await enrolled(node, "bench", node.url))
        await agent.until(fleet="connected")
        await agent.settled()
        for _ in range(CALLS):
            pressed = time.monotonic()
            pressing = asyncio.create_task(agent.ask("press", button="red"))  # it is answered when the press is over
            emergency = await _listed(node)
            shown_ms.append(1000 * (time.monotonic() - pressed))
            await pressing
            await node.request("POST", f"emergencies/{emergency}/acknowledge", {})
            await node.request("POST", f"emergencies/{emergency}/close")
            await agent.until(state="idle")
    return _percentiles("press_to_control_plane", shown_ms)


async def _listed(node: ControlNode) -> str:
    """The open emergency, as soon as there is one."""
    while True:
        for found in await node.pages("emergencies", state="open"):
            return str(found["id"])
        await asyncio.sleep(POLL_S)


async def _with_voice(folder: Path, configuration: Configuration) -> dict[str, float]:
    """A conversation that the device holds by itself. Raises NotReady."""
    from reachy_mind.body import wav
    from reachy_mind.speech import engines

    voice = engines.required(engines.mouth(configuration), "voice")
    spoken = b"".join([piece async for piece in voice.synthesize(QUESTION)])
    await voice.aclose()
    question = folder / "question.wav"
    question.write_bytes(wav.write(spoken + bytes(32_000)))
    async with AgentProcess(folder, configuration, microphone=question) as agent:
        await agent.settled()
        pressed = time.monotonic()
        await agent.ask("press", button="green")
        listening = await agent.until_state("listening")
        asked = listening + len(spoken) / 32_000
        answered = await agent.until_state("responding")
        processes = [psutil.Process(agent.pid), *psutil.Process(agent.pid).children(recursive=True)]
        return {
            "offline_listening_ms": round(1000 * (listening - pressed), 1),
            "offline_answer_ms": round(1000 * (answered - asked), 1),
            "rss_with_voice_mb": round(sum(each.memory_info().rss for each in processes) / (1 << 20), 1),
        }


async def _reference() -> dict[str, float]:
    """A bare Python that can do nothing but light a LED."""
    starts: list[float] = []
    took: list[float] = []
    rss = 0.0
    for _ in range(STARTS):
        began = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", REFERENCE, stdout=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.DEVNULL
        )
        try:
            starts.append(1000 * (float((await _line(process))["ready"]) - began))
            took += [1000 * each for each in (await _line(process))["took"]]
            rss = _memory(process.pid)
        finally:
            process.kill()
            await process.wait()
    return {"start_ms": round(statistics.median(starts), 1), "rss_mb": rss, **_percentiles("press_to_light", took)}


async def _line(process: asyncio.subprocess.Process) -> dict[str, Any]:
    assert process.stdout is not None
    line = await process.stdout.readline()
    if not line:
        raise NotReady("the reference did not run", hint="gpiozero: pip install 'reachy-mind[device]'")
    return dict(json.loads(line))


def _memory(pid: int) -> float:
    return round(psutil.Process(pid).memory_info().rss / (1 << 20), 1)


def _percentiles(name: str, values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    worst = ordered[min(len(ordered) - 1, math.ceil(len(ordered) * 0.95) - 1)]
    return {f"{name}_p50_ms": round(statistics.median(ordered), 2), f"{name}_p95_ms": round(worst, 2)}
