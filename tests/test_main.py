"""Reachy Mind as an app of the robot's daemon, without the vendor's programs: a stand-in for the vendor's robot object.

`make test-app` has the vendor's own daemon list, start and stop it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import httpx
import psutil
import pytest

from reachy_mind import log, main
from reachy_mind.body.address import Address
from reachy_mind.body.launching_daemon import address_of
from reachy_mind.body.protocol import DaemonStatus
from reachy_mind.cli.hosted import configuration_for
from reachy_mind.errors import AlreadyRunning, LinkLost, PortTaken, RobotBusy
from reachy_mind.storage.home import Home
from reachy_mind.storage.owner import Ownership
from tests.fakes.daemon import Misbehaviour, misbehaving
from tests.fakes.minds import free_port
from tests.waiting import until_sync

ROOT = Path(__file__).parents[1]
EVERYWHERE = "0.0.0.0"  # noqa: S104
GRACE_S = 20.0
"""After this the vendor's daemon kills an app."""


class App(main.ReachyMind):
    """The app at another port than the one by which people find it: tests run beside each other."""

    custom_app_url = f"http://0.0.0.0:{free_port()}"

    @property
    def page(self) -> str:
        assert self.custom_app_url is not None
        return self.custom_app_url.replace(EVERYWHERE, "127.0.0.1")


def vendor_robot(address: Address) -> SimpleNamespace:
    """As much of the vendor's `ReachyMini` as says where it is connected."""
    client = SimpleNamespace(host=address.host, port=address.port)
    return SimpleNamespace(host="reachy-mini.local", port=8000, client=client)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """The app sets up logs as `run` does; this puts them back."""
    yield
    log.configure("error")


def test_the_entry_point_is_where_the_vendors_app_manager_looks_for_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["reachy_mini_apps"] == {"reachy_mind": "reachy_mind.main:ReachyMind"}
    # With an environment for apps alone, it reads this file instead of importing it.
    text = (ROOT / "src" / "reachy_mind" / "main.py").read_text()
    found = re.search(r'custom_app_url\s*(?::\s*[^=]+)?\s*=\s*["\']([^"\']+)["\']', text)
    assert found is not None and found.group(1) == main.ReachyMind.custom_app_url == "http://0.0.0.0:8042"
    assert "class ReachyMind(ReachyMiniApp)" in text


@pytest.mark.process
def test_importing_it_loads_neither_the_vendors_package_nor_anything_heavy() -> None:
    code = "import sys, reachy_mind.main; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"reachy_mini", "gi", "numpy", "httpx", "pydantic", "typer"}.isdisjoint(loaded)


@pytest.mark.process
def test_where_the_vendors_package_is_loaded_it_is_one_of_its_apps() -> None:
    code = """
import sys, types
sys.modules["reachy_mini"] = vendor = types.ModuleType("reachy_mini")
vendor.ReachyMiniApp = type("ReachyMiniApp", (), {"__init__": lambda self: 1 / 0})
from reachy_mind.main import ReachyMind
assert issubclass(ReachyMind, vendor.ReachyMiniApp)
app = ReachyMind()  # without what the vendor's class does at this point: a web server, a search for the daemon
app.stop()
assert app.stop_event.is_set()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.process
def test_it_runs_until_it_is_stopped_and_gives_the_robot_back(robot: Address) -> None:
    httpx.put(f"{robot.http}/sim/v1/app-lock", json={"holder_name": "reachy_mind"}).raise_for_status()
    before = set(psutil.Process().children(recursive=True))
    app, ended = App(), threading.Event()

    def run() -> None:
        app.run(vendor_robot(robot), app.stop_event)
        ended.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:

        def awake() -> bool:
            assert thread.is_alive(), "it ended by itself"
            with contextlib.suppress(httpx.TransportError):
                state = httpx.get(f"{app.page}/api/v1/robot/state")
                return bool(state.is_success and state.json()["motor_mode"] == "enabled")
            return False

        until_sync(awake, 60)
        assert httpx.get(f"{app.page}/api/v1/robot/state").json()["address"] == str(robot)
        assert len(set(psutil.Process().children(recursive=True)) - before) >= 1, "the motion process is one of its own"
    finally:
        app.stop()
    assert ended.wait(GRACE_S)
    assert set(psutil.Process().children(recursive=True)) <= before
    assert not (Home.find().run_folder / "mind.json").exists()
    mode = httpx.get(f"{robot.http}/api/motors/status").json()["mode"]
    assert mode == "enabled", "the daemon decides what becomes of the robot: it is not put to sleep"
    pose = {"x": 0.0, "y": 0.0, "z": 0.0, "roll": 0.0, "pitch": 0.0, "yaw": 0.3}
    httpx.post(f"{robot.http}/api/move/goto", json={"head_pose": pose, "duration": 0.3}).raise_for_status()
    until_sync(lambda: abs(httpx.get(f"{robot.http}/api/state/present_head_pose").json()["yaw"] - 0.3) < 0.05)


@pytest.mark.process
def test_what_is_taken_is_an_error_with_a_reason(robot: Address) -> None:
    app = App()
    with Ownership(Home.find()) as other:
        other.announce(8642)
        with pytest.raises(AlreadyRunning, match="port 8642"):
            app.run(vendor_robot(robot), app.stop_event)
    httpx.put(f"{robot.http}/sim/v1/app-lock", json={"holder_name": "another_app"}).raise_for_status()
    with pytest.raises(RobotBusy, match="another_app"):
        app.run(vendor_robot(robot), app.stop_event)
    httpx.put(f"{robot.http}/sim/v1/app-lock", json={"holder_name": "reachy_mind"}).raise_for_status()
    with httpx.stream("GET", f"{robot.http}/sim/v1/time"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(App, "custom_app_url", f"http://0.0.0.0:{robot.port}")
        with pytest.raises(PortTaken):
            app.run(vendor_robot(robot), app.stop_event)


def test_without_a_daemon_it_says_so() -> None:
    app = App()
    with pytest.raises(LinkLost, match="does not answer"):
        app.run(vendor_robot(Address("127.0.0.1", free_port())), app.stop_event)


def test_stopped_before_it_began_it_does_nothing(home: Path) -> None:
    app = App()
    app.stop()
    app.run(vendor_robot(Address("127.0.0.1", free_port())), app.stop_event)
    assert not home.exists()


@pytest.mark.process
async def test_it_finds_the_daemon_that_started_it_at_any_port() -> None:
    code = "from reachy_mind.body.launching_daemon import launching_daemon; print(launching_daemon())"
    launcher = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}], check=True)"
    async with misbehaving(Misbehaviour()) as address:  # this process is the daemon
        for program in (code, launcher):
            child = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE)
            assert (await child.communicate())[0].decode().strip() == str(address)


def test_the_robot_object_tells_where_it_is_connected_not_where_it_looked_first() -> None:
    assert address_of(vendor_robot(Address("192.168.1.7", 8001))) == Address("192.168.1.7", 8001)
    assert address_of(SimpleNamespace(host="127.0.0.1", port=8002)) == Address("127.0.0.1", 8002)
    assert address_of(None) is None


def status(**fields: object) -> DaemonStatus:
    return DaemonStatus.model_validate({"robot_name": "reachy_mini", "state": "running", **fields})


def test_the_page_of_a_wireless_robot_is_for_its_network_unless_its_owner_says_otherwise(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = Address("127.0.0.1", 8000)
    plugged = configuration_for(address, 8042, status()).settings
    assert (plugged.robot.address, plugged.server.port, plugged.server.host) == ("127.0.0.1:8000", 8042, "127.0.0.1")
    wireless = status(wireless_version=True)
    assert configuration_for(address, 8042, wireless).settings.server.host == EVERYWHERE
    monkeypatch.setenv("REACHY_MIND_SERVER__HOST", "127.0.0.1")
    assert configuration_for(address, 8042, wireless).settings.server.host == "127.0.0.1"


def test_the_sdk_beside_us_brings_the_media_unless_another_one_is_set(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = Address("127.0.0.1", 8000)
    assert configuration_for(address, 8042, status()).settings.media.vendor_python is None
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "fakes" / "vendor_sdk"))
    assert configuration_for(address, 8042, status()).settings.media.vendor_python == Path(sys.executable)
    assert configuration_for(address, 8042, status(no_media=True)).settings.media.vendor_python is None
    home.mkdir()
    (home / "vendor-python.txt").write_text(f"/opt/sdk/bin/python{os.linesep}")
    assert configuration_for(address, 8042, status()).settings.media.vendor_python == Path("/opt/sdk/bin/python")
