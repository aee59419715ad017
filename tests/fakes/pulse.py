"""A real PulseAudio server without a sound card: a room in which what is played can be recorded."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

MISSING = "pulseaudio, pactl or ALSA's plugin for them is not installed"


def installed() -> bool:
    plugins = Path("/usr/lib").glob("*/alsa-lib/libasound_module_pcm_pulse.so")
    return all(shutil.which(program) for program in ("pulseaudio", "pactl")) and any(plugins)


class Pulse:
    """The server of one folder, with one null sink, `room`; what it plays is heard at its monitor."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.environment = {
            "PULSE_SERVER": f"unix:{folder / 'socket'}",
            "PULSE_SINK": "room",
            "PULSE_SOURCE": "room.monitor",
            "PULSE_RUNTIME_PATH": str(folder / "run"),
            "PULSE_COOKIE": str(folder / "cookie"),
        }
        argv = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes"]
        argv += ["-L", f"module-native-protocol-unix socket={folder / 'socket'} auth-anonymous=1"]
        argv += ["-L", "module-null-sink sink_name=room rate=16000 channels=1 format=s16le"]
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(argv, env=os.environ | self.environment, stdout=quiet, stderr=quiet)
        end = time.monotonic() + 20
        while not self._answers():
            assert self.process.poll() is None and time.monotonic() < end, "pulseaudio does not start"
            time.sleep(0.05)

    def _answers(self) -> bool:
        asked = subprocess.run(
            ["pactl", "info"],  # noqa: S607
            env=os.environ | self.environment,
            capture_output=True,
            check=False,
            timeout=10,
        )
        return asked.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
