"""Minds as people start them: `reachy-mind run` in a process of its own, ready, and ended by process id."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reachy_mind.system import portability
from tests.conftest import MODELS
from tests.fakes.processes import end_with_parent


class Run:
    """A `reachy-mind run` in the background, ready; it listens, speaks and follows people (`alert`) only where that is
    asked for."""

    def __init__(self, home: Path, *arguments: str, voice: bool = False, alert: bool = False) -> None:
        self.home = home
        arguments = (*arguments, *([] if voice else ["--no-voice"]), *([] if alert else ["--head-tracker", "off"]))
        argv = [sys.executable, "-m", "reachy_mind", "run", "--port", str(free_port()), *arguments]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(argv, stdout=pipe, stderr=pipe, text=True, preexec_fn=end_with_parent)  # noqa: PLW1509
        assert self.process.stderr is not None
        self.heard: list[str] = []
        for line in self.process.stderr:
            self.heard.append(line)
            if line.startswith("ready in"):
                break
        else:
            pytest.fail(f"run ended: {''.join(self.heard)}")

    @property
    def owner(self) -> dict[str, object]:
        found: dict[str, object] = json.loads((self.home / "run" / "mind.json").read_text())
        return found

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.owner['port']}"

    def end(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        self.heard += (self.process.communicate(timeout=30)[1] or "").splitlines(keepends=True)
        return self.process.returncode


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(home: Path, *arguments: str, voice: bool = False, **settings: str) -> Iterator[Run]:
    """`reachy-mind run` with a data folder of its own and `tools__confirm_s="3"` as settings; killed at the end.

    `voice`: with ears and mouth, which most tests have no use for.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("REACHY_MIND_") and name != portability.VARIABLE]:
            patch.delenv(name)
        patch.setenv("REACHY_MIND_HOME", str(home))
        patch.setenv("REACHY_MIND_MODELS__FOLDER", str(MODELS))
        patch.setenv("REACHY_MIND_MIND__BRAIN", "reflex")
        for name, value in settings.items():
            patch.setenv(f"REACHY_MIND_{name.upper()}", value)
        run = Run(home, *arguments, voice=voice)
    try:
        yield run
    finally:
        if run.process.poll() is None:
            run.end(signal.SIGKILL)
