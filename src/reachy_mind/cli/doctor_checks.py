"""The checks of `reachy-mind doctor`: what this machine has, what is missing, and how to fix it."""

from __future__ import annotations

import asyncio
import contextlib

from reachy_mind.body.address import Address
from reachy_mind.body.daemon import DaemonClient
from reachy_mind.brains import selection as brains
from reachy_mind.brains.brain import Closable
from reachy_mind.config import checks, database_check, logs
from reachy_mind.config.checks import Check, Finding
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError
from reachy_mind.models import robot_description
from reachy_mind.models.robot_description import DESCRIPTION, compiled_folder
from reachy_mind.models.store import Store
from reachy_mind.sim.camera import CameraProcess
from reachy_mind.sim.scene_state import SceneState
from reachy_mind.sim.world import SimulatedWorld
from reachy_mind.speech import audio_format, engines
from reachy_mind.speech.transcriber import Transcriber
from reachy_mind.tools import audit_verification
from reachy_mind.workshop import isolation_check

GREETING = "Hello, can you hear me?"


async def examine(configuration: Configuration) -> list[Finding]:
    """Run all checks, ordered so that the first failure is the one to fix first."""
    every: tuple[Check, ...] = (
        checks.python,
        checks.data_folder,
        database_check.database,
        logs.log_files,
        audit_verification.check,
        robot_description.check,
        _camera,
        checks.port,
        checks.priority,
        checks.audio,
        isolation_check.check,
        _brain,
        _robot,
    )
    findings = [await check(configuration) for check in every]
    return [*findings[:-1], *await _speech(configuration), findings[-1]]


async def _camera(configuration: Configuration) -> Finding:
    """Renders a picture: an installed library can still fail to render."""
    name = "simulated camera"
    try:
        description = Store(configuration.models_folder).path(DESCRIPTION)
        cache = compiled_folder(configuration)
        world = await asyncio.to_thread(SimulatedWorld, description, "table", cache)
        camera = CameraProcess(description, "table", cache)
        try:
            picture = await camera.frame("eye", SceneState(world).snapshot())
        finally:
            await camera.close()
    except MindError as error:
        return Finding(name, ok=False, detail=error.message, fix=error.hint, optional=True)
    return Finding(name, ok=True, detail=f"drew a picture of {len(picture) // 1000} kB")


async def _speech(configuration: Configuration) -> list[Finding]:
    """Text to speech and speech to text, end to end: one says something, the other transcribes it."""
    mouth, ears = engines.mouth(configuration), engines.ears(configuration)
    voice, pcm = Finding("voice", ok=False, detail=mouth.why, fix=mouth.fix, optional=True), b""
    if mouth.part is not None:
        async with contextlib.aclosing(mouth.part):
            try:
                pcm = b"".join([piece async for piece in mouth.part.synthesize(GREETING)])
            except MindError as error:
                voice = Finding("voice", ok=False, detail=error.message, fix=error.hint, optional=True)
            else:
                detail = f"{mouth.part.name} ({mouth.why}): spoke for {audio_format.seconds(pcm):.1f} s"
                voice = Finding("voice", bool(pcm), detail, fix="set speech.voice to another one", optional=True)
    if ears.part is None:
        return [Finding("ears", ok=False, detail=ears.why, fix=ears.fix, optional=True), voice]
    async with contextlib.aclosing(ears.part):
        return [await _check_ears(ears.part, ears.why, pcm), voice]


async def _check_ears(ears: Transcriber, why: str, pcm: bytes) -> Finding:
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
    """Creates the selected brain; reflex alone is fine."""
    chosen = await brains.decide(configuration)
    if not chosen.thinker:
        return Finding("brain", ok=True, detail=chosen.line)
    try:
        brain: object = await asyncio.to_thread(brains.create, chosen)
    except MindError as error:
        return Finding("brain", ok=False, detail=f"{chosen.line}: {error.message}", fix=error.hint, optional=True)
    if isinstance(brain, Closable):
        await brain.aclose()
    return Finding("brain", ok=True, detail=chosen.line)


async def _robot(configuration: Configuration) -> Finding:
    robot = configuration.settings.robot
    where = robot.address
    if where in ("sim", "none"):
        return Finding("robot", ok=True, detail=f"{where}; check a real one with --robot HOST")
    try:
        async with contextlib.aclosing(DaemonClient(Address.parse(where), app_name=robot.app_name)) as daemon:
            status = await daemon.check()
            mode = await daemon.motor_mode()
    except MindError as error:
        return Finding("robot", ok=False, detail=error.message, fix=error.hint)
    reported = status.error or (status.backend_status.error if status.backend_status else None)
    trouble = f", reports: {reported}" if reported else ""
    detail = f"{status.robot_name} at {where}, daemon {status.version}, motors {mode}{trouble}"
    return Finding("robot", reported is None, detail, fix="restart the robot's daemon")
