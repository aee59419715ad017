"""Real processes for tests: the simulator's daemon and the command line, always ended, by process id."""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil

from reachy_mind.body.address import Address

LIBC = ctypes.CDLL(None)
SET_PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux."""


def end_with_parent() -> None:
    """For `preexec_fn`: the process is killed when the test's own process ends, even if that is killed itself."""
    LIBC.prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


class Daemon:
    """A simulator daemon; `port=0` takes a free one, a given port restarts where another one was."""

    def __init__(self, description: Path, compiled: Path, *, scene: str = "table", port: int = 0) -> None:
        argv = [sys.executable, "-m", "reachy_mind.sim.daemon", "--description", str(description)]
        argv += [
            "--cache",
            str(compiled),
            "--scene",
            scene,
            "--port",
            str(port),
            "--with-parent",
            "--log-level",
            "error",
        ]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(argv, stdin=pipe, stdout=pipe)
        assert self.process.stdout is not None
        self.port = int(json.loads(self.process.stdout.readline())["port"])

    @property
    def address(self) -> Address:
        return Address("127.0.0.1", self.port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def pause(self) -> None:
        os.kill(self.process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
        self.process.stdout.close()


def command(*arguments: str, timeout: float = 90) -> subprocess.CompletedProcess[str]:
    """`reachy-mind ARGUMENTS`, as a user runs it."""
    return subprocess.run(
        [sys.executable, "-m", "reachy_mind", *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        preexec_fn=end_with_parent,
    )


def command_json(*arguments: str) -> Any:
    """The one JSON object that a command printed; fails the test when it printed anything else on stdout."""
    done = command(*arguments, "--json")
    lines = done.stdout.splitlines()
    assert len(lines) == 1, f"stdout: {done.stdout!r}, stderr: {done.stderr!r}"
    return json.loads(lines[0])


@dataclass
class Done:
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def here(*arguments: str) -> Done:
    """`reachy-mind ARGUMENTS` in this process, which spares the second that a new one takes to start."""
    from reachy_mind.cli import main

    out, err = io.StringIO(), io.StringIO()
    argv, sys.argv = sys.argv, ["reachy-mind", *arguments]
    code: object = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.argv = argv
    assert isinstance(code, int)
    return Done(code, out.getvalue(), err.getvalue())


def here_json(*arguments: str) -> Any:
    """The one JSON object that it printed."""
    done = here(*arguments, "--json")
    assert done.stdout.count("\n") == 1, done
    return json.loads(done.stdout)


def family(pid: int) -> list[psutil.Process]:
    """A process and everything it started."""
    parent = psutil.Process(pid)
    return [parent, *parent.children(recursive=True)]
