"""Health checks of this machine, each with a fix; shared by the command `doctor` and the page.

They are quick and disturb nothing that runs. `models.robot_description` checks its asset; `cli.doctor_checks` has the
checks that exercise parts.
"""

from __future__ import annotations

import asyncio
import ctypes.util
import importlib.util
import platform
import shutil
import socket
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any

from reachy_mind.config.configuration import Configuration
from reachy_mind.storage import owner
from reachy_mind.storage.faults import classify
from reachy_mind.system.private_files import MODES
from reachy_mind.system.scheduling import may_be_real_time

MIN_DISK_MB = 500


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check, and the fix. `optional`: everything else works without it."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    optional: bool = False

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


Check = Callable[[Configuration], Awaitable[Finding]]


async def python(_: Configuration) -> Finding:
    ok = sys.version_info >= (3, 11)
    detail = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return Finding("Python", ok, detail, fix="install Python 3.11 or newer")


async def data_folder(configuration: Configuration) -> Finding:
    folder = configuration.home.folder
    fix = f"make {folder} writable, or choose another folder with REACHY_MIND_HOME"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x")
        free_mb = shutil.disk_usage(folder).free / 1e6
    except OSError as error:
        fault = classify(error, folder / "mind.db")
        return Finding("data folder", ok=False, detail=f"{folder}: {fault.cause}", fix=fault.hint)
    detail = f"{folder}, {free_mb / 1000:.1f} GB free"
    return Finding("data folder", free_mb > MIN_DISK_MB, detail, fix=f"free {MIN_DISK_MB} MB of disk, or: {fix}")


async def port(configuration: Configuration) -> Finding:
    number = configuration.settings.server.port
    running = await asyncio.to_thread(owner.find, configuration.home)
    if running is not None:
        return Finding("server port", ok=True, detail=f"a mind is running (process {running.pid}, port {running.port})")
    with socket.socket() as probe:
        if MODES:  # elsewhere it would take a port that another program has
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", number))
        except OSError as error:
            return Finding("server port", ok=False, detail=f"{number}: {error}", fix="reachy-mind run --port NUMBER")
    return Finding("server port", ok=True, detail=f"{number} is free")


async def priority(_: Configuration) -> Finding:
    allowed = may_be_real_time()
    if allowed is None:
        detail = "not for programs on this system; the motion process gets what comes next (docs/platforms.md)"
        return Finding("real-time priority", ok=True, detail=detail, optional=True)
    return Finding(
        "real-time priority",
        allowed,
        "allowed" if allowed else "not allowed: movements may stutter on a busy machine",
        fix="add '@audio - rtprio 60' to /etc/security/limits.d/reachy.conf and join the group audio",
        optional=True,
    )


async def audio(_: Configuration) -> Finding:
    brought = importlib.util.find_spec("_sounddevice_data") is not None  # in its wheels for macOS and Windows
    found = "brought by sounddevice" if brought else ctypes.util.find_library("portaudio")
    return Finding(
        "PortAudio",
        found is not None,
        found or "not found: no microphone and no speaker of this machine",
        fix="Debian, Ubuntu: apt-get install libportaudio2; macOS, Windows: the extra media brings it",
        optional=True,
    )
