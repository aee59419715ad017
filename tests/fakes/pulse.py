"""A real PulseAudio server without a sound card: a room in which what is played can be recorded."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

ROOM = ("module-null-sink", "sink_name=room", "rate=16000", "channels=1", "format=s16le")
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
        argv += ["-L", " ".join(ROOM)]
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(argv, env=os.environ | self.environment, stdout=quiet, stderr=quiet)
        end = time.monotonic() + 20
        while not self._answers():
            assert self.process.poll() is None and time.monotonic() < end, "pulseaudio does not start"
            time.sleep(0.05)

    def _answers(self) -> bool:
        return self._asked("pactl", "info").returncode == 0

    def _asked(self, *argv: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        environment = os.environ | self.environment
        return subprocess.run(argv, env=environment, input=given, capture_output=True, check=False, timeout=30)

    def unplug(self) -> None:
        """The room is gone, and there is no other."""
        assert self._asked("pactl", "unload-module", ROOM[0]).returncode == 0

    def plug(self) -> None:
        assert self._asked("pactl", "load-module", *ROOM).returncode == 0

    def say(self, pcm: bytes) -> None:
        """Until it has been said, or nobody can hear it any more."""
        self._asked("pacat", "--format=s16le", "--rate=16000", "--channels=1", "--latency-msec=50", given=pcm)

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
