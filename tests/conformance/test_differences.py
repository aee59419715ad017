"""What is not the same on every body: `bodies.py` says where it is not so, and why."""

from __future__ import annotations

import itertools
import json
from uuid import uuid4

import httpx
import pytest
from websockets.sync.client import connect

from reachy_mind.body.address import Address
from tests.conformance.bodies import DIFFERENCES, differs
from tests.conformance.steps import head, up
from tests.waiting import until_sync


@differs("a motor mode that was set is read back")
def test_a_motor_mode_that_was_set_is_read_back(http: httpx.Client) -> None:
    http.post("/api/motors/set_mode/disabled").raise_for_status()
    mode = http.get("/api/motors/status").json()
    http.post("/api/motors/set_mode/enabled").raise_for_status()
    assert mode == {"mode": "disabled"}


@differs("motors off is limp")
def test_motors_off_is_limp(http: httpx.Client) -> None:
    up(http)
    http.post("/api/motors/set_mode/disabled").raise_for_status()
    try:
        until_sync(lambda: head(http)["z"] < -0.02, within=10)
    finally:
        http.post("/api/motors/set_mode/enabled").raise_for_status()


@differs("a second move is refused")
def test_a_second_move_is_refused(http: httpx.Client) -> None:
    up(http)
    first = http.post("/api/move/goto", json={"head_pose": {"yaw": 0.2}, "duration": 2.0}).json()
    second = http.post("/api/move/goto", json={"head_pose": {"yaw": -0.2}, "duration": 2.0})
    until_sync(lambda: first not in http.get("/api/move/running").json())
    assert second.status_code == 409


@differs("stopping what does not run is refused clearly")
def test_stopping_what_does_not_run_is_refused_clearly(http: httpx.Client) -> None:
    assert http.post("/api/move/stop", json={"uuid": str(uuid4())}).status_code == 404


@differs("a dataset that is not there is refused clearly")
def test_a_dataset_that_is_not_there_is_refused_clearly(http: httpx.Client) -> None:
    assert http.get("/api/move/recorded-move-datasets/list/reachy-mind/nothing").status_code == 404


@differs("volumes without a sound card")
@pytest.mark.parametrize("which", ["", "microphone/"])
def test_volumes(http: httpx.Client, which: str) -> None:
    """Read only: on somebody's own machine this is the machine's volume."""
    answer = http.get(f"/api/volume/{which}current").raise_for_status().json()
    assert set(answer) == {"volume", "platform", "device"} and 0 <= answer["volume"] <= 100


@differs("a goto out of reach is refused")
def test_a_goto_out_of_reach_is_refused(http: httpx.Client) -> None:
    up(http)
    far = http.post("/api/move/goto", json={"head_pose": {"z": 0.2}, "duration": 0.5})
    until_sync(lambda: http.get("/api/move/running").json() == [])
    assert far.status_code == 409 and head(http)["z"] < 0.005


@differs("a goto that takes no time is refused")
def test_a_goto_that_takes_no_time_is_refused(http: httpx.Client) -> None:
    assert http.post("/api/move/goto", json={"head_pose": {"yaw": 0.1}, "duration": 0}).status_code == 422


@differs("what is ignored is told on the socket")
def test_what_is_ignored_is_told_on_the_socket(robot: Address) -> None:
    with connect(robot.socket) as socket:
        socket.send(json.dumps({"type": "dance"}))
        kinds = {json.loads(message)["type"] for message in itertools.islice(socket, 100)}
    assert "error" in kinds


@differs("an app that is not there is refused clearly")
def test_an_app_that_is_not_there_is_refused_clearly(http: httpx.Client) -> None:
    assert http.post("/api/apps/start-app/none").status_code == 400


@differs("sound has a direction")
def test_sound_has_a_direction(http: httpx.Client) -> None:
    assert set(http.get("/api/state/doa").json() or {}) == {"angle", "speech_detected"}


@differs("media that was released is said to be")
def test_media_that_was_released_is_said_to_be(http: httpx.Client) -> None:
    http.post("/api/media/release").raise_for_status()
    released = http.get("/api/media/status").json()["released"]
    http.post("/api/media/acquire").raise_for_status()
    assert released and not http.get("/api/media/status").json()["released"]


@differs("an account can be linked")
def test_an_account_can_be_linked(http: httpx.Client) -> None:
    assert http.get("/api/hf-auth/oauth/configured").json() == {"configured": True}


def not_on(body: str, name: str) -> None:
    """For what can't even be tried there."""
    if body in DIFFERENCES[name].bodies:
        pytest.xfail(DIFFERENCES[name].reason)


def state(http: httpx.Client) -> str:
    return str(http.get("/api/daemon/status").json()["state"])


def test_a_stopped_daemon_starts_again(http: httpx.Client, body: str) -> None:
    not_on(body, "a stopped daemon starts again")
    assert "job_id" in http.post("/api/daemon/stop", params={"goto_sleep": False}).json()
    until_sync(lambda: state(http) == "stopped")
    assert http.get("/api/state/full").status_code == 503
    assert "job_id" in http.post("/api/daemon/start", params={"wake_up": False}).json()
    until_sync(lambda: state(http) == "running", within=60)
    assert http.get("/api/state/full").status_code == 200


@differs("motors are off after a start")
def test_motors_are_off_after_a_start(http: httpx.Client, body: str) -> None:
    not_on(body, "a stopped daemon starts again")
    http.post("/api/motors/set_mode/enabled").raise_for_status()
    http.post("/api/daemon/stop", params={"goto_sleep": False}).raise_for_status()
    until_sync(lambda: state(http) == "stopped")
    http.post("/api/daemon/start", params={"wake_up": False}).raise_for_status()
    until_sync(lambda: state(http) == "running", within=60)
    assert http.get("/api/motors/status").json() == {"mode": "disabled"}
