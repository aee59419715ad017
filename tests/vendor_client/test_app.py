"""The app under the vendor's own daemon: listed, started, used, stopped, and nothing of it left.

Runs where `script/test-app` has installed the wheel beside the vendor's daemon (APP_ENVIRONMENT).
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from reachy_mind.storage.home import Home
from reachy_mind.storage.owner import Ownership
from tests.conftest import MODELS
from tests.fakes.minds import free_port
from tests.waiting import until_sync

ENVIRONMENT = Path(os.environ.get("APP_ENVIRONMENT", "/nowhere"))
PAGE = "http://127.0.0.1:8042"
TIMES = int(os.environ.get("APP_TIMES", "10"))
START_S = 90.0
GRACE_S = 20.0
"""After this the daemon kills an app."""

pytestmark = [
    pytest.mark.skipif(not ENVIRONMENT.exists(), reason="script/test-app has not built its environment"),
    pytest.mark.process,
    pytest.mark.timeout(900),
]


@dataclass
class VendorDaemon:
    """The vendor's daemon with a simulated robot that sleeps, and its REST API."""

    process: psutil.Process
    http: httpx.Client
    home: Path

    def app(self) -> dict[str, Any]:
        """What the daemon says of the app that runs, if any."""
        found: dict[str, Any] = self.http.get("/api/apps/current-app-status").json() or {}
        return found

    def lock(self) -> str:
        return str(self.http.get("/api/daemon/robot-app-lock-status").json()["state"])

    def yaw(self) -> float:
        return float(self.http.get("/api/state/present_head_pose").json()["yaw"])

    def start(self) -> None:
        """Start the app and wait until its page answers."""
        self.http.post("/api/apps/start-app/reachy_mind").raise_for_status()

        def ready() -> bool:
            assert self.app()["state"] in ("starting", "running"), self.app()["error"]
            with contextlib.suppress(httpx.TransportError):
                return httpx.get(f"{PAGE}/readyz", trust_env=False).status_code == 200
            return False

        until_sync(ready, START_S)

    def stop(self) -> float:
        """Stop the app; the seconds it took, with the daemon's own second back to the zero position."""
        begun = time.monotonic()
        self.http.post("/api/apps/stop-current-app").raise_for_status()
        return time.monotonic() - begun

    def family(self) -> list[psutil.Process]:
        return self.process.children(recursive=True)

    def goto(self, yaw: float) -> None:
        """Move the head, as any other program."""
        self.http.post("/api/motors/set_mode/enabled").raise_for_status()
        pose = {"x": 0.0, "y": 0.0, "z": 0.0, "roll": 0.0, "pitch": 0.0, "yaw": yaw}
        self.http.post("/api/move/goto", json={"head_pose": pose, "duration": 0.5}).raise_for_status()
        until_sync(lambda: abs(self.yaw() - yaw) < 0.05, 15)


@contextlib.contextmanager
def vendor_daemon(home: Path, *flags: str) -> Iterator[VendorDaemon]:
    port = free_port()
    theirs = {name: value for name, value in os.environ.items() if not name.startswith(("REACHY_MIND_", "PYTHON"))}
    theirs |= {"REACHY_MINI_TELEMETRY": "0", "DO_NOT_TRACK": "1", "HF_HUB_OFFLINE": "1", "HF_HOME": str(home / "hub")}
    theirs |= {"REACHY_MIND_HOME": str(home / "mind"), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    theirs |= {"REACHY_MIND_MIND__BRAIN": "reflex", "REACHY_MIND_ROBOT__IDLE": "false"}
    program = str(ENVIRONMENT / "bin" / "reachy-mini-daemon")
    argv = [program, "--mockup-sim", "--no-media", "--no-wake-up-on-start", "--fastapi-port", str(port), *flags]
    log = (home / "daemon.log").open("w")
    process = subprocess.Popen(argv, stdout=log, stderr=subprocess.STDOUT, env=theirs)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=40, trust_env=False) as http:

            def running() -> bool:
                assert process.poll() is None, (home / "daemon.log").read_text()[-3000:]
                with contextlib.suppress(httpx.TransportError):
                    return bool(http.get("/api/daemon/status").json()["state"] == "running")
                return False

            until_sync(running, START_S)
            yield VendorDaemon(psutil.Process(process.pid), http, home / "mind")
    finally:
        process.terminate()
        process.wait(60)
        log.close()


@pytest.fixture(scope="module")
def module_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VendorDaemon]:
    with vendor_daemon(tmp_path_factory.mktemp("app")) as running:
        yield running


@pytest.fixture
def daemon(module_daemon: VendorDaemon) -> Iterator[VendorDaemon]:
    """No app runs before and after."""
    yield module_daemon
    if module_daemon.app():
        module_daemon.stop()


def test_the_daemon_lists_the_app_with_its_page(daemon: VendorDaemon) -> None:
    (app,) = daemon.http.get("/api/apps/list-available/installed").json()
    assert app["name"] == "reachy_mind" and app["extra"]["custom_app_url"] == "http://0.0.0.0:8042"


def test_it_moves_the_daemons_robot_and_gives_it_back(daemon: VendorDaemon) -> None:
    daemon.start()
    assert daemon.lock() == "local_app"
    assert httpx.get(PAGE, trust_env=False).text.startswith("<!doctype html>")
    with httpx.Client(base_url=f"{PAGE}/api/v1", timeout=40, trust_env=False) as mind:
        answer = mind.post("/chat", json={"message": "turn your head to the left"}).raise_for_status().json()
        assert [call["status"] for call in answer["tool_calls"]] == ["ok"]
        until_sync(lambda: daemon.yaw() > 0.2, 20)
    relatives = daemon.family()
    assert len(relatives) >= 2, "the motion process is one of its own"
    assert daemon.stop() < GRACE_S
    _, alive = psutil.wait_procs(relatives, timeout=5)
    assert alive == [] and daemon.lock() == "free" and not daemon.app()
    assert not (daemon.home / "run" / "mind.json").exists()
    daemon.goto(-0.4)


def test_started_and_stopped_again_and_again_it_leaves_nothing(daemon: VendorDaemon) -> None:
    taken = []
    for _ in range(TIMES):
        daemon.start()
        taken.append(daemon.stop())
        assert daemon.family() == [] and daemon.lock() == "free"
    assert max(taken) < GRACE_S
    print(f"{TIMES} times stopped in {min(taken):.1f} to {max(taken):.1f} s, load {os.getloadavg()[0]:.1f}")  # noqa: T201
    daemon.goto(0.4)


def test_stopped_while_it_starts_it_leaves_nothing(daemon: VendorDaemon) -> None:
    daemon.http.post("/api/apps/start-app/reachy_mind").raise_for_status()
    until_sync(lambda: len(daemon.family()) >= 2, START_S)
    assert daemon.stop() < GRACE_S
    assert daemon.family() == [] and daemon.lock() == "free"


def test_beside_another_mind_it_says_so_and_ends(daemon: VendorDaemon) -> None:
    with Ownership(Home(daemon.home)) as other:
        other.announce(8642)
        daemon.http.post("/api/apps/start-app/reachy_mind").raise_for_status()
        until_sync(lambda: daemon.app()["state"] == "error", START_S)
        error = daemon.app()["error"]
    assert "error: a mind is already running" in error and "hint: " in error and "Traceback" not in error
    daemon.stop()  # the daemon keeps an app that failed until then
    assert daemon.lock() == "free"


def test_the_vendors_desktop_program_finds_it_in_the_environment_for_apps(tmp_path: Path) -> None:
    with vendor_daemon(tmp_path, "--desktop-app-daemon") as daemon:
        (app,) = daemon.http.get("/api/apps/list-available/installed").json()
        assert app["name"] == "reachy_mind" and app["extra"]["custom_app_url"] == "http://0.0.0.0:8042"
        daemon.start()
        relatives = daemon.family()
        assert daemon.stop() < GRACE_S
        _, alive = psutil.wait_procs(relatives, timeout=5)
        assert alive == []
