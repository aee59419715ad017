"""`Machine`: an account that has nothing yet: a home, an environment for Python, and the programs that were started."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

KEPT = ("PIP_CONFIG_FILE", "PIP_INDEX_URL", "SSL_CERT_FILE", "NPM_CONFIG_REGISTRY")
"""How this machine reaches packages; nothing else of the shell comes along."""


class StepFailed(Exception):
    """A step did not end as the documentation says."""


class Machine:
    def __init__(self, folder: Path) -> None:
        self.folder, self.home, self.venv = folder, folder / "home", folder / "venv"
        self.home.mkdir(parents=True, exist_ok=True)
        self.python, self.program = self.venv / "bin" / "python", self.venv / "bin" / "reachy-mind"
        path = f"{self.venv / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        self.environment = {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8"}
        self.environment |= {name: os.environ[name] for name in KEPT if name in os.environ}
        npm = Path(os.environ.get("HOME", "/"), ".npmrc")
        self.environment |= {"NPM_CONFIG_USERCONFIG": str(npm)} if npm.exists() else {}
        self.data = self.home / ".local" / "share" / "reachy-mind"
        self._started: list[subprocess.Popen[str]] = []
        self.mind_port = 0

    @property
    def page(self) -> str:
        return f"http://127.0.0.1:{self.mind_port}"

    def run(self, *argv: str | Path, home: Path | None = None) -> str:
        """What it printed. Raises StepFailed with its last lines."""
        environment = self.environment | ({"HOME": str(home)} if home else {})
        if home:
            home.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(argv, cwd=self.home, env=environment, capture_output=True, text=True, check=False)
        if done.returncode or "Traceback" in done.stderr:
            lines = [*done.stdout.splitlines(), *done.stderr.splitlines()][-8:]
            raise StepFailed(f"{' '.join(map(str, argv))} ended with {done.returncode}: {' / '.join(lines)}")
        return done.stdout

    def mind(self, *arguments: str, home: Path | None = None) -> str:
        return self.run(self.program, *arguments, home=home)

    def asked(self, *arguments: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.mind(*arguments, "--json"))
        return answer

    def start(self, *arguments: str, until: str, home: Path | None = None) -> subprocess.Popen[str]:
        """A program that stays, from the line on that begins with `until`. Raises StepFailed when it ends before."""
        environment = self.environment | ({"HOME": str(home)} if home else {})
        log = self.folder / f"{arguments[0]}-{len(self._started)}.log"
        process = subprocess.Popen(
            ("/bin/sh", "-c", 'exec "$0" "$@" 2>&1', str(self.program), *arguments),
            cwd=home or self.home, env=environment, stdout=subprocess.PIPE, text=True, bufsize=1,
        )  # fmt: skip
        self._started.append(process)
        assert process.stdout is not None
        lines: list[str] = []
        for line in process.stdout:
            lines.append(line)
            if line.strip().startswith(until):
                break
        else:
            raise StepFailed(
                f"reachy-mind {' '.join(arguments)} ended: {' / '.join(each.strip() for each in lines[-8:])}"
            )
        log.write_text("".join(lines))
        subprocess.Popen(("/usr/bin/tee", "-a", str(log)), stdin=process.stdout, stdout=subprocess.DEVNULL)
        return process

    def end(self) -> list[int]:
        """Ends what was started, by process id, the last one first; how each ended."""
        codes = []
        for process in reversed(self._started):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                try:
                    process.wait(timeout=60)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
            codes.append(process.returncode)
        self._started.clear()
        return codes


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
