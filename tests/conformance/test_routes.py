"""REST, as the vendor's clients use it: the same routes and answers on every body, or a difference with a name."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from reachy_mind.body.address import Address
from tests.conformance.bodies import FURTHER, MISSING
from tests.conformance.steps import goto, head, up, yaw
from tests.waiting import until_sync

# Of the vendor's daemon 1.13.0 in a simulation; Wi-Fi, update, cache and log routes are on wireless robots only.
ROUTES = """
GET /api/apps/list-available/{source_kind}
GET /api/apps/list-available
POST /api/apps/install
POST /api/apps/remove/{app_name}
GET /api/apps/job-status/{job_id}
POST /api/apps/start-app/{app_name}
POST /api/apps/start-app/{app_name}/no-evict
POST /api/apps/restart-current-app
POST /api/apps/stop-current-app
GET /api/apps/current-app-status
GET /api/apps/startup-app
PUT /api/apps/startup-app
POST /api/apps/install-private-space
GET /api/apps/check-updates
POST /api/apps/update/{app_name}
POST /api/audio/config/apply
GET /api/audio/config/parameter/{name}
GET /api/camera/specs
POST /api/daemon/start
POST /api/daemon/stop
POST /api/daemon/restart
GET /api/daemon/status
GET /api/daemon/robot-name
POST /api/daemon/robot-name
GET /api/daemon/hardware-id
GET /api/daemon/robot-app-lock-status
POST /api/hf-auth/save-token
GET /api/hf-auth/status
GET /api/hf-auth/relay-status
DELETE /api/hf-auth/token
POST /api/hf-auth/refresh-relay
GET /api/hf-auth/central-robot-status
GET /api/hf-auth/oauth/configured
GET /api/hf-auth/oauth/start
GET /api/hf-auth/oauth/begin
GET /api/hf-auth/oauth/status/{session_id}
DELETE /api/hf-auth/oauth/session/{session_id}
POST /api/hf-auth/oauth/device/start
GET /api/hf-auth/oauth/device/status/{session_id}
DELETE /api/hf-auth/oauth/device/session/{session_id}
GET /api/hf-auth/oauth/callback
GET /api/kinematics/info
GET /api/kinematics/urdf
GET /api/kinematics/stl/{filename}
POST /api/media/release
POST /api/media/acquire
GET /api/media/status
POST /api/media/play_sound
POST /api/media/stop_sound
POST /api/media/clear_incoming_audio
POST /api/media/wobbling/enable
POST /api/media/wobbling/disable
POST /api/media/tracking/enable
POST /api/media/tracking/disable
GET /api/media/tracking/face
POST /api/media/sounds/upload
GET /api/media/sounds
DELETE /api/media/sounds/{filename}
GET /api/motors/status
POST /api/motors/set_mode/{mode}
GET /api/move/running
POST /api/move/goto
POST /api/move/play/wake_up
POST /api/move/play/goto_sleep
GET /api/move/recorded-move-datasets/list/{dataset_name}
POST /api/move/play/recorded-move-dataset/{dataset_name}/{move_name}
POST /api/move/stop
POST /api/move/set_target
GET /api/state/present_head_pose
GET /api/state/present_body_yaw
GET /api/state/present_antenna_joint_positions
GET /api/state/doa
GET /api/state/imu
GET /api/state/full
GET /api/telemetry
PUT /api/telemetry
GET /api/volume/current
POST /api/volume/set
POST /api/volume/test-sound
GET /api/volume/microphone/current
POST /api/volume/microphone/set
POST /health-check
GET /
"""
SOCKETS = """
/ws/sdk
/api/state/ws/full
/api/move/ws/updates
/api/move/ws/set_target
/api/move/ws/raw/write
/api/apps/ws/apps-manager/none
"""
STATE = {"control_mode", "head_pose", "head_joints", "body_yaw", "antennas_position", "timestamp"}
STATE |= {"passive_joints", "doa", "imu"}


def test_every_route_is_there_or_is_missing_for_a_reason(http: httpx.Client, body: str) -> None:
    paths: dict[str, dict[str, Any]] = http.get("/openapi.json").json()["paths"]
    served = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    known = set(ROUTES.strip().splitlines())
    assert known - served == {route for route in MISSING.get(body, {}) if not route.startswith("SOCKET")}
    assert {route for route in served - known if " /sim/v1/" not in route} == set(FURTHER.get(body, {}))


@pytest.mark.parametrize("path", SOCKETS.split())
def test_every_socket_is_there_or_is_missing_for_a_reason(robot: Address, body: str, path: str) -> None:
    def opened() -> bool:
        try:
            connect(robot.socket.replace("/ws/sdk", path)).close()
        except InvalidStatus:
            return False
        return True

    assert opened() == (f"SOCKET {path}" not in MISSING.get(body, {}))


def test_the_state_has_the_same_parts(http: httpx.Client) -> None:
    state = http.get("/api/state/full", params={"with_head_joints": True}).json()
    assert set(state) == STATE and len(state["head_joints"]) == 7
    assert set(head(http)) == {"x", "y", "z", "roll", "pitch", "yaw"}
    assert len(http.get("/api/state/present_head_pose", params={"use_pose_matrix": True}).json()["m"]) == 16
    only = http.get("/api/state/full", params={"with_head_pose": False, "with_body_yaw": False}).json()
    assert only["head_pose"] is None and only["body_yaw"] is None and only["head_joints"] is None


def test_a_goto_has_an_id_while_it_runs_and_can_be_stopped_by_it(http: httpx.Client) -> None:
    up(http)
    started = http.post("/api/move/goto", json={"head_pose": {"yaw": 0.5}, "duration": 8.0}).json()
    assert http.get("/api/move/running").json() == [started]
    ignored = http.post("/api/move/set_target", json={"target_body_yaw": 0.1}).json()
    assert ignored == {"status": "ignored", "reason": "move_running"}
    assert str(started["uuid"]) in http.post("/api/move/stop", json=started).json()["message"]
    assert http.get("/api/move/running").json() == [] and head(http)["yaw"] < 0.4


def test_a_target_is_taken_at_once(http: httpx.Client) -> None:
    up(http)
    assert http.post("/api/move/set_target", json={"target_antennas": [-0.4, 0.4]}).json() == {"status": "ok"}
    until_sync(lambda: abs(http.get("/api/state/present_antenna_joint_positions").json()[1] - 0.4) < 0.08)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("/api/move/goto", {"head_pose": {"yaw": 0.1}}),
        ("/api/move/goto", {"duration": "long"}),
        ("/api/move/stop", {"uuid": "none"}),
        ("/api/motors/set_mode/asleep", None),
        ("/api/volume/set", {"volume": 101}),
        ("/api/daemon/robot-name", {"name": ""}),
        ("/api/daemon/start", None),
    ],
)
def test_what_makes_no_sense_is_refused(http: httpx.Client, path: str, content: dict[str, Any] | None) -> None:
    assert http.post(path, json=content).status_code == 422


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/api/daemon/robot-app-lock-status", {"state", "holder_name"}),
        ("/api/daemon/robot-name", {"name"}),
        ("/api/daemon/hardware-id", {"hardware_id"}),
        ("/api/camera/specs", {"name", "available_resolutions", "default_resolution", "K", "D"}),
        ("/api/media/status", {"available", "released", "no_media"}),
        ("/api/media/tracking/face", {"status", "face_target"}),
        ("/api/telemetry", {"enabled", "disabled_by_env"}),
        ("/api/kinematics/info", {"info"}),
        ("/api/kinematics/urdf", {"urdf"}),
        ("/api/apps/startup-app", {"startup_app"}),
        ("/api/hf-auth/status", {"is_logged_in", "username"}),
        ("/api/hf-auth/relay-status", {"state", "message", "is_connected"}),
    ],
)
def test_answers_have_the_same_fields(http: httpx.Client, path: str, fields: set[str]) -> None:
    assert set(http.get(path).raise_for_status().json()) == fields


def test_the_daemon_has_no_app_running_and_none_to_stop(http: httpx.Client) -> None:
    assert http.get("/api/apps/current-app-status").json() is None
    assert http.post("/api/apps/stop-current-app").status_code == 400
    assert http.get("/api/apps/job-status/none").status_code == 404


def test_a_motor_mode_that_is_set_again_does_not_end_a_movement(http: httpx.Client) -> None:
    up(http)
    http.post("/api/move/set_target", json={"target_head_pose": {"yaw": 0.3}}).raise_for_status()
    http.post("/api/motors/set_mode/enabled").raise_for_status()
    until_sync(lambda: yaw(http) > 0.25)


def test_one_motor_that_is_switched_leaves_the_others_at_work(http: httpx.Client, robot: Address) -> None:
    up(http)
    with connect(robot.socket) as socket:
        turned = {"type": "set_full_target", "antennas": [-0.6, 0.6]}
        for on in (False, True):
            socket.send(json.dumps(turned))
            socket.send(json.dumps({"type": "set_torque", "on": on, "ids": ["left_antenna"]}))
            until_sync(lambda: abs(http.get("/api/state/present_antenna_joint_positions").json()[0] + 0.6) < 0.08)
            turned["antennas"] = [-0.6, 0.2]


def test_waking_a_robot_that_is_awake_moves_nothing(http: httpx.Client) -> None:
    http.post("/api/motors/set_mode/enabled").raise_for_status()

    def woken() -> list[float]:
        """How far the head tilts meanwhile."""
        until_sync(lambda: abs(head(http)["roll"]) < 0.02)
        started, rolls = http.post("/api/move/play/wake_up").raise_for_status().json(), [0.0]
        while started in http.get("/api/move/running").json():
            rolls.append(head(http)["roll"])
        return rolls

    goto(http, {"head_pose": {"z": -0.02}, "antennas": [-0.5, 0.5], "body_yaw": 0.0, "duration": 1.0})
    assert max(woken()) > 0.1
    assert max(woken()) < 0.03
