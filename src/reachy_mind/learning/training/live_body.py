"""`LiveBody`: the robot of the running mind practises, so that a person sees what they judge.

It moves over the WebSocket `/ws/teleoperate`: one tool call through the gate, under a lease that ends between episodes,
so that people can use the robot meanwhile. A stop, or somebody else who takes the robot, ends the training.
"""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from reachy_mind.body.pose import ANGLES, AWAKE, LENGTHS, Pose
from reachy_mind.errors import NotReady
from reachy_mind.events import RobotStopped
from reachy_mind.learning.environments.bodies import DECISION_S, Array, Mask

TAKE_S = 65.0
"""A person may have to confirm."""
RETURN_S = 1.5
"""For the way back to the neutral posture between episodes."""
KEEP_S = 0.2
HINT = "the same command goes on from the last evaluation"


class LiveBody:
    """A batch of one. Use `connected`."""

    count = 1

    def __init__(self, socket: ClientConnection, events: ClientConnection, http: httpx.Client) -> None:
        self._socket, self._events, self._http = socket, events, http
        self._held = False
        self._next = time.monotonic()
        self._neutral = np.array(AWAKE.as_tuple)
        self.poses: Array = self._neutral[None].copy()

    @classmethod
    @contextlib.contextmanager
    def connected(cls, port: int, token: str) -> Iterator[LiveBody]:
        """With the mind on this port of this computer. Raises NotReady."""
        bearer = {"Authorization": f"Bearer {token}"}
        url = f"127.0.0.1:{port}/api/v1"
        try:
            socket = connect(f"ws://{url}/ws/teleoperate", additional_headers=bearer, proxy=None)
            events = connect(f"ws://{url}/ws/events", additional_headers=bearer, proxy=None)
        except (OSError, InvalidStatus, TimeoutError) as error:
            raise NotReady(f"the running mind does not let the training move its robot: {error}") from error
        robot = httpx.Client(base_url=f"http://{url}", headers=bearer, trust_env=False, timeout=5)
        with socket, events, robot as http:
            yield cls(socket, events, http)

    def reset(self, rows: Mask) -> None:
        if not rows.any():
            return
        self._require_no_stop()
        if not self._held:
            self._take()
        ends = time.monotonic() + RETURN_S
        while time.monotonic() < ends:
            self._send(self._neutral)
            time.sleep(KEEP_S)
        self.poses = self._measured()[None]
        self._release()

    def move(self, targets: Array) -> None:
        self._require_no_stop()
        if not self._held:
            self._take()
            self._next = time.monotonic()
        self._send(targets[0])
        self._next = max(self._next + DECISION_S, time.monotonic())
        time.sleep(max(0.0, self._next - time.monotonic()))
        self._require_held()
        self.poses = self._measured()[None]

    def close(self) -> None:
        if self._held:
            self._release()

    def _take(self) -> None:
        self._write({"type": "take"})
        ends = time.monotonic() + TAKE_S
        while time.monotonic() < ends:
            frame = self._read(ends - time.monotonic())
            if frame.get("type") == "held":
                self._held = True
                return
            if frame.get("type") in ("released", "error"):
                reason = frame.get("reason") or frame.get("message", "it was not given")
                raise NotReady(f"the training may not move the robot: {reason}", hint=str(frame.get("hint", "")))
        raise NotReady(
            "nobody let the training move the robot", hint="confirm it on the page, or train without --human"
        )

    def _release(self) -> None:
        self._write({"type": "release"})
        self._held = False
        while self._read(TAKE_S).get("type") != "released":
            continue

    def _require_no_stop(self) -> None:
        """A stop also counts between the episodes, when the training does not hold the robot."""
        while event := self._read(0.0, self._events):
            if event.get("type") == RobotStopped.__name__:
                raise NotReady("somebody stopped the robot, so the training stops too", hint=HINT)

    def _require_held(self) -> None:
        while frame := self._read(0.0):
            if frame.get("type") == "released":
                self._held = False
                reason = frame.get("reason") or "somebody stopped it, or took it"
                raise NotReady(f"the training lost the robot: {reason}", hint=HINT)

    def _send(self, pose: Array) -> None:
        given = Pose(*pose.tolist())
        lengths = {name: getattr(given, name) * 1000 for name in LENGTHS}
        angles = {name: math.degrees(getattr(given, name)) for name in ANGLES}
        self._write({"type": "pose", **lengths, **angles})

    def _measured(self) -> Array:
        try:
            answer = self._http.get("/robot/state")
            pose = answer.raise_for_status().json()["pose"]
            lengths = [pose[f"{name}_mm"] / 1000 for name in LENGTHS]
            return np.array(lengths + [math.radians(pose[name]) for name in ANGLES])
        except (httpx.HTTPError, KeyError, ValueError) as error:
            raise NotReady(f"the robot does not tell where it is: {error}", hint=HINT) from error

    def _write(self, frame: dict[str, Any]) -> None:
        try:
            self._socket.send(json.dumps(frame))
        except ConnectionClosed as error:
            raise NotReady("the running mind has ended", hint=HINT) from error

    def _read(self, timeout: float, socket: ClientConnection | None = None) -> dict[str, Any]:
        """The next frame; nothing when none comes in time."""
        try:
            frame: dict[str, Any] = json.loads((socket or self._socket).recv(timeout=max(0.0, timeout)))
        except TimeoutError:
            return {}
        except ConnectionClosed as error:
            raise NotReady("the running mind has ended", hint=HINT) from error
        return frame
