"""`Link`: `/ws/sdk` for a loop that has a hundred microseconds: no task, no lock, no object per message.

The websockets library does the protocol; the socket is ours and never blocks. Connecting does take time, so that is
done in a short-lived thread, and the loop goes on meanwhile.
"""

from __future__ import annotations

import contextlib
import json
import random
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import cos, sin
from typing import Any

from websockets.client import ClientProtocol
from websockets.exceptions import WebSocketException
from websockets.frames import Opcode
from websockets.http11 import Response
from websockets.protocol import State as LineState
from websockets.uri import parse_uri

from reachy_mind.body.address import Address
from reachy_mind.body.pose import Nine, Pose, wrapped
from reachy_mind.body.protocol import MAX_MESSAGE_BYTES

TARGET = (
    '{"type":"set_full_target","head":[%.7f,%.7f,%.7f,%.7f,%.7f,%.7f,%.7f,%.7f,%.7f,%.7f,%.7f,%.7f,0,0,0,1],'
    '"antennas":[%.6f,%.6f],"body_yaw":%.6f}'
)
BACKOFF_S = (0.1, 2.0)
SILENCE_S = 2.0
HANDSHAKE_S = 3.0
SEND_BUFFER_BYTES = 16384
"""Small, so that a daemon that stops reading is noticed, and old targets don't pile up."""


@dataclass
class Report:
    """The newest of everything the daemon said."""

    pose: Nine | None = None
    joints: Sequence[float] = ()
    at: float = 0.0
    mode: str = ""
    robot: str = ""
    version: str = ""
    simulated: bool = False
    error: str = ""


class Link:
    """One connection that comes back by itself. `poll` and `send` are called by the loop."""

    def __init__(self, address: Address) -> None:
        self.report = Report()
        self.reason = ""
        self.wanted = True
        self.dropped = 0
        self._address = address
        self._socket: socket.socket | None = None
        self._protocol: ClientProtocol | None = None
        self._arrived: list[tuple[socket.socket, ClientProtocol]] = []
        self._connecting: threading.Thread | None = None
        self._wait_s = BACKOFF_S[0]
        self._next_try = 0.0
        self._heard_at = 0.0
        self._antennas: Sequence[float] = (0.0, 0.0)

    @property
    def connected(self) -> bool:
        return self._socket is not None

    def poll(self, now: float) -> None:
        """Take in what has come, notice silence, and keep trying to connect while that is wanted."""
        if self._socket is None:
            self._reconnect(now)
        elif not self.wanted:
            self._close("released")
        else:
            self._read(now)
            if self._socket is not None and now - self._heard_at > SILENCE_S:
                self._close(f"the robot has been silent for {SILENCE_S:g} s")

    def target(self, pose: Nine) -> None:
        """Send where head, body and antennas shall be."""
        x, y, z, roll, pitch, yaw, body, left, right = pose
        cr, sr, cp, sp, cy, sy = cos(roll), sin(roll), cos(pitch), sin(pitch), cos(yaw), sin(yaw)
        numbers = (
            *(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x),
            *(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y),
            *(-sp, cp * sr, cp * cr, z, right, left, body),
        )
        self.text(TARGET % numbers)

    def text(self, message: str) -> None:
        """Send one message, or drop it when the daemon does not read."""
        if self._socket is None or self._protocol is None or self._protocol.state is not LineState.OPEN:
            return
        self._protocol.send_text(message.encode())
        self._flush()

    def _flush(self) -> bool:
        """Whether the line is still up afterwards."""
        assert self._socket is not None and self._protocol is not None
        for data in self._protocol.data_to_send():
            try:
                sent = self._socket.send(data)
            except BlockingIOError:
                self.dropped += 1
                continue
            except OSError as error:
                self._close(str(error))
                return False
            if sent < len(data):  # half a frame would garble all that follow
                self._close("the robot does not read what we send")
                return False
        return True

    def _read(self, now: float) -> None:
        assert self._socket is not None and self._protocol is not None
        while True:
            try:
                data = self._socket.recv(65536)
            except BlockingIOError:
                return
            except OSError as error:
                self._close(str(error))
                return
            if not data:
                self._close("the robot's daemon has gone")
                return
            self._protocol.receive_data(data)
            for event in self._protocol.events_received():
                if getattr(event, "opcode", None) is Opcode.TEXT:
                    self._heard_at = now
                    self._take(bytes(event.data), now)  # type: ignore[union-attr]
            if not self._flush():
                return
            if self._protocol.state is not LineState.OPEN:
                self._close("the robot's daemon closed the connection")
                return

    def _take(self, raw: bytes, now: float) -> None:
        try:
            message: dict[str, Any] = json.loads(raw)
            match message["type"]:
                case "joint_positions":
                    self.report.joints = message["head_joint_positions"]
                    self._antennas = message["antennas_joint_positions"]
                case "head_pose" if self.report.joints:
                    rows = message["head_pose"]
                    head = (*rows[0], *rows[1], *rows[2], *rows[3])
                    body_yaw = self.report.joints[0]
                    pose = Pose.from_head_matrix(head, body_yaw=body_yaw, antennas=self._antennas)
                    # A matrix knows directions only; the head turns on the body, so that is where its yaw counts from.
                    pose = replace(pose, yaw=body_yaw + wrapped(pose.yaw - body_yaw))
                    self.report.pose, self.report.at = pose.nine, now
                case "daemon_status":
                    self._take_status(message)
        except (ValueError, KeyError, TypeError, IndexError):
            return  # not a message we know; the next one is 20 ms away

    def _take_status(self, message: dict[str, Any]) -> None:
        backend = message.get("backend_status") or {}
        self.report.mode = str(backend.get("motor_control_mode") or "")
        self.report.robot, self.report.version = str(message["robot_name"]), str(message.get("version") or "")
        self.report.simulated = bool(message.get("simulation_enabled") or message.get("mockup_sim_enabled"))
        self.report.error = str(message.get("error") or backend.get("error") or "")

    def _close(self, reason: str) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = self._protocol = None
        self.report = Report()
        self.reason = reason
        self._wait_s = BACKOFF_S[0]
        self._next_try = 0.0

    def _reconnect(self, now: float) -> None:
        if self._arrived:
            self._socket, self._protocol = self._arrived.pop()
            self._heard_at, self.reason = now, ""
            self._read(now)  # what came right behind the handshake
            self.text('{"type":"set_automatic_body_yaw","enabled":false}')
        elif self.wanted and now >= self._next_try and not (self._connecting and self._connecting.is_alive()):
            self._next_try = now + self._wait_s * random.uniform(0.8, 1.2)  # noqa: S311 -- jitter
            self._wait_s = min(self._wait_s * 2, BACKOFF_S[1])
            self._connecting = threading.Thread(target=self._connect, name="connect", daemon=True)
            self._connecting.start()

    def _connect(self) -> None:
        try:
            self._arrived.append(_shake_hands(self._address))
        except (OSError, WebSocketException, TimeoutError) as error:
            self.reason = f"{self._address} does not answer: {error or type(error).__name__}"

    def close(self) -> None:
        """Say goodbye, if the line is up."""
        if self._socket is not None and self._protocol is not None:
            with contextlib.suppress(OSError, WebSocketException):
                self._protocol.send_close(1001)
                self._flush()
        self._close("closed")


def _shake_hands(address: Address) -> tuple[socket.socket, ClientProtocol]:
    """A WebSocket whose handshake is done and whose socket no longer blocks."""
    line = socket.create_connection((address.host, address.port), timeout=HANDSHAKE_S)
    try:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        protocol = ClientProtocol(parse_uri(address.socket), max_size=MAX_MESSAGE_BYTES)
        protocol.send_request(protocol.connect())
        for data in protocol.data_to_send():
            line.sendall(data)
        deadline = time.monotonic() + HANDSHAKE_S
        while protocol.state is LineState.CONNECTING and time.monotonic() < deadline:
            data = line.recv(65536)
            if not data:
                raise OSError("closed during the handshake")
            protocol.receive_data(data)
            for event in protocol.events_received():
                if isinstance(event, Response) and protocol.handshake_exc is not None:
                    raise protocol.handshake_exc
        if protocol.state is not LineState.OPEN:
            raise TimeoutError("no handshake")
    except BaseException:
        line.close()
        raise
    line.setblocking(False)  # noqa: FBT003
    return line, protocol
