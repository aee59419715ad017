"""The faults of an endurance test: what each does, how its errors read, and when everything works again."""

from __future__ import annotations

import asyncio
import contextlib
import re
import resource
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from reachy_mind.bench.endurance.attempts import Explanation
from reachy_mind.bench.endurance.model_server import Mode
from reachy_mind.bench.endurance.rig import EnduranceRig
from reachy_mind.bench.endurance.users import asked_model, fleet_command, movement, require, sandboxed, store_memory
from reachy_mind.body import wav
from reachy_mind.errors import NotReady
from reachy_mind.speech import flite

Act = Callable[[EnduranceRig, Random], Awaitable[None]]
MODEL_FAULT_S: Final = 20.0
DISK_FULL_S: Final = 12.0
CHUNKS: Final = (1 << 20, 1 << 12)
CLOCK_JUMPS_S: Final = (-3600, -600, 600, 3600)
READERS: Final = 12
SIMULATOR_GONE_S: Final = 3.0


@dataclass(frozen=True)
class FaultKind:
    """`act` does it and returns when it is over; `works` is a request that is answered rightly when all is well."""

    name: str
    act: Act
    works: Act
    explanation: Explanation
    fleet: bool = False


def _explained(codes: str, words: str) -> Explanation:
    return Explanation(frozenset(codes.split()), re.compile(words, re.IGNORECASE))


ROBOT: Final = _explained(
    "LINK_LOST HARDWARE_ERROR NOT_READY TIMEOUT WORKER_FAILED ROBOT_BUSY",
    r"robot|motor|connection|camera|short of the target",
)
WORKER: Final = _explained("WORKER_FAILED NOT_READY SANDBOX_FAILED", r"process|sandbox|worker")
MODEL: Final = _explained("BRAIN_FAILED", r"model I think with|my thoughts|thought about it")
DISK: Final = _explained("DATABASE_ERROR MEMORY_ERROR CONFIG_INVALID", r"disk|saved|space")
MIND: Final = _explained("NOT_READY LINK_LOST", r"starting|shutting down")
FLEET: Final = _explained("NOT_READY", r"control plane")
NONE: Final = _explained("", r"(?!)")


def _kill(*words: str) -> Act:
    async def act(rig: EnduranceRig, _: Random) -> None:
        if not rig.kill_child(*words):
            raise NotReady(f"no process with {' and '.join(words)} runs")

    return act


async def _kill_mind(rig: EnduranceRig, _: Random) -> None:
    rig.mind.kill()
    await asyncio.sleep(0.2)


async def _kill_simulator(rig: EnduranceRig, _: Random) -> None:
    rig.simulator.hold_back()
    rig.simulator.kill()
    await asyncio.sleep(SIMULATOR_GONE_S)
    rig.simulator.release()


async def _cut_link(rig: EnduranceRig, chance: Random) -> None:
    rig.proxy.refuse = True
    rig.proxy.cut()
    await asyncio.sleep(chance.uniform(2, 8))
    rig.proxy.refuse = False


async def _silent_link(rig: EnduranceRig, chance: Random) -> None:
    rig.proxy.mode = "black hole"
    await asyncio.sleep(chance.uniform(2, 8))
    rig.proxy.mode = "pass"


def _model(mode: Mode) -> Act:
    async def act(rig: EnduranceRig, _: Random) -> None:
        rig.model.become(mode)
        await asyncio.sleep(MODEL_FAULT_S)
        rig.model.become("well")

    return act


async def _disk_full(rig: EnduranceRig, _: Random) -> None:
    with _full_disk(rig):
        await asyncio.sleep(DISK_FULL_S)


@contextlib.contextmanager
def _full_disk(rig: EnduranceRig) -> Iterator[None]:
    """Where the data folder is no disk of its own, no file of the mind can grow any more."""
    if not rig.own_disk:
        pid = rig.mind.pid
        before = resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        try:
            yield
        finally:
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
        return
    filler = rig.home / "filler"
    try:
        with filler.open("wb", buffering=0) as file:
            for size in CHUNKS:
                with contextlib.suppress(OSError):
                    while file.write(bytes(size)):
                        pass
        yield
    finally:
        filler.unlink(missing_ok=True)


async def _slow_readers(rig: EnduranceRig, _: Random) -> None:
    """Clients that open sockets for events and states and read nothing."""
    with contextlib.ExitStack() as stack:
        for number in range(READERS):
            uri = "events" if number % 2 else "robot?hz=50"
            socket = await rig.api.socket(uri)
            stack.callback(socket.transport.abort)
            socket.transport.pause_reading()
        await asyncio.sleep(15)


async def _clock_jump(rig: EnduranceRig, chance: Random) -> None:
    rig.clock.write_text(str(chance.choice(CLOCK_JUMPS_S)))
    await asyncio.sleep(10)
    rig.clock.write_text("0")


async def _kill_fleet_node(rig: EnduranceRig, _: Random) -> None:
    assert rig.node is not None
    await rig.node.kill()
    await asyncio.sleep(1)
    await rig.node.start()


async def _hears(rig: EnduranceRig, _: Random) -> None:
    pcm = b"".join([piece async for piece in flite.voice().synthesize("What time is it?")])
    told = await rig.api.post_sound("voice/stt", wav.write(pcm))
    require("time" in told["transcription"].lower(), told["transcription"])


async def _sees(rig: EnduranceRig, _: Random) -> None:
    answer = await rig.api.http.get("/api/v1/vision/frame")
    require(answer.status_code == 200, f"status {answer.status_code}")


async def _ready(rig: EnduranceRig, chance: Random) -> None:
    require(await rig.is_ready(), "it is not ready")
    await _calls(rig, chance)


async def _calls(rig: EnduranceRig, _: Random) -> None:
    await rig.api.tool("get_time")


async def _robot(rig: EnduranceRig, chance: Random) -> None:
    await movement(rig, chance)
    await _sees(rig, chance)


FAULTS: Final = (
    FaultKind("ears killed", _kill("worker_process", "ears"), _hears, WORKER),
    FaultKind("keyword spotter killed", _kill("worker_process", "keywords"), _calls, WORKER),
    FaultKind("motion killed", _kill("reachy_mind.motion.process"), _robot, ROBOT),
    FaultKind("sandbox killed", _kill("zygote"), sandboxed, WORKER),
    FaultKind("camera renderer killed", _kill("reachy_mind.sim.camera"), _sees, ROBOT),
    FaultKind("robot's daemon killed", _kill_simulator, _robot, ROBOT),
    FaultKind("link cut", _cut_link, _robot, ROBOT),
    FaultKind("link silent", _silent_link, _robot, ROBOT),
    FaultKind("model slow", _model("slow"), asked_model, MODEL),
    FaultKind("model hung", _model("hung"), asked_model, MODEL),
    FaultKind("model answers errors", _model("errors"), asked_model, MODEL),
    FaultKind("model answers garbage", _model("garbage"), asked_model, MODEL),
    FaultKind("disk full", _disk_full, store_memory, DISK),
    FaultKind("slow readers", _slow_readers, _calls, NONE),
    FaultKind("clock jumps", _clock_jump, _calls, NONE),
    FaultKind("fleet node killed", _kill_fleet_node, fleet_command, FLEET, fleet=True),
)
MIND_KILLED: Final = FaultKind("mind killed", _kill_mind, _ready, MIND)
"""Apart from the others: it comes at times of its own."""
