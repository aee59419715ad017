"""Run by the vendor's own Python, with its own client, against a daemon at 127.0.0.1:PORT: `drive.py PORT DATASET`.

Prints one JSON object on its last line: what the client measured after each thing it was told to do.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import requests
from reachy_mini import ReachyMini
from reachy_mini.motion.recorded_move import RecordedMoves
from reachy_mini.utils import create_head_pose
from reachy_mini_dances_library.dance_move import DanceMove

PORT, DATASET = int(sys.argv[1]), sys.argv[2]
URL = f"http://127.0.0.1:{PORT}"


def yaw(head) -> float:
    return float(np.arctan2(head[1, 0], head[0, 0]))


def settled(robot, wish: float) -> float:
    """The head's yaw, once it is near `wish` or two seconds have passed."""
    end = time.monotonic() + 2.0
    while abs(yaw(robot.get_current_head_pose()) - wish) > 0.02 and time.monotonic() < end:
        time.sleep(0.02)
    return yaw(robot.get_current_head_pose())


def swing(robot, play) -> float:
    """How far the head went, in radians or metres, while `play` ran."""
    seen = [robot.get_current_head_pose()]
    stream = robot.set_target_head_pose

    def watched(pose) -> None:
        seen.append(robot.get_current_head_pose())
        stream(pose)

    robot.set_target_head_pose = watched
    try:
        play()
    finally:
        robot.set_target_head_pose = stream
    return float(np.ptp(np.array(seen), axis=0).max())


def main() -> None:
    found: dict[str, object] = {}
    with ReachyMini(port=PORT, connection_mode="localhost_only", media_backend="no_media") as robot:
        robot.enable_motors()
        robot.wake_up()
        found["awake_z"] = float(robot.get_current_head_pose()[2, 3])
        robot.set_target(head=create_head_pose(yaw=10, degrees=True), antennas=[-0.5, 0.5])
        found["set_target"] = settled(robot, float(np.radians(10)))
        robot.set_target(head=create_head_pose(yaw=-10, degrees=True))
        robot.enable_motors()
        robot.disable_motors(ids=["left_antenna"])
        robot.enable_motors(ids=["left_antenna"])
        found["motors_switched_meanwhile"] = settled(robot, float(np.radians(-10)))
        with ReachyMini(port=PORT, connection_mode="localhost_only", media_backend="no_media") as other:
            other.set_target(head=create_head_pose(yaw=10, degrees=True))
            found["another_client"] = settled(robot, float(np.radians(10)))
        robot.goto_target(head=create_head_pose(yaw=-20, degrees=True), duration=0.8, body_yaw=None)
        found["goto_target"] = settled(robot, float(np.radians(-20)))
        looked = robot.look_at_world(0.5, 0.2, 0.0, duration=0.8)
        found["look_at_world"] = [yaw(looked), settled(robot, yaw(looked))]
        head, antennas = robot.get_current_joint_positions()
        found["joints"] = [len(head), len(antennas)]
        status = robot.client.get_status()
        found["state"] = [status.state.value, status.version, status.backend_status.motor_control_mode.value]
        robot.goto_target(head=np.eye(4), duration=0.5)
        found["dance"] = swing(robot, lambda: robot.play_move(DanceMove("yeah_nod"), initial_goto_duration=0.3))
        recorded = RecordedMoves(DATASET)
        found["moves"] = recorded.list_moves()
        robot.goto_target(head=np.eye(4), duration=0.5)
        found["recorded"] = swing(robot, lambda: robot.play_move(recorded.get("turn"), initial_goto_duration=0.3))
        robot.goto_target(head=np.eye(4), duration=0.5)
        playing = requests.post(f"{URL}/api/move/play/recorded-move-dataset/{DATASET}/turn", timeout=10)
        playing.raise_for_status()
        started = playing.json()
        far = 0.0
        while started in requests.get(f"{URL}/api/move/running", timeout=10).json():
            far = max(far, abs(yaw(robot.get_current_head_pose())))
        found["recorded_by_daemon"] = far
        robot.start_recording()
        robot.set_target(head=np.eye(4), body_yaw=0.0)
        found["recording"] = len(robot.stop_recording())
        robot.enable_gravity_compensation()
        found["gravity_compensation"] = _mode(robot, "gravity_compensation")
        robot.disable_gravity_compensation()
        robot.goto_sleep()
        robot.disable_motors()
        found["asleep"] = _mode(robot, "disabled")
    print(json.dumps(found))  # noqa: T201


def _mode(robot, wish: str) -> str:
    """The motor mode that the daemon reports, once it is `wish` or three reports have come."""
    for _ in range(3):
        mode = robot.client.get_status().backend_status.motor_control_mode.value
        if mode == wish:
            break
    return mode


if __name__ == "__main__":
    main()
