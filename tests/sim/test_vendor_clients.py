"""What the vendor's clients ask for besides moving the robot about."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from reachy_mind.body.address import Address
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.sim import vendor_messages
from tests.fakes.processes import Daemon
from tests.sim.test_recordings import keep, text

TURN = text((0.0, AWAKE), (0.4, Pose(yaw=0.4)), (0.8, Pose(yaw=0.4)))
LONG = text((0.0, AWAKE), (30.0, Pose(yaw=0.4)))
PLAY = "/api/move/play/recorded-move-dataset/org/moves"


@pytest.fixture(scope="module")
def daemon(description: Path, compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One with a dataset of moves on its machine."""
    hub = tmp_path_factory.mktemp("hub")
    for name, move in (("turn", TURN), ("long", LONG), ("broken", "{}")):
        keep(hub, "org/moves", name, move)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("HF_HUB_CACHE", str(hub))
        with Daemon(description, compiled) as running:
            yield running


@pytest.fixture
def http(robot: Address) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=robot.http, timeout=60) as client:
        yield client


@pytest.fixture
def awake(http: httpx.Client) -> httpx.Client:
    http.post("/api/motors/set_mode/enabled").raise_for_status()
    ended(http, http.post("/api/move/play/wake_up"))
    return http


def ended(http: httpx.Client, started: httpx.Response) -> None:
    while started.raise_for_status().json() in http.get("/api/move/running").json():
        pass


def done(http: httpx.Client, started: httpx.Response) -> dict[str, Any]:
    """A background job at its end; the test's own time limit ends a wait for one that has none."""
    while True:
        job: dict[str, Any] = http.get(f"/api/apps/job-status/{started.raise_for_status().json()['job_id']}").json()
        if job["status"] != "in_progress":
            return job


def send(socket: ClientConnection, kind: str, **content: object) -> None:
    socket.send(json.dumps({"type": kind, **content}))


def receive(socket: ClientConnection, kind: str) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(socket.recv(timeout=20))
        if message["type"] == kind:
            return message


def yaw(http: httpx.Client) -> float:
    return float(http.get("/api/state/present_head_pose").json()["yaw"])


# Moves


def test_a_recorded_move_is_listed_played_and_announced(awake: httpx.Client, robot: Address) -> None:
    assert awake.get("/api/move/recorded-move-datasets/list/org/moves").json() == ["broken", "long", "turn"]
    with connect(f"{robot.socket.rsplit('/ws/', 1)[0]}/api/move/ws/updates") as updates:
        started = awake.post(f"{PLAY}/turn")
        ended(awake, started)
        told = [json.loads(updates.recv(timeout=20)) for _ in range(2)]
    assert [message["type"] for message in told] == ["move_started", "move_completed"]
    assert {message["uuid"] for message in told} == {started.json()["uuid"]}
    assert yaw(awake) == pytest.approx(0.4, abs=0.05)


def test_a_recorded_move_can_be_stopped_by_its_id(awake: httpx.Client, robot: Address) -> None:
    started = awake.post(f"{PLAY}/long").raise_for_status().json()
    assert awake.get("/api/move/running").json() == [started]
    assert awake.post(f"{PLAY}/turn").status_code == 409
    with connect(f"{robot.socket.rsplit('/ws/', 1)[0]}/api/move/ws/updates") as updates:
        awake.post("/api/move/stop", json=started).raise_for_status()
        assert json.loads(updates.recv(timeout=20))["type"] == "move_cancelled"
    assert awake.get("/api/move/running").json() == [] and yaw(awake) < 0.3


def test_moves_that_are_not_there_or_no_moves(awake: httpx.Client) -> None:
    missing = awake.get("/api/move/recorded-move-datasets/list/org/nothing")
    assert missing.status_code == 404 and "downloads nothing" in missing.json()["detail"]
    assert awake.post(f"{PLAY}/nothing").status_code == 404
    assert awake.post(f"{PLAY}/broken").status_code == 422


def test_a_recorded_move_over_the_socket(awake: httpx.Client, robot: Address) -> None:
    with connect(robot.socket) as socket:
        send(socket, "play_recorded_move", dataset_name="org/moves", move_name="turn", initial_goto_duration=0.2)
        while yaw(awake) < 0.35:
            pass
        send(socket, "preload_dataset", dataset_name="org/nothing")
        assert receive(socket, "error")["code"] == "NOT_SIMULATED"
        send(socket, "play_recorded_move", move_name="laughing1")
        assert "emotions-library" in receive(socket, "error")["message"]


@pytest.mark.parametrize("encoding", get_args(vendor_messages.Encoding))
def test_a_move_is_uploaded_and_played(awake: httpx.Client, robot: Address, encoding: str) -> None:
    move = TURN if encoding == "json" else base64.b64encode(gzip.compress(TURN.encode())).decode()
    half = len(move) // 2
    with connect(robot.socket) as socket:
        send(socket, "upload_move_start", upload_id="mine", total_chunks=2, encoding=encoding)
        send(socket, "upload_move_chunk", upload_id="mine", chunk_index=0, chunk=move[:half])
        send(socket, "upload_move_chunk", upload_id="mine", chunk_index=1, chunk=move[half:])
        send(socket, "upload_move_finish", upload_id="mine")
        send(socket, "play_uploaded_move", upload_id="mine")
        started = receive(socket, "play_uploaded_move")
        assert started["started"] and started["duration_s"] == pytest.approx(0.8) and started["upload_id"] == "mine"
        assert receive(socket, "play_uploaded_move")["finished"]
        assert yaw(awake) == pytest.approx(0.4, abs=0.05)
        send(socket, "play_uploaded_move", upload_id="mine")
        assert "upload first" in receive(socket, "play_uploaded_move")["error"]


def test_an_uploaded_move_is_cancelled_by_its_own_name_only(awake: httpx.Client, robot: Address) -> None:
    with connect(robot.socket) as socket:
        send(socket, "upload_move_start", upload_id="mine", total_chunks=1)
        send(socket, "upload_move_chunk", upload_id="mine", chunk_index=0, chunk=LONG)
        send(socket, "upload_move_finish", upload_id="mine")
        send(socket, "play_uploaded_move", upload_id="mine")
        assert receive(socket, "play_uploaded_move")["started"]
        send(socket, "cancel_move", upload_id="another")
        send(socket, "set_volume", volume=101)
        receive(socket, "error")
        assert awake.get("/api/move/running").json()
        send(socket, "cancel_move", upload_id="mine")
        assert receive(socket, "play_uploaded_move")["cancelled"]


def test_targets_and_states_as_streams(awake: httpx.Client, robot: Address) -> None:
    base = robot.socket.rsplit("/ws/", 1)[0]
    with (
        connect(f"{base}/api/move/ws/set_target") as targets,
        connect(f"{base}/api/state/ws/full?frequency=50&with_head_joints=true") as states,
    ):
        targets.send(json.dumps({"target_head_pose": {"yaw": 0.3}}))
        while (state := json.loads(states.recv(timeout=20)))["head_pose"]["yaw"] < 0.25:
            pass
        assert len(state["head_joints"]) == 7 and state["control_mode"] == "enabled" and state["imu"] is None
        targets.send("nonsense")
        assert json.loads(targets.recv(timeout=20))["status"] == "error"


# Motors


def test_limp_posable_and_held(awake: httpx.Client) -> None:
    awake.post("/api/motors/set_mode/gravity_compensation")
    awake.post("/sim/v1/push", json={"torque": [0, 0, 0.02], "duration": 0.5}).raise_for_status()
    while yaw(awake) < math.radians(10):
        pass
    awake.post("/api/motors/set_mode/disabled")
    while awake.get("/api/state/present_head_pose").json()["z"] > -0.02:  # a turned head twists and ends at 23 to 27 mm
        pass
    assert awake.post("/sim/v1/push", json={"force": [0, 0, 1000]}).status_code == 422


# The daemon itself


def test_stopping_and_starting_the_daemon(awake: httpx.Client, robot: Address) -> None:
    with connect(robot.socket) as socket:
        job = done(awake, awake.post("/api/daemon/stop", params={"goto_sleep": True}))
        assert job == {"command": "daemon-stop", "status": "done", "logs": ["the simulated daemon is stopped"]}
        with pytest.raises(ConnectionClosed) as closed:
            receive(socket, "never")
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1013
    status = awake.get("/api/daemon/status").json()
    assert status["state"] == "stopped" and status["backend_status"] is None
    assert awake.get("/api/state/full").status_code == awake.post("/api/move/play/wake_up").status_code == 503
    with pytest.raises(InvalidStatus), connect(robot.socket):
        pass
    done(awake, awake.post("/api/daemon/start", params={"wake_up": True}))
    assert awake.get("/api/daemon/status").json()["backend_status"]["motor_control_mode"] == "enabled"
    assert abs(awake.get("/api/state/present_head_pose").json()["z"]) < 0.003


def test_restarting_lets_go_of_the_motors_and_one_thing_happens_at_a_time(awake: httpx.Client) -> None:
    first = awake.post("/api/daemon/stop", params={"goto_sleep": True})
    assert awake.post("/api/daemon/restart").status_code == 409
    done(awake, first)
    assert done(awake, awake.post("/api/daemon/start", params={"wake_up": False}))["status"] == "done"
    awake.post("/api/motors/set_mode/enabled").raise_for_status()
    done(awake, awake.post("/api/daemon/restart"))
    assert awake.get("/api/motors/status").json() == {"mode": "disabled"}
    assert awake.get("/api/apps/job-status/none").status_code == 404


def test_name_and_volumes_by_rest_and_socket(http: httpx.Client, robot: Address) -> None:
    for part in ("", "microphone/"):
        assert http.post(f"/api/volume/{part}set", json={"volume": 30}).json()["volume"] == 30
        assert http.post(f"/api/volume/{part}set", json={"volume": 101}).status_code == 422
    http.post("/api/daemon/robot-name", json={"name": "Ada"}).raise_for_status()
    with connect(robot.socket) as socket:
        assert receive(socket, "daemon_status")["robot_name"] == "Ada"
        send(socket, "set_volume", volume=40)
        send(socket, "set_microphone_volume", volume=50)
        send(socket, "set_robot_name", name="Grace")
        while receive(socket, "daemon_status")["robot_name"] != "Grace":
            pass
    assert http.get("/api/volume/current").json()["volume"] == 40
    assert http.get("/api/volume/microphone/current").json()["volume"] == 50
    assert http.get("/api/daemon/robot-name").json() == {"name": "Grace"}


@pytest.mark.parametrize("kind", [*vendor_messages.ANSWERED_BY, *vendor_messages.NOT_SIMULATED])
def test_what_has_no_answer_or_no_effect_says_so(robot: Address, kind: str) -> None:
    with connect(robot.socket) as socket:
        send(socket, kind, name="x", file="x", upload_id="x", config=[])
        assert receive(socket, "error")["code"] in ("NOT_ANSWERED", "NOT_SIMULATED")


def test_the_app_that_holds_the_robot_can_be_stopped(http: httpx.Client) -> None:
    assert http.get("/api/apps/current-app-status").json() is None
    assert http.post("/api/apps/stop-current-app").status_code == 400
    http.put("/sim/v1/app-lock", json={"holder_name": "dancer"}).raise_for_status()
    assert http.get("/api/daemon/robot-app-lock-status").json() == {"state": "local_app", "holder_name": "dancer"}
    assert http.get("/api/apps/current-app-status").json()["info"]["name"] == "dancer"
    assert [app["name"] for app in http.get("/api/apps/list-available/installed").json()] == ["dancer"]
    assert http.post("/api/apps/start-app/other").json()["detail"] == "An app is already running"
    http.post("/api/apps/stop-current-app").raise_for_status()
    assert http.get("/api/daemon/robot-app-lock-status").json()["state"] == "free"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/update/start"),
        ("POST", "/api/apps/install"),
        ("POST", "/api/apps/start-app/some"),
        ("POST", "/api/hf-auth/save-token"),
        ("GET", "/api/hf-auth/oauth/status/1"),
    ],
)
def test_what_a_simulation_can_not_do_says_that_it_is_one(http: httpx.Client, method: str, path: str) -> None:
    answer = http.request(method, path)
    assert 400 <= answer.status_code < 500 and "this is a simulation" in answer.json()["detail"]


def test_camera_and_shape(http: httpx.Client) -> None:
    specs = http.get("/api/camera/specs").json()
    assert specs["K"][0][2] * 2 == specs["default_resolution"]["width"] and specs["D"] == [0.0] * 5
    urdf = http.get("/api/kinematics/urdf").json()["urdf"]
    assert "<robot" in urdf
    assert len(http.get("/api/kinematics/stl/main_plate.stl").content) > 1000
    assert http.get("/api/kinematics/stl/..%2Frobot.urdf").status_code == 404
