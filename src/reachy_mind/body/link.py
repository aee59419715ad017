"""`Link`: non-blocking WebSocket connection to the daemon's `/ws/sdk`, with automatic reconnect and backoff.

It is made for a loop with a budget of a hundred microseconds: no task, no lock, no object per message. The websockets
library implements the protocol on our non-blocking socket. Connect and handshake run in a short-lived thread.
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
from websockets.protocol import State as ConnectionState
from websockets.uri import parse_uri

from reachy_mind.body.address import Address
from reachy_mind.body.pose import Pose, PoseTuple, wrap_angle
from reachy_mind.body.protocol import MAX_MESSAGE_BYTES

TARGET_MESSAGE = (
    '{"type":"set_full_target","head":[%.7f,%.7f,%.7f,%.7f,%.7f,%.7f,%.7f,%.7f,%.7f,%.7f,%.7f,%.7f,0,0,0,1],'
    '"antennas":[%.6f,%.6f],"body_yaw":%.6f}'
)
RECONNECT_BACKOFF_S = (0.1, 2.0)
SILENCE_TIMEOUT_S = 2.0
HANDSHAKE_TIMEOUT_S = 3.0
SEND_BUFFER_BYTES = 16384
"""Small, so that a daemon that stops reading is noticed and old targets do not queue up."""


@dataclass
class RobotReport:
    """The latest values the daemon reported."""

    pose: PoseTuple | None = None
    joints: Sequence[float] = ()
    at: float = 0.0
    mode: str = ""
    robot: str = ""
    version: str = ""
    simulated: bool = False
    error: str = ""


class Link:
    """One connection that reconnects by itself while `wanted`. The loop calls `poll` and the send methods."""

    def __init__(self, address: Address) -> None:
        self.report = RobotReport()
        self.reason = ""
        self.wanted = True
        self.dropped = 0
        self._address = address
        self._socket: socket.socket | None = None
        self._protocol: ClientProtocol | None = None
        self._opened: list[tuple[socket.socket, ClientProtocol]] = []
        self._connecting: threading.Thread | None = None
        self._backoff_s = RECONNECT_BACKOFF_S[0]
        self._next_try = 0.0
        self._last_message_at = 0.0
        self._antennas: Sequence[float] = (0.0, 0.0)

    @property
    def connected(self) -> bool:
        return self._socket is not None

    def poll(self, now: float) -> None:
        """Read messages, close after a silence timeout, and reconnect while `wanted`."""
        if self._socket is None:
            self._reconnect(now)
        elif not self.wanted:
            self._close("released")
        else:
            self._read(now)
            if self._socket is not None and now - self._last_message_at > SILENCE_TIMEOUT_S:
                self._close(f"the robot has been silent for {SILENCE_TIMEOUT_S:g} s")

    def send_target(self, pose: PoseTuple) -> None:
        """Send the target of head, body and antennas."""
        x, y, z, roll, pitch, yaw, body, left, right = pose
        cr, sr, cp, sp, cy, sy = cos(roll), sin(roll), cos(pitch), sin(pitch), cos(yaw), sin(yaw)
        numbers = (
            *(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x),
            *(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y),
            *(-sp, cp * sr, cp * cr, z, right, left, body),
        )
        self.send_text(TARGET_MESSAGE % numbers)

    def send_text(self, message: str) -> None:
        """Send one message; dropped when the send buffer is full."""
        if self._socket is None or self._protocol is None or self._protocol.state is not ConnectionState.OPEN:
            return
        self._protocol.send_text(message.encode())
        self._flush()

    def _flush(self) -> bool:
        """Send what the protocol has queued. Returns whether the connection is still up."""
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
            if sent < len(data):  # half a frame would corrupt all that follow
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
                self._close("the robot's daemon ended the connection")
                return
            self._protocol.receive_data(data)
            for event in self._protocol.events_received():
                if getattr(event, "opcode", None) is Opcode.TEXT:
                    self._last_message_at = now
                    self._handle(bytes(event.data), now)  # type: ignore[union-attr]
            if not self._flush():
                return
            if self._protocol.state is not ConnectionState.OPEN:
                self._close("the robot's daemon closed the connection")
                return

    def _handle(self, raw: bytes, now: float) -> None:
        try:
            message: dict[str, Any] = json.loads(raw)
            match message["type"]:
                case "joint_positions":
                    self.report.joints = message["head_joint_positions"]
                    self._antennas = message["antennas_joint_positions"]
                case "head_pose" if self.report.joints:
                    rows = message["head_pose"]
                    head = (*rows[0], *rows[1], *rows[2], *rows[3])
                    self.report.pose = measured_pose(head, self.report.joints[0], self._antennas)
                    self.report.at = now
                case "daemon_status":
                    self._handle_status(message)
        except (ValueError, KeyError, TypeError, IndexError):
            return  # an unknown message; the next state follows in 20 ms

    def _handle_status(self, message: dict[str, Any]) -> None:
        backend = message.get("backend_status") or {}
        self.report.mode = str(backend.get("motor_control_mode") or "")
        self.report.robot, self.report.version = str(message["robot_name"]), str(message.get("version") or "")
        self.report.simulated = bool(message.get("simulation_enabled") or message.get("mockup_sim_enabled"))
        self.report.error = str(message.get("error") or backend.get("error") or "")

    def _close(self, reason: str) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = self._protocol = None
        self.report = RobotReport()
        self.reason = reason
        self._backoff_s = RECONNECT_BACKOFF_S[0]
        self._next_try = 0.0

    def _reconnect(self, now: float) -> None:
        if self._opened:
            self._socket, self._protocol = self._opened.pop()
            self._last_message_at, self.reason = now, ""
            self._read(now)  # messages that arrived right after the handshake
            self.send_text('{"type":"set_automatic_body_yaw","enabled":false}')
        elif self.wanted and now >= self._next_try and not (self._connecting and self._connecting.is_alive()):
            self._next_try = now + self._backoff_s * random.uniform(0.8, 1.2)  # noqa: S311 -- jitter
            self._backoff_s = min(self._backoff_s * 2, RECONNECT_BACKOFF_S[1])
            self._connecting = threading.Thread(target=self._connect, name="connect", daemon=True)
            self._connecting.start()

    def _connect(self) -> None:
        try:
            self._opened.append(_handshake(self._address))
        except (OSError, WebSocketException, TimeoutError) as error:
            self.reason = f"{self._address} does not answer: {str(error) or type(error).__name__}"

    def close(self) -> None:
        """Send a close frame, if connected, and close the socket."""
        if self._socket is not None and self._protocol is not None:
            with contextlib.suppress(OSError, WebSocketException):
                self._protocol.send_close(1001)
                self._flush()
        self._close("closed")


def measured_pose(head: Sequence[float], body_yaw: float, antennas: Sequence[float]) -> PoseTuple:
    """The pose of the measured head matrix, body yaw and antennas (right, left)."""
    pose = Pose.from_head_matrix(head, body_yaw=body_yaw, antennas=antennas)
    # A matrix has yaw modulo one turn; the neck keeps it within half a turn of the body's yaw.
    return replace(pose, yaw=body_yaw + wrap_angle(pose.yaw - body_yaw)).as_tuple


def _handshake(address: Address) -> tuple[socket.socket, ClientProtocol]:
    """Connect and do the WebSocket handshake. Returns a non-blocking socket and its protocol."""
    connection = socket.create_connection((address.host, address.port), timeout=HANDSHAKE_TIMEOUT_S)
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        protocol = ClientProtocol(parse_uri(address.socket), max_size=MAX_MESSAGE_BYTES)
        protocol.send_request(protocol.connect())
        for data in protocol.data_to_send():
            connection.sendall(data)
        deadline = time.monotonic() + HANDSHAKE_TIMEOUT_S
        while protocol.state is ConnectionState.CONNECTING and time.monotonic() < deadline:
            data = connection.recv(65536)
            if not data:
                raise OSError("closed during the handshake")
            protocol.receive_data(data)
            for event in protocol.events_received():
                if isinstance(event, Response) and protocol.handshake_exc is not None:
                    raise protocol.handshake_exc
        if protocol.state is not ConnectionState.OPEN:
            raise TimeoutError("no handshake")
    except BaseException:
        connection.close()
        raise
    connection.setblocking(False)  # noqa: FBT003
    return connection, protocol
