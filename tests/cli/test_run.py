"""`reachy-mind run`: one owner, others attach, nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from websockets.sync.client import connect

from reachy_mind.body.address import Address
from tests.fakes.minds import Run
from tests.fakes.minds import running as run_at
from tests.fakes.processes import command_json as process_json
from tests.fakes.processes import family
from tests.fakes.processes import here as command
from tests.fakes.processes import here_json as command_json
from tests.waiting import until_sync

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """One mind for the tests that leave it as it was."""
    with run_at(tmp_path_factory.mktemp("shared")) as run:
        yield run


def leaves_nothing(run: Run, how: signal.Signals) -> None:
    """It ends in good order, and so does everything that it started."""
    relatives = family(run.process.pid)
    assert len(relatives) >= 2, "the simulator is a process of its own"
    assert run.end(how) == 0
    _, alive = psutil.wait_procs(relatives, timeout=10)
    assert alive == []
    assert not (run.home / "run" / "mind.json").exists()


def test_it_wakes_the_robot_and_leaves_no_process_though_somebody_watches(home: Path) -> None:
    run = Run(home, voice=True, alert=True)
    assert httpx.get(f"{run.url}/api/v1/robot/state").json()["motor_mode"] == "enabled"
    assert httpx.get(f"{run.url}/api/v1/vision").json()["following"] is True, "it looks at people from the start"
    place = run.url.removeprefix("http://")
    routes = ("robot", "chat", "events")
    watching = [connect(f"ws://{place}/api/v1/ws/{route}", proxy=None) for route in routes]
    assert json.loads(watching[0].recv())["status"] == "connected"
    with httpx.stream("GET", f"{run.url}/api/v1/vision/stream", timeout=60) as picture:
        next(picture.iter_raw())
        leaves_nothing(run, signal.SIGINT)
    for socket in watching:
        socket.close()
    said = "".join(run.heard)
    assert "bye" in said and "Traceback" not in said and "error" not in said


def test_kill_minus_9_leaves_no_simulator_and_the_next_run_starts_and_is_terminated(home: Path) -> None:
    run = Run(home)
    relatives = family(run.process.pid)
    run.end(signal.SIGKILL)
    _, alive = psutil.wait_procs(relatives, timeout=10)
    assert alive == []
    assert (home / "run" / "mind.json").exists(), "nobody could remove it"
    again = Run(home)
    assert again.owner["pid"] == again.process.pid
    leaves_nothing(again, signal.SIGTERM)


def test_other_commands_attach_to_it(running: Run) -> None:
    port = httpx.get(f"{running.url}/api/v1/robot/state").json()["address"]
    outcome = process_json("robot", "look", "--yaw", "15", "--duration", "0.5")
    assert outcome["address"] == port, "the same simulated robot, not another one"
    assert outcome["pose"]["yaw"] == pytest.approx(15, abs=1)
    assert httpx.get(f"{running.url}/api/v1/robot/state").json()["pose"]["yaw"] == pytest.approx(15, abs=1)
    refused = command("robot", "look", "--pitch", "80")
    assert refused.returncode == 1 and "error: the robot can't reach this pose" in refused.stderr


def test_naming_another_robot_does_not_move_this_one(running: Run) -> None:
    before = httpx.get(f"{running.url}/api/v1/robot/state").json()["pose"]["yaw"]
    other = command("robot", "look", "--yaw", "-40", "--robot", "10.1.2.3")
    assert other.returncode == 1 and "10.1.2.3" in other.stderr
    assert httpx.get(f"{running.url}/api/v1/robot/state").json()["pose"]["yaw"] == pytest.approx(before, abs=0.5)
    assert command_json("robot", "look", "--yaw", "nan")["error"]["code"] == "INVALID_PARAMETER"


def test_a_second_one_is_refused_and_told_who_runs(running: Run) -> None:
    second = command("run")
    assert second.returncode == 1
    assert f"process {running.process.pid}" in second.stderr


def test_the_owner_file_is_the_users_alone(running: Run) -> None:
    file = running.home / "run" / "mind.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert len(str(running.owner["token"])) >= 32


def test_stop_does_not_wait_for_the_move_it_stops(running: Run) -> None:
    http = httpx.Client(base_url=running.url, timeout=30)
    http.post("/api/v1/robot/look", json={"duration": 0.5}).raise_for_status()
    argv = [sys.executable, "-m", "reachy_mind", "robot", "look", "--yaw", "50", "--duration", "8", "--json"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as looking:
        until_sync(lambda: http.get("/api/v1/robot/state").json()["pose"]["yaw"] >= 3)
        stopped = http.post("/api/v1/robot/stop").json()
        assert 3 < stopped["pose"]["yaw"] < 45
        answer = json.loads(looking.communicate(timeout=30)[0])
    assert "stopped" in answer["error"]["message"]


def test_the_server_answers_errors_in_our_form(running: Run) -> None:
    http = httpx.Client(base_url=running.url)
    assert http.get("/healthz").json()["status"] == http.get("/readyz").json()["status"].replace("ready", "ok")
    for content in ({"yaw": "left"}, {"yaw": 1, "speed": 3}, {"duration": 0}):
        wrong = http.post("/api/v1/robot/look", json=content)
        assert wrong.status_code == 422 and wrong.json()["error"]["code"] == "INVALID_PARAMETER"
    assert http.get("/healthz", headers={"Host": "evil.example"}).status_code == 403


def test_a_simulator_that_dies_is_reported_and_comes_back(home: Path) -> None:
    running = Run(home)
    simulator = family(running.process.pid)[1]
    os.kill(simulator.pid, signal.SIGKILL)
    answers: list[httpx.Response] = []

    def answered(*, well: bool) -> bool:
        answers.append(httpx.get(f"{running.url}/api/v1/robot/state"))
        return (answers[-1].status_code == 200) == well

    until_sync(lambda: answered(well=False))
    assert answers[-1].status_code == 503 and answers[-1].json()["error"]["code"] == "LINK_LOST"
    until_sync(lambda: answered(well=True))
    assert command_json("robot", "look", "--yaw", "10")["pose"]["yaw"] == pytest.approx(10, abs=1)
    leaves_nothing(running, signal.SIGINT)


def test_it_drives_a_robot_elsewhere_and_puts_it_to_sleep(home: Path, robot: Address) -> None:
    run = Run(home, "--robot", str(robot))
    assert httpx.get(f"{robot.http}/api/motors/status").json() == {"mode": "enabled"}
    assert run.end(signal.SIGINT) == 0
    assert httpx.get(f"{robot.http}/api/motors/status").json() == {"mode": "disabled"}


def test_without_a_robot_only_the_server_runs(home: Path) -> None:
    run = Run(home, "--robot", "none")
    assert len(family(run.process.pid)) == 1
    assert httpx.get(f"{run.url}/api/v1/robot/state").json()["error"]["code"] == "NOT_READY"
    run.end(signal.SIGTERM)


def test_a_data_folder_that_can_not_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("REACHY_MIND_HOME", str(tmp_path / "file" / "home"))
    done = command("run")
    assert done.returncode == 1 and str(tmp_path / "file") in done.stderr and "REACHY_MIND_HOME" in done.stderr
