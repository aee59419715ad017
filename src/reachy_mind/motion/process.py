"""The motion process: the 100 Hz control loop, which owns the connection to the robot.

`Motion` starts it with one end of a connection of packets (`system.packets`). Each packet is one JSON object:

    in   play {id, kind: goto|frames, ...}, frames {id, frames, last}, cancel {id}, clear, stop,
         speech {envelope, t0, start}, gaze {yaw, pitch, at, rate}, look_away, resume, posture {name}, listening {on},
         idle {on}, rest_idle {on}, teleoperate {pose, lease}, engage {on}, line {on}, stats {clear}, quit
    out  state at 50 Hz (dropped when the socket is full), ended {id, how, clamped, reason}, stats {...}

The robot is driven only while `engaged`: the main process engages it once the motors are on. When the main process
dies, its end of the connection closes: the loop then stops the robot, lays it down and ends. Deadlines are absolute; a
late loop skips the missed ticks and never bursts.
"""

from __future__ import annotations

import argparse
import gc
import json
import signal
import time
from pathlib import Path
from typing import Any, Protocol

from reachy_mind import log
from reachy_mind.body.address import Address
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.link import Link, RobotReport
from reachy_mind.body.pose import ASLEEP, PoseTuple
from reachy_mind.motion.engine import ZERO_POSE, Engine
from reachy_mind.motion.idle import IdleLooks
from reachy_mind.motion.limits import PERIOD_S
from reachy_mind.motion.moves import Frames, Goto
from reachy_mind.motion.timing_stats import Lateness
from reachy_mind.system import scheduling
from reachy_mind.system.packets import connect_packets

PACKET_BYTES = 1 << 17
LIE_DOWN_S = 2.0
LIE_DOWN_TIMEOUT_S = 6.0
STATE_EVERY_TICKS = 2
MAX_FOLLOWING_ERROR, FOLLOWING_ERROR_S, FOLLOWING_LAG_S = 0.35, 0.5, 0.25
"""Following error: the robot does not follow when it is further from its command than this many radians, plus the lag
at its speed, for this many seconds."""

_log = log.get(__name__)


class PacketConnection(Protocol):
    """The main process: a non-blocking socket that keeps packets apart."""

    def recv(self, size: int, /) -> bytes:
        """The next packet; empty when the main process is gone. Raises BlockingIOError when there is none."""

    def send(self, packet: bytes, /) -> int: ...


class RobotLink(Protocol):
    """The connection to a robot; `Link` documents the methods."""

    report: RobotReport
    wanted: bool

    @property
    def reason(self) -> str: ...
    @property
    def connected(self) -> bool: ...
    def poll(self, now: float) -> None: ...
    def send_target(self, pose: PoseTuple) -> None: ...
    def send_text(self, message: str) -> None: ...
    def close(self) -> None: ...


class MotionLoop:
    """The control loop and its state. `run` ticks in real time; a trial calls `tick` on its own clock."""

    def __init__(self, connection: PacketConnection, link: RobotLink, engine: Engine) -> None:
        self._socket, self._link, self._engine = connection, link, engine
        self._engaged = self._resync_needed = False
        self._frames: dict[str, list[PoseTuple]] = {}
        self._lateness = Lateness()
        self._running = True
        self._orphaned_at: float | None = None
        self._sequence = 0
        self._following_at = 0.0
        self._compute_s = 0.0

    def run(self) -> None:
        due = time.monotonic()
        while self._running:
            now = time.monotonic()
            late = now - due
            if late >= PERIOD_S:
                missed = int(late / PERIOD_S)
                due += missed * PERIOD_S
                self._lateness.skipped += missed
            self.tick(now, due)
            due += PERIOD_S
            pause = due - time.monotonic()
            if pause > 0:
                time.sleep(pause)
        self._link.close()

    def tick(self, now: float, due: float) -> None:
        """One period of the loop, which was due at `due`."""
        command = self._drive(now)
        self._lateness.add(time.monotonic() - due, self._compute_s)
        self._serve(now)
        if self._sequence % STATE_EVERY_TICKS == 0:
            self._report(command)
        self._sequence += 1

    @property
    def running(self) -> bool:
        """Whether neither `quit` was received nor the robot laid down after the death of the main process."""
        return self._running

    def _drive(self, now: float) -> PoseTuple:
        """Compute and send the command of this tick, before anything else."""
        if self._engaged and self._link.connected and not self._resync_needed:
            began = time.monotonic()
            command = self._engine.tick(now)
            self._compute_s = time.monotonic() - began
            self._link.send_target(command)
            self._check_following_error(command, now)
        else:
            command = self._engine.shaper.command
        return command

    def _serve(self, now: float) -> None:
        """Handle messages, the connection and ended moves in the rest of the tick."""
        self._receive(now)
        self._link.poll(now)
        self._follow_connection()
        for ended in self._engine.ended:
            self._send(
                {
                    "type": "ended",
                    "id": ended.move_id,
                    "how": ended.how,
                    "clamped": ended.clamped,
                    "reason": ended.reason,
                }
            )
        self._engine.ended.clear()
        if self._orphaned_at is not None:
            self._lie_down(now)

    def _follow_connection(self) -> None:
        """After a reconnect, start from the reported pose: the robot may be anywhere. Disengage with motors off."""
        report = self._link.report
        if not self._link.connected:
            if not self._resync_needed:
                self._engine.clear("failed", f"the connection to the robot broke: {self._link.reason}")
            self._resync_needed = True
        elif self._resync_needed and report.pose is not None and report.mode:
            self._resync_needed = False
            self._engine.restart(report.pose)
            self._engaged = self._engaged and report.mode == "enabled"

    def _check_following_error(self, command: PoseTuple, now: float) -> None:
        """Give up on a robot that is blocked or moved by another program, so that it does not jerk back when free."""
        pose = self._link.report.pose
        speeds = self._engine.shaper.velocity
        if pose is None or all(
            abs(command[i] - pose[i]) < MAX_FOLLOWING_ERROR + FOLLOWING_LAG_S * abs(speeds[i])
            for i in range(3, len(command))
        ):
            self._following_at = now
        elif now - self._following_at > FOLLOWING_ERROR_S:
            self._engine.clear("failed", "the robot does not follow: something holds it, or another program moves it")
            self._engine.restart(pose)
            self._following_at = now

    # Messages from the main process

    def _receive(self, now: float) -> None:
        while self._orphaned_at is None:
            try:
                packet = self._socket.recv(PACKET_BYTES)
            except BlockingIOError:
                return
            except OSError:
                packet = b""
            if not packet:
                self._orphan(now)
                return
            try:
                self._handle(json.loads(packet))
            except (ValueError, KeyError, TypeError) as error:
                self._send({"type": "refused", "reason": f"{type(error).__name__}: {error}"})

    def _handle(self, message: dict[str, Any]) -> None:  # noqa: PLR0912 -- one case per message
        engine = self._engine
        match message["type"]:
            case "play":
                self._play(message)
            case "frames":
                self._frames.setdefault(message["id"], []).extend(tuple(frame) for frame in message["frames"])
            case "cancel":
                engine.cancel(message["id"])
            case "clear":
                engine.clear()
            case "stop":
                engine.stop()
            case "speech":
                engine.speech.play(message["envelope"], message["t0"], message["start"])
            case "gaze":
                engine.gaze.look(message["yaw"], message["pitch"], message["at"], tuple(message["rate"]))
            case "look_away":
                engine.gaze.release(time.monotonic())
            case "resume":
                engine.resume()
            case "listening":
                engine.listen(on=bool(message["on"]))
            case "posture":
                engine.set_posture(message["name"])
            case "idle":
                engine.idle = bool(message["on"])
            case "rest_idle":
                engine.rest_idle(on=bool(message["on"]))
            case "teleoperate":
                engine.teleoperate(tuple(message["pose"]), message["lease"])
            case "engage":
                self._engage(bool(message["on"]))
            case "line":
                self._link.wanted = bool(message["on"])
            case "stats":
                self._send({"type": "stats", "figures": self._lateness.figures()})
                if message.get("clear"):
                    self._lateness.clear()
            case "quit":
                self._running = False

    def _play(self, message: dict[str, Any]) -> None:
        if not self._engaged:
            self._send(
                {"type": "ended", "id": message["id"], "how": "failed", "clamped": [], "reason": "motors are off"}
            )
            return
        if message["kind"] == "goto":
            self._engine.play(message["id"], Goto(message["wish"], message["duration"]))
        else:
            frames, gazing, anchored = self._frames.pop(message["id"]), message["gazing"], message["anchored"]
            self._engine.play(message["id"], Frames(frames, gazing, anchored))

    def _engage(self, on: bool) -> None:
        pose = self._link.report.pose
        if on and pose is not None:
            self._engine.restart(pose)
            self._engaged = True
        elif not on:
            self._engine.clear("stopped")
            self._engaged = False
        self._send({"type": "engaged", "on": self._engaged})

    def _report(self, command: PoseTuple) -> None:
        link, report = self._link, self._link.report
        self._send(
            {
                "type": "state",
                "connected": link.connected and report.pose is not None,
                "reason": link.reason,
                "engaged": self._engaged,
                "busy": self._engine.busy,
                "command": command,
                "added": self._engine.added if self._engaged else ZERO_POSE,
                "pose": report.pose,
                "joints": report.joints,
                "at": report.at,
                "mode": report.mode,
                "robot": report.robot,
                "version": report.version,
                "simulated": report.simulated,
                "error": report.error,
            }
        )

    def _send(self, message: dict[str, Any]) -> None:
        try:
            self._socket.send(json.dumps(message).encode())
        except OSError:  # the main process does not read, or is gone, which `_receive` detects
            return

    # After the death of the main process

    def _orphan(self, now: float) -> None:
        _log.warning("main process gone: stopping the robot and laying it down")
        self._orphaned_at = now
        self._engine.idle = False
        self._engine.set_posture("none")
        self._engine.stop()
        self._engine.play("down", Goto.to(ASLEEP, LIE_DOWN_S))

    def _lie_down(self, now: float) -> None:
        assert self._orphaned_at is not None
        done = not self._engine.busy and not self._engine.stopping
        if not self._engaged or done or now - self._orphaned_at > LIE_DOWN_TIMEOUT_S:
            if self._engaged:
                self._link.send_text('{"type":"set_motor_mode","mode":"disabled"}')
            self._running = False


def _set_real_time(*, priority: bool) -> None:
    """Real-time priority where allowed, locked memory, no garbage collection (the loop creates no cycles)."""
    granted = scheduling.raise_priority() if priority else scheduling.ORDINARY
    if priority and not granted.real_time:
        _log.info(
            "no real-time priority: movements may stutter on a busy machine",
            priority=granted.name,
            fix="reachy-mind doctor",
        )
    scheduling.lock_memory()
    gc.collect()
    gc.freeze()
    gc.disable()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--connection", required=True, help="what `system.child_socket` named")
    parser.add_argument("--robot", type=Address.parse, required=True)
    parser.add_argument("--kinematics", type=Path, required=True)
    parser.add_argument("--idle", action="store_true")
    parser.add_argument("--idle-interval", type=float, default=IdleLooks().interval_s)
    parser.add_argument("--idle-range", type=float, default=IdleLooks().range_rad)
    parser.add_argument("--line", action="store_true", help="connect at once instead of on command")
    parser.add_argument("--no-priority", action="store_true", help="ordinary scheduling, as `bench motion` compares it")
    parser.add_argument("--log-level", default="info")
    given = parser.parse_args()
    log.configure_child("motion", level=given.log_level)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process, which then ends this one
    connection = connect_packets(given.connection)
    looks = IdleLooks(given.idle_interval, given.idle_range)
    engine = Engine(Kinematics(given.kinematics), ASLEEP.as_tuple, idle=given.idle, idle_looks=looks)
    link = Link(given.robot)
    link.wanted = given.line
    loop = MotionLoop(connection, link, engine)
    _set_real_time(priority=not given.no_priority)
    with scheduling.fine_timer():
        loop.run()


if __name__ == "__main__":
    main()
