"""The motion process: a loop of 100 Hz that owns the line to the robot, and nothing else.

It is started by `Motion` with one end of an AF_UNIX SEQPACKET pair, on which every packet is one JSON object:

    in   play {id, kind: goto|frames, ...}, frames {id, frames, last}, cancel {id}, clear, stop,
         speech {envelope, t0, start}, gaze {yaw, pitch, at, rate}, look_away, resume, posture {name}, listening {on},
         idle {on}, teleoperate {pose, lease}, engage {on}, line {on}, stats {clear}, quit
    out  state 50 times a second (dropped when nobody reads), ended {id, how, clamped, reason}, stats {...}

The robot is driven only while `engaged`: main engages it once the motors are on. When main dies, the pair's other end
closes; then the robot is stopped, laid down gently and the process ends. Deadlines are absolute; a late loop skips the
ticks it missed and never bursts.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import signal
import socket
import time
from pathlib import Path
from typing import Any

from reachy_mind import log
from reachy_mind.body.address import Address
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.link import Link
from reachy_mind.body.pose import ASLEEP, Nine
from reachy_mind.motion.engine import NONE, Engine
from reachy_mind.motion.limits import PERIOD_S
from reachy_mind.motion.moves import Frames, Goto
from reachy_mind.motion.stats import Lateness

PRIORITY = 20
PACKET_BYTES = 1 << 17
LIE_DOWN_S = 2.0
GOODBYE_S = 6.0
STATE_EVERY_TICKS = 2
ASTRAY, ASTRAY_S, LAG_S = 0.35, 0.5, 0.25
"""A robot further from its command than this many radians, plus what it lags at its speed, for this many seconds, is
not following."""

_log = log.get(__name__)


class Loop:
    """Everything the process holds."""

    def __init__(
        self, pair: socket.socket, address: Address, kinematics: Kinematics, *, idle: bool, line: bool
    ) -> None:
        self._pair = pair
        self._link = Link(address)
        self._link.wanted = line
        self._engine = Engine(kinematics, ASLEEP.nine, idle=idle)
        self._engaged = self._fresh = False
        self._frames: dict[str, list[Nine]] = {}
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
            command = self._drive(now)
            self._lateness.add(time.monotonic() - due, self._compute_s)
            self._attend(now)
            if self._sequence % STATE_EVERY_TICKS == 0:
                self._report(command)
            self._sequence += 1
            due += PERIOD_S
            pause = due - time.monotonic()
            if pause > 0:
                time.sleep(pause)
        self._link.close()

    def _drive(self, now: float) -> Nine:
        """First of all, the command of this tick goes out."""
        if self._engaged and self._link.connected and not self._fresh:
            began = time.monotonic()
            command = self._engine.tick(now)
            self._compute_s = time.monotonic() - began
            self._link.target(command)
            self._watch_following(command, now)
        else:
            command = self._engine.shaper.command
        return command

    def _attend(self, now: float) -> None:
        """Then there is time for everybody else."""
        self._obey(now)
        self._link.poll(now)
        self._follow_line()
        for ended in self._engine.ended:
            self._tell(
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

    def _follow_line(self) -> None:
        """After a break the robot may be anywhere: start again from what it reports, if its motors are still on."""
        report = self._link.report
        if not self._link.connected:
            if not self._fresh:
                self._engine.clear("failed", f"the connection to the robot broke: {self._link.reason}")
            self._fresh = True
        elif self._fresh and report.pose is not None and report.mode:
            self._fresh = False
            self._engine.restart(report.pose)
            self._engaged = self._engaged and report.mode == "enabled"

    def _watch_following(self, command: Nine, now: float) -> None:
        """A robot that is held fast, or moved by another program, is not pulled back with a jerk when it comes free."""
        pose = self._link.report.pose
        speeds = self._engine.shaper.velocity
        if pose is None or all(
            abs(command[i] - pose[i]) < ASTRAY + LAG_S * abs(speeds[i]) for i in range(3, len(command))
        ):
            self._following_at = now
        elif now - self._following_at > ASTRAY_S:
            self._engine.clear("failed", "the robot does not follow: something holds it, or another program moves it")
            self._engine.restart(pose)
            self._following_at = now

    # Main

    def _obey(self, now: float) -> None:
        while self._orphaned_at is None:
            try:
                packet = self._pair.recv(PACKET_BYTES)
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
                self._tell({"type": "refused", "reason": f"{type(error).__name__}: {error}"})

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
                engine.gaze.let_go(time.monotonic())
            case "resume":
                engine.resume()
            case "listening":
                engine.listen(on=bool(message["on"]))
            case "posture":
                engine.assume(message["name"])
            case "idle":
                engine.idle = bool(message["on"])
            case "teleoperate":
                engine.teleoperate(tuple(message["pose"]), message["lease"])
            case "engage":
                self._engage(bool(message["on"]))
            case "line":
                self._link.wanted = bool(message["on"])
            case "stats":
                self._tell({"type": "stats", "figures": self._lateness.figures()})
                if message.get("clear"):
                    self._lateness.clear()
            case "quit":
                self._running = False

    def _play(self, message: dict[str, Any]) -> None:
        if not self._engaged:
            self._tell(
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
        self._tell({"type": "engaged", "on": self._engaged})

    def _report(self, command: Nine) -> None:
        link, report = self._link, self._link.report
        self._tell(
            {
                "type": "state",
                "connected": link.connected and report.pose is not None,
                "reason": link.reason,
                "engaged": self._engaged,
                "busy": self._engine.busy,
                "command": command,
                "added": self._engine.added if self._engaged else NONE,
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

    def _tell(self, message: dict[str, Any]) -> None:
        try:
            self._pair.send(json.dumps(message).encode())
        except OSError:  # main does not read just now, or is gone: `_obey` finds out
            return

    # Without main

    def _orphan(self, now: float) -> None:
        _log.warning("the main process is gone: stopping the robot and laying it down")
        self._orphaned_at = now
        self._engine.idle = False
        self._engine.assume("none")
        self._engine.stop()
        self._engine.play("down", Goto.to(ASLEEP, LIE_DOWN_S))

    def _lie_down(self, now: float) -> None:
        assert self._orphaned_at is not None
        done = not self._engine.busy and not self._engine.stopping
        if not self._engaged or done or now - self._orphaned_at > GOODBYE_S:
            if self._engaged:
                self._link.text('{"type":"set_motor_mode","mode":"disabled"}')
            self._running = False


def _be_punctual(*, priority: bool) -> None:
    """Real-time priority where allowed, memory locked, no garbage collection: the loop makes no cycles."""
    if priority:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        except OSError:
            _log.info("no real-time priority: movements may stutter on a busy machine", fix="reachy-mind doctor")
    ctypes.CDLL(None).mlockall(3)
    gc.collect()
    gc.freeze()
    gc.disable()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("--robot", type=Address.parse, required=True)
    parser.add_argument("--kinematics", type=Path, required=True)
    parser.add_argument("--idle", action="store_true")
    parser.add_argument("--line", action="store_true", help="connect at once instead of waiting to be told")
    parser.add_argument("--no-priority", action="store_true", help="ordinary scheduling, as `bench motion` compares it")
    parser.add_argument("--log-level", default="info")
    given = parser.parse_args()
    log.configure(given.log_level)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for main, which then tells us
    pair = socket.socket(fileno=given.fd)
    pair.setblocking(False)  # noqa: FBT003
    loop = Loop(pair, given.robot, Kinematics(given.kinematics), idle=given.idle, line=given.line)
    _be_punctual(priority=not given.no_priority)
    loop.run()


if __name__ == "__main__":
    main()
