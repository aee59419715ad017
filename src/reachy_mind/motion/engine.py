"""`Engine`: motion control tick by tick: move queue, cross-fades, layers, limits; without clock, network or process.

Primary moves are exclusive and queued: goto, frames, teleoperation; without one, idle motion. Each new one is
cross-faded from the last command. Layers are added, then the shaper applies the limits. Each move ends as `finished`,
`cancelled`, `stopped`, or `failed` with a reason.
"""

from __future__ import annotations

import math
import operator
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import PoseTuple
from reachy_mind.motion.idle import IdleLooks, IdleMotion
from reachy_mind.motion.layers import GazeLayer, ListeningLayer, body_yaw_for
from reachy_mind.motion.limits import HIGH, LOW, NAMES, PERIOD_S
from reachy_mind.motion.moves import Frames, Goto, Playing, min_jerk, mix, rotated
from reachy_mind.motion.posture import Posture
from reachy_mind.motion.shaper import Shaper, absolute, relative
from reachy_mind.motion.speech_sway import NO_OFFSETS, Offsets, SpeechSway

FADE_S, FULL_FADE_RAD = 0.4, 0.15
"""A cross-fade lasts this long for a gap of this many radians or more, and less for a smaller gap."""
LEAD_S = 0.05
"""Frames are read this far ahead, which compensates the shaper's lag."""
ZERO_POSE: PoseTuple = (0.0,) * 9
IDLE_AFTER_S = 1.2
"""Long enough for a client to see the robot at rest where its move ended."""
SETTLE_TIMEOUT_S = 2.0
"""How long the robot may take to come to rest at the end of a move."""
END_TOLERANCE, QUEUED_END_TOLERANCE = 1e-3, 0.02
"""Distance to the end at which a move counts as finished: normally, and with queued moves or additive offsets."""
TELEOPERATION_TIMEOUT_S = 0.5

End = Literal["finished", "cancelled", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class MoveEnded:
    """How a move ended, and which of its axes were clamped."""

    move_id: str
    how: End
    clamped: tuple[str, ...] = ()
    reason: str = ""


@dataclass
class _Hold:
    """Holds a pose: after a move, after a stop, or as the latest target of a teleoperator."""

    pose: PoseTuple
    duration: float = math.inf
    gazing: bool = False

    def at(self, t: float) -> PoseTuple:  # noqa: ARG002 -- part of the protocol
        return self.pose


@dataclass
class _Current:
    move_id: str
    playing: Playing
    started_at: float
    lead: float = 0.0
    clamped: set[int] = field(default_factory=set)


class Engine:
    """Call `tick` at 100 Hz; all other methods may be called in between."""

    def __init__(
        self,
        kinematics: Kinematics,
        start: PoseTuple,
        *,
        idle: bool,
        idle_looks: IdleLooks = IdleLooks(),  # noqa: B008 -- frozen
        seed: int | None = None,
    ) -> None:
        self.shaper = Shaper(kinematics, start)
        self.speech, self.posture = SpeechSway(seed), Posture(seed)
        self.gaze, self.listening = GazeLayer(), ListeningLayer()
        self._idle, self._idle_rests, self._idle_looks = idle, False, idle_looks
        self.ended: list[MoveEnded] = []
        self.stopping = False
        self.holding = False  # after a stop there is no idle motion until the next command
        self._seed = seed
        self._lease = self._revoked_lease = ""
        self._queue: deque[tuple[str, Goto | Frames]] = deque()
        self._now = 0.0
        self._fade_from: PoseTuple = start
        self._fade_at, self._fade_s = -math.inf, FADE_S
        self._primary: PoseTuple = start
        self._unlayered: PoseTuple = start
        self._added: deque[PoseTuple] = deque([ZERO_POSE], maxlen=round(LEAD_S / PERIOD_S) + 1)
        self._idle_since = 0.0
        self._lease_at = -math.inf
        self._current = _Current("", _Hold(self.shaper.command), 0.0)

    # Commands

    @property
    def idle(self) -> bool:
        return self._idle

    @idle.setter
    def idle(self, on: bool) -> None:
        """Allow idle motion or not; the one that plays ends where it is."""
        self._idle = on
        self._end_idle()

    def rest_idle(self, *, on: bool) -> None:
        """Hold still for a while (`on`) instead of idling; `idle` stays as it is."""
        self._idle_rests = on
        self._end_idle()

    def _end_idle(self) -> None:
        if isinstance(self._current.playing, IdleMotion) and (not self._idle or self._idle_rests):
            self._current = _Current("", _Hold(_in_range(self._primary)), self._now)
            self._idle_since = self._now

    def play(self, move_id: str, move: Goto | Frames) -> None:
        """Queue a move; one with a value that is not finite ends at once as `failed`."""
        if move.finite:
            self.holding = False
            self._queue.append((move_id, move))
        else:
            self.ended.append(MoveEnded(move_id, "failed", reason="a number of the move is not finite"))

    def cancel(self, move_id: str) -> None:
        """Remove a move from the queue, or end it if it is playing."""
        for waiting in [entry for entry in self._queue if entry[0] == move_id]:
            self._queue.remove(waiting)
            self.ended.append(MoveEnded(move_id, "cancelled"))
        if self._current.move_id == move_id:
            self._finish("cancelled")

    def clear(self, how: End = "cancelled", reason: str = "") -> None:
        """End the playing move and all queued ones; the robot then idles."""
        for move_id, _ in self._queue:
            self.ended.append(MoveEnded(move_id, how, reason=reason))
        self._queue.clear()
        self._finish(how, reason)

    def stop(self) -> None:
        """End all moves, brake now and hold; revokes the teleoperation lease."""
        self.clear("stopped")
        self.speech.stop()
        self.stopping = self.holding = True
        self._revoked_lease = self._lease

    def resume(self) -> None:
        """Allow idle motion and gaze again after a stop."""
        self.holding = False

    def teleoperate(self, target: PoseTuple, lease: str) -> None:
        """Follow the latest target of the lease holder. A timeout without targets ends it, and so does a stop.

        Targets that are not finite are ignored.
        """
        if lease == self._revoked_lease or not all(map(math.isfinite, target)):
            return
        self._lease, self.holding = lease, False
        if self._current.move_id != "teleoperation":
            self.clear()
            self._start("teleoperation", _Hold(target))
        self._current.playing = _Hold(target)
        self._lease_at = self._now

    def set_posture(self, name: str) -> None:
        """Set the posture. Raises ValueError for an unknown name."""
        self.posture.set(name)
        self.listening.on = name == "listening"

    def listen(self, *, on: bool) -> None:
        """Set the listening posture, or leave it if it is the current one."""
        if on or self.posture.name == "listening":
            self.set_posture("listening" if on else "none")

    def restart(self, at: PoseTuple) -> None:
        """Reset all state: the robot stands still at this pose."""
        self.shaper.restart(at)
        for layer in (self.speech, self.posture, self.listening, self.gaze):
            layer.reset()  # their offsets are part of the new start pose
        self._added.clear()
        self._added.append(ZERO_POSE)
        self._primary = self._unlayered = self.shaper.command
        self._fade_from, self._fade_at = self._primary, -math.inf
        self._current = _Current("", _Hold(self._primary), self._now)
        self._idle_since = self._now
        self.stopping = False

    @property
    def busy(self) -> bool:
        return bool(self._current.move_id or self._queue)

    def quiet(self, now: float) -> bool:
        """Whether it plays nothing and will not move by itself: a still command then stays until the next message."""
        waits = self._resting and not self.busy and not self.stopping
        return waits and not self._may_idle and not self.gaze.fresh(now) and not self.speech.ahead(now)

    @property
    def _resting(self) -> bool:
        return isinstance(self._current.playing, _Hold)

    # Time

    def tick(self, now: float) -> PoseTuple:
        """The command for this tick."""
        self._now = now
        if self.stopping:
            command = self.shaper.brake()
            if self.shaper.still:
                self.restart(command)
            return command
        self._advance()
        current = self._current
        if isinstance(current.playing, IdleMotion) and self.gaze.fresh(now):
            current.playing.attend(now - current.started_at)
        primary = current.playing.at(now - current.started_at + current.lead)
        fading_for = now - self._fade_at
        if fading_for < self._fade_s:
            primary = mix(self._fade_from, primary, min_jerk(fading_for / self._fade_s))
        idling = self._idling
        gaze = self.gaze.offsets(now, idling or current.playing.gazing)
        if idling:  # gaze replaces the idle direction of the head
            left = 1 - self.gaze.weight
            primary = (*primary[:4], primary[4] * left, primary[5] * left, *primary[6:])
        self._primary = primary
        command = self.shaper.next(self._layered(self._primary, *gaze))
        current.clamped |= self.shaper.clamped
        return command

    @property
    def added(self) -> PoseTuple:
        """The offsets of speech and posture in the current command, with the shaper's lag taken into account."""
        return self._added[0]

    @property
    def _idling(self) -> bool:
        """Whether it idles, or has held still for long enough and not because of a stop."""
        if not self._resting:
            return isinstance(self._current.playing, IdleMotion)
        return not self._current.move_id and not self.holding and self._now - self._idle_since >= IDLE_AFTER_S

    def _layered(self, primary: PoseTuple, gaze_pitch: float, gaze_yaw: float) -> PoseTuple:
        x, y, z, roll, pitch, yaw, body, left, right = primary
        if gaze_yaw:
            x, y = rotated(x, y, gaze_yaw)
            share = self.gaze.weight
            body += (body_yaw_for(yaw + gaze_yaw, body) - body) * share
        pose = (x, y, z, roll, pitch + gaze_pitch, yaw + gaze_yaw, body, left, right)
        self._unlayered = pose = self.listening.applied(pose, self._unlayered)
        posture = self.posture.offsets(allowed=not self._current.move_id and not self.holding)
        added = _in_world_frame(self.speech.offsets(self._now), posture, pose[5], 1 - self.listening.weight)
        self._added.append(added)
        return tuple(a + b for a, b in zip(pose, added, strict=True))  # type: ignore[return-value]

    def _advance(self) -> None:
        current = self._current
        playing_for = self._now - current.started_at
        if current.move_id == "teleoperation":
            if self._now - self._lease_at > TELEOPERATION_TIMEOUT_S:
                self._finish("finished")
        elif current.move_id and playing_for >= current.playing.duration:
            over = playing_for - current.playing.duration
            target = current.playing.at(current.playing.duration)
            added = self.added
            away = max(abs(a - o - b) for a, o, b in zip(self.shaper.command, added, target, strict=True))
            there = away < (QUEUED_END_TOLERANCE if self._queue or added is not ZERO_POSE else END_TOLERANCE)
            if there or (over > PERIOD_S and self.shaper.still) or over > SETTLE_TIMEOUT_S:
                self._finish("finished")
        if not self._current.move_id:
            if self._queue:
                move_id, move = self._queue.popleft()
                start = _in_range(self._primary)
                if self.gaze.fresh(self._now) and isinstance(move, Frames):
                    # Gaze directions count from straight ahead, and the gaze layer adds the yaw.
                    start = (*start[:5], 0.0, *start[6:])
                playing = move.begin(start)
                if isinstance(move, Goto):  # it starts at the current pose and eases by itself
                    self._current = _Current(move_id, playing, self._now)
                else:
                    self._start(move_id, playing, LEAD_S)
            elif self._may_idle and self._resting and self._now - self._idle_since >= IDLE_AFTER_S:
                self._current = _Current("", IdleMotion(self._primary, self._idle_looks, seed=self._seed), self._now)

    @property
    def _may_idle(self) -> bool:
        return self._idle and not self._idle_rests and not self.holding

    def _start(self, move_id: str, playing: Playing, lead: float = 0.0) -> None:
        self._fade_from, self._fade_at = self._primary, self._now
        gap = max(abs(a - b) for a, b in zip(self._primary, playing.at(lead), strict=True))
        self._fade_s = FADE_S * min(1.0, gap / FULL_FADE_RAD)
        self._current = _Current(move_id, playing, self._now, lead)

    def _finish(self, how: End, reason: str = "") -> None:
        current = self._current
        if not current.move_id:
            return
        clamped = tuple(NAMES[index] for index in sorted(current.clamped))
        self.ended.append(MoveEnded(current.move_id, how, clamped, reason))
        # A finished move holds its last pose, a cancelled one its current pose.
        whole = how == "finished" and current.playing.duration < math.inf
        held = current.playing.at(current.playing.duration) if whole else None
        self._current = _Current("", _Hold(_in_range(held or self._primary)), self._now)
        self._idle_since = self._now


def _in_range(pose: PoseTuple) -> PoseTuple:
    """Clamp a start pose: a move that was cut short may have been out of range."""
    return absolute([min(max(value, low), high) for value, low, high in zip(relative(pose), LOW, HIGH, strict=True)])


def _in_world_frame(spoken: Offsets, posture: Offsets, yaw: float, flicks: float) -> PoseTuple:
    """The sum of both offsets in the world frame: leaning follows the head's yaw."""
    if spoken is NO_OFFSETS and posture is NO_OFFSETS:
        return ZERO_POSE
    x, y, z, roll, pitch, turn = map(operator.add, spoken[:6], posture[:6])
    x, y = rotated(x, y, yaw)
    left, right = spoken[6] * flicks + posture[6], spoken[7] * flicks + posture[7]
    return x, y, z, roll, pitch, turn, 0.0, left, right
