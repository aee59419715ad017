"""The simulator's own routes, and REST as the vendor's client uses it."""

from __future__ import annotations

import io
import json
import math
import os
import signal
from collections.abc import Callable
from pathlib import Path

import httpx
import numpy as np
import psutil
import pytest
from PIL import Image
from websockets.sync.client import connect

from reachy_mind.body.address import Address
from reachy_mind.body.pose import AWAKE
from tests.fakes.processes import Daemon


@pytest.fixture
def http(robot: Address) -> httpx.Client:
    return httpx.Client(base_url=robot.http, timeout=60)


def wait(http: httpx.Client, test: Callable[[dict[str, object]], bool]) -> dict[str, object]:
    """Polls the state until it fits; the test's own time limit ends a wait that never does."""
    while True:
        state: dict[str, object] = http.get("/api/state/full", params={"with_head_joints": True}).json()
        if test(state):
            return state


def picture(http: httpx.Client, view: str = "eye") -> Image.Image:
    response = http.get("/sim/v1/camera/frame.jpg", params={"view": view})
    response.raise_for_status()
    return Image.open(io.BytesIO(response.content))


def wake(http: httpx.Client) -> None:
    http.post("/api/motors/set_mode/enabled").raise_for_status()
    http.post("/api/move/play/wake_up").raise_for_status()
    wait(http, lambda s: abs(s["head_pose"]["roll"]) < 0.01 and not http.get("/api/move/running").json())  # type: ignore[index]


def test_the_robot_sees_duck_croissant_and_apple(http: httpx.Client) -> None:
    """From left to right: something yellow, something pale brown, something dark red, all on the table."""
    wake(http)
    frame = picture(http)
    assert frame.size == (640, 360)
    red, green, blue = (np.asarray(frame, dtype=float)[200:300, :, channel] for channel in range(3))
    yellow = (red > 180) & (green > 0.5 * red) & (blue < 0.2 * red)
    dark_red = (red > 50) & (green < 0.35 * red) & (blue < 0.45 * red)
    pale = (red > 180) & (green > 0.6 * red) & (blue > 0.3 * red) & (blue < 0.8 * red)
    left, middle, right = slice(190, 260), slice(265, 360), slice(370, 430)
    for colour, place, others in (
        (yellow, left, (middle, right)),
        (pale, middle, (left, right)),
        (dark_red, right, (left, middle)),
    ):
        assert colour[:, place].sum() > 400
        assert all(colour[:, place].sum() > 3 * colour[:, other].sum() for other in others)


def test_turning_the_head_moves_what_it_sees(http: httpx.Client) -> None:
    wake(http)
    before = np.asarray(picture(http), dtype=float)
    move = http.post("/api/move/goto", json={"head_pose": {"yaw": 0.5}, "duration": 0.3}).json()
    assert move["uuid"]
    wait(http, lambda state: state["head_pose"]["yaw"] > 0.48)  # type: ignore[index]
    assert np.abs(np.asarray(picture(http), dtype=float) - before).mean() > 5


def test_from_outside_one_sees_the_robot(http: httpx.Client) -> None:
    white = np.asarray(picture(http, "studio").convert("L"))[120:340, 260:400]
    assert (white > 200).mean() > 0.3


def test_the_stream_is_a_series_of_pictures(http: httpx.Client) -> None:
    with http.stream("GET", "/sim/v1/camera/stream", params={"fps": 10}) as stream:
        assert stream.headers["content-type"].startswith("multipart/x-mixed-replace")
        data = b""
        for chunk in stream.iter_bytes():
            data += chunk
            if data.count(b"--frame\r\n") >= 4:
                break
    parts = data.split(b"--frame\r\n")[1:4]
    for part in parts:
        Image.open(io.BytesIO(part.split(b"\r\n\r\n", 1)[1])).load()


def test_a_killed_camera_comes_back(http: httpx.Client, daemon: Daemon) -> None:
    picture(http)
    camera = psutil.Process(daemon.process.pid).children()[0]
    os.kill(camera.pid, signal.SIGKILL)
    psutil.wait_procs([camera])
    answers = [http.get("/sim/v1/camera/frame.jpg").status_code for _ in range(3)]
    assert answers[-1] == 200 and set(answers) <= {200, 503}


def test_without_opengl_the_camera_says_so_and_the_robot_goes_on(
    description: Path, compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.setenv("PYOPENGL_PLATFORM", "egl")
    monkeypatch.setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent.json")
    with Daemon(description, compiled) as blind:
        response = httpx.get(f"{blind.url}/sim/v1/camera/frame.jpg", timeout=60)
        assert response.status_code == 503
        assert "libegl1" in response.json()["detail"]["hint"]
        assert httpx.get(f"{blind.url}/api/state/full").status_code == 200


def test_unknown_views_and_rates_are_refused(http: httpx.Client) -> None:
    assert http.get("/sim/v1/camera/frame.jpg", params={"view": "behind"}).status_code == 422
    assert http.get("/sim/v1/camera/stream", params={"fps": 1000}).status_code == 422


def test_time_scene_and_reset(http: httpx.Client) -> None:
    wake(http)
    scene = http.get("/sim/v1/scene").json()
    assert scene["scene"] == "table" and set(scene["objects"]) == {"apple", "croissant", "duck"}
    http.post("/sim/v1/reset").raise_for_status()
    assert http.get("/api/motors/status").json() == {"mode": "disabled"}


def test_state_comes_in_both_forms(http: httpx.Client) -> None:
    wake(http)
    angles = http.get("/api/state/present_head_pose").json()
    matrix = http.get("/api/state/present_head_pose", params={"use_pose_matrix": True}).json()["m"]
    assert set(angles) == {"x", "y", "z", "roll", "pitch", "yaw"}
    assert matrix == pytest.approx(AWAKE.head_matrix(), abs=0.03)
    assert isinstance(http.get("/api/state/present_body_yaw").json(), float)
    assert len(http.get("/api/state/present_antenna_joint_positions").json()) == 2
    assert http.get("/api/state/doa").json() == {"angle": pytest.approx(math.pi / 2), "speech_detected": False}
    assert http.get("/api/state/imu").json() is None


def test_set_target_is_ignored_while_a_move_runs_and_says_so(http: httpx.Client) -> None:
    wake(http)
    http.post("/api/move/goto", json={"head_pose": {"yaw": 0.3}, "duration": 2.0})
    assert http.post("/api/move/goto", json={"duration": 1.0}).status_code == 409
    target = {"target_head_pose": {"yaw": -0.3}}
    assert http.post("/api/move/set_target", json=target).json() == {"status": "ignored", "reason": "move_running"}
    (running,) = http.get("/api/move/running").json()
    http.post("/api/move/stop", json=running).raise_for_status()
    assert http.post("/api/move/set_target", json=target).json() == {"status": "ok"}
    wait(http, lambda state: state["head_pose"]["yaw"] < -0.25)  # type: ignore[index]


def test_telemetry_is_off_and_stays_off(http: httpx.Client) -> None:
    assert http.get("/api/telemetry").json()["enabled"] is False
    assert http.put("/api/telemetry", json={"enabled": True}).status_code == 409
    assert http.put("/api/telemetry", json={"enabled": False}).status_code == 200


def test_who_it_is(http: httpx.Client) -> None:
    status = http.get("/api/daemon/status").json()
    assert (status["version"], status["simulation_enabled"], status["state"]) == ("1.13.0", True, "running")
    assert http.get("/api/daemon/robot-name").json()["name"] == status["robot_name"]
    assert http.get("/api/daemon/hardware-id").json() == {"hardware_id": None}
    assert http.post("/health-check").json() == {"status": "ok"}
    assert http.get("/api/media/status").json() == {"available": True, "released": False, "no_media": True}
    assert http.post("/api/media/release").status_code == http.post("/api/media/acquire").status_code == 200


def test_commands_over_the_socket(robot: Address, http: httpx.Client) -> None:
    with connect(robot.socket) as socket:

        def send(kind: str, **content: object) -> None:
            socket.send(json.dumps({"type": kind, **content}))

        def receive(kind: str) -> dict[str, object]:
            while True:
                message: dict[str, object] = json.loads(socket.recv(timeout=10))
                assert message["type"] != "error", message
                if message["type"] == kind:
                    return message

        send("set_torque", on=True)
        send("wake_up")
        wait(http, lambda s: abs(s["head_pose"]["z"]) < 0.002 and not http.get("/api/move/running").json())  # type: ignore[index]
        send("set_automatic_body_yaw", enabled=True)
        send("set_target", head=list(AWAKE.__class__(yaw=1.6).head_matrix()))
        wait(http, lambda s: s["body_yaw"] > 0.4)  # type: ignore[operator]
        send("set_body_yaw", body_yaw=0.0)
        send("set_antennas", antennas=[-1.0, 1.0])
        wait(http, lambda s: abs(s["antennas_position"][1] - 1.0) < 0.05)  # type: ignore[index]
        send("set_target", head=list(AWAKE.head_matrix()))
        send("set_speech_offsets", offsets=[0, 0, 0, 0, math.radians(10), 0])
        wait(http, lambda s: s["head_pose"]["pitch"] > math.radians(8))  # type: ignore[index]
        send("set_speech_offsets", offsets=[0] * 6)
        wait(http, lambda s: s["head_pose"]["pitch"] < math.radians(2))  # type: ignore[index]
        send("start_recording")
        send("append_record", record={"time": 0.0})
        send("stop_recording")
        assert receive("recorded_data")["data"] == [{"time": 0.0}]
        send("set_gravity_compensation", enabled=True)
        wait(http, lambda s: s["control_mode"] == "gravity_compensation")
        send("set_motor_mode", mode="enabled")
        send("set_head_joints", joints=[0.3, *wait(http, lambda _: True)["head_joints"][1:]])  # type: ignore[index,misc]
        wait(http, lambda s: s["body_yaw"] > 0.25)  # type: ignore[operator]
        send("goto_sleep")
        wait(http, lambda s: s["control_mode"] == "disabled")
