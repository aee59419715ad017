"""The checks behind `reachy-mind doctor`: what this machine has, what is missing, and how to mend it."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes.util
import os
import platform
import resource
import shutil
import socket
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any

from reachy_mind import owner
from reachy_mind.body.address import Address
from reachy_mind.body.daemon import Daemon
from reachy_mind.brains import choice as brains
from reachy_mind.brains.thought import Lasting
from reachy_mind.config import Configuration
from reachy_mind.embodiment import DESCRIPTION, compiled_folder
from reachy_mind.errors import MindError
from reachy_mind.models.store import Store
from reachy_mind.sim.camera import Camera
from reachy_mind.sim.stage import Stage
from reachy_mind.sim.world import World
from reachy_mind.speech import choice, samples
from reachy_mind.speech.transcription import Transcriber

NEEDED_DISK_MB = 500
GREETING = "Hello, can you hear me?"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: whether it is fine, what was seen, and the fix. `optional`: everything else works without it."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    optional: bool = False

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


async def examine(configuration: Configuration) -> list[Finding]:
    """All checks, in an order in which the first failure is the one to mend first."""
    checks: list[Callable[[Configuration], Awaitable[Finding]]] = [
        _python,
        _data_folder,
        _description,
        _camera,
        _port,
        _priority,
        _audio,
        _brain,
        _robot,
    ]
    findings = [await check(configuration) for check in checks]
    return [*findings[:-1], *await _speech(configuration), findings[-1]]


async def _python(_: Configuration) -> Finding:
    ok = sys.version_info >= (3, 11)
    detail = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return Finding("Python", ok, detail, fix="install Python 3.11 or newer")


async def _data_folder(configuration: Configuration) -> Finding:
    folder = configuration.home.folder
    fix = f"make {folder} writable, or choose another folder with REACHY_MIND_HOME"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x")
        free_mb = shutil.disk_usage(folder).free / 1e6
    except OSError as error:
        return Finding("data folder", ok=False, detail=str(error), fix=fix)
    detail = f"{folder}, {free_mb / 1000:.1f} GB free"
    return Finding("data folder", free_mb > NEEDED_DISK_MB, detail, fix=f"free {NEEDED_DISK_MB} MB of disk, or: {fix}")


async def _description(configuration: Configuration) -> Finding:
    store = Store(configuration.models_folder)
    fix = f"reachy-mind models pull {DESCRIPTION}"
    try:
        verified = await store.verify(DESCRIPTION)
    except MindError as error:
        return Finding("robot description", ok=False, detail=error.message, fix=error.hint or fix)
    detail = f"{verified.files} files intact" if verified.intact else "; ".join(verified.differences())
    return Finding("robot description", verified.intact, detail, fix=fix)


async def _camera(configuration: Configuration) -> Finding:
    """Draws a picture, since a library that is there can still fail to draw."""
    name = "simulated camera"
    try:
        description = Store(configuration.models_folder).path(DESCRIPTION)
        cache = compiled_folder(configuration)
        world = await asyncio.to_thread(World, description, "table", cache)
        camera = Camera(description, "table", cache)
        try:
            picture = await camera.frame("eye", Stage(world).sight())
        finally:
            await camera.close()
    except MindError as error:
        return Finding(name, ok=False, detail=error.message, fix=error.hint, optional=True)
    return Finding(name, ok=True, detail=f"drew a picture of {len(picture) // 1000} kB")


async def _port(configuration: Configuration) -> Finding:
    port = configuration.settings.server.port
    running = owner.find(configuration.home)
    if running is not None:
        return Finding("server port", ok=True, detail=f"a mind is running (process {running.pid}, port {running.port})")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            return Finding("server port", ok=False, detail=f"{port}: {error}", fix="reachy-mind run --port NUMBER")
    return Finding("server port", ok=True, detail=f"{port} is free")


async def _priority(_: Configuration) -> Finding:
    allowed = os.geteuid() == 0 or resource.getrlimit(getattr(resource, "RLIMIT_RTPRIO", resource.RLIMIT_NICE))[0] > 0
    return Finding(
        "real-time priority",
        allowed,
        "allowed" if allowed else "not allowed: movements may stutter on a busy machine",
        fix="add '@audio - rtprio 60' to /etc/security/limits.d/reachy.conf and join the group audio",
        optional=True,
    )


async def _audio(_: Configuration) -> Finding:
    found = ctypes.util.find_library("portaudio")
    return Finding(
        "PortAudio",
        found is not None,
        found or "not found: no microphone and no speaker of this machine",
        fix="Debian, Ubuntu: apt-get install libportaudio2",
        optional=True,
    )


async def _speech(configuration: Configuration) -> list[Finding]:
    """Ears and voice, tried for real: the voice says something, the ears hear it."""
    mouth, ears = choice.mouth(configuration), choice.ears(configuration)
    voice, pcm = Finding("voice", ok=False, detail=mouth.why, fix=mouth.fix, optional=True), b""
    if mouth.part is not None:
        async with contextlib.aclosing(mouth.part):
            try:
                pcm = b"".join([piece async for piece in mouth.part.synthesize(GREETING)])
            except MindError as error:
                voice = Finding("voice", ok=False, detail=error.message, fix=error.hint, optional=True)
            else:
                detail = f"{mouth.part.name} ({mouth.why}): spoke for {samples.seconds(pcm):.1f} s"
                voice = Finding("voice", bool(pcm), detail, fix="set speech.voice to another one", optional=True)
    if ears.part is None:
        return [Finding("ears", ok=False, detail=ears.why, fix=ears.fix, optional=True), voice]
    async with contextlib.aclosing(ears.part):
        return [await _hearing(ears.part, ears.why, pcm), voice]


async def _hearing(ears: Transcriber, why: str, pcm: bytes) -> Finding:
    try:
        await ears.warm()
        heard = await ears.transcribe(pcm) if pcm else None
    except MindError as error:
        return Finding("ears", ok=False, detail=error.message, fix=error.hint, optional=True)
    if heard is None:
        return Finding("ears", ok=True, detail=f"{ears.name} ({why}): loaded; no voice to try it with")
    detail = f"{ears.name} ({why}): heard {heard.text!r} in {heard.took_ms:.0f} ms"
    return Finding("ears", bool(heard.text), detail, fix="set speech.ears to another one", optional=True)


async def _brain(configuration: Configuration) -> Finding:
    """Who thinks; none is fine, the one that was named has to be there."""
    chosen = await brains.decided(configuration)
    if not chosen.thinker:
        return Finding("brain", ok=True, detail=chosen.line)
    try:
        made: object = await asyncio.to_thread(brains.made, chosen)
    except MindError as error:
        return Finding("brain", ok=False, detail=f"{chosen.line}: {error.message}", fix=error.hint, optional=True)
    if isinstance(made, Lasting):
        await made.aclose()
    return Finding("brain", ok=True, detail=chosen.line)


async def _robot(configuration: Configuration) -> Finding:
    robot = configuration.settings.robot
    where = robot.address
    if where in ("sim", "none"):
        return Finding("robot", ok=True, detail=f"{where}; check a real one with --robot HOST")
    try:
        async with contextlib.aclosing(Daemon(Address.parse(where), app_name=robot.app_name)) as daemon:
            status = await daemon.check()
            mode = await daemon.motor_mode()
    except MindError as error:
        return Finding("robot", ok=False, detail=error.message, fix=error.hint)
    reported = status.error or (status.backend_status.error if status.backend_status else None)
    trouble = f", reports: {reported}" if reported else ""
    detail = f"{status.robot_name} at {where}, daemon {status.version}, motors {mode}{trouble}"
    return Finding("robot", reported is None, detail, fix="restart the robot's daemon")
