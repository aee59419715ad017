"""`Engine`: the whole of motion, tick by tick, without a clock, a network or a process.

Primary moves are exclusive and queued: goto, frames, teleoperation; with nothing to do, idle. At every change the new
one is cross-faded from the last command. Secondary layers are added, then the shaper has the last word. Whoever plays a
move learns how it ended: `finished`, `cancelled`, `stopped`, or `failed` with the reason.
"""

from __future__ import annotations

import math
import operator
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import Nine
from reachy_mind.motion.idle import Idle
from reachy_mind.motion.layers import Gaze, Listening, turned_along
from reachy_mind.motion.limits import HIGH, LOW, NAMES, PERIOD_S
from reachy_mind.motion.moves import Frames, Goto, Playing, min_jerk, mix, turned
from reachy_mind.motion.posture import Posture
from reachy_mind.motion.shaper import Shaper, absolute, relative
from reachy_mind.motion.speech import NOTHING, Offsets, Speech

FADE_S, FADE_WHOLE = 0.4, 0.15
"""A cross-fade lasts so long when the new move starts this many radians away, and shorter when it starts nearer."""
LEAD_S = 0.05
"""Frames are read this far ahead, which is about how far the shaper trails behind them."""
NONE: Nine = (0.0,) * 9
IDLE_AFTER_S = 1.2
"""Long enough for whoever played a move to see the robot at rest where it ended."""
ARRIVE_S = 2.0
"""How long a finished move may take to come to rest where it ends."""
NEAR, NEAR_ENOUGH = 1e-3, 0.02
"""How near its end a move must have come: the last one, and one that others wait behind or speech moves about."""
TELEOPERATION_TIMEOUT_S = 0.5

End = Literal["finished", "cancelled", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a move ended, and which numbers of it had to give."""

    move_id: str
    how: End
    clamped: tuple[str, ...] = ()
    reason: str = ""


@dataclass
class _Held:
    """Stays at a pose: after a move, a stop, or as the latest wish of a teleoperator."""

    pose: Nine
    duration: float = math.inf
    gazing: bool = False

    def at(self, t: float) -> Nine:  # noqa: ARG002 -- a move, if a still one
        return self.pose


@dataclass
class _Current:
    move_id: str
    playing: Playing
    started_at: float
    lead: float = 0.0
    clamped: set[int] = field(default_factory=set)


class Engine:
    """Call `tick` a hundred times a second; everything else may be called in between."""

    def __init__(self, kinematics: Kinematics, start: Nine, *, idle: bool, seed: int | None = None) -> None:
        self.shaper = Shaper(kinematics, start)
        self.speech, self.posture = Speech(seed), Posture(seed)
        self.gaze, self.listening = Gaze(), Listening()
        self.idle = idle
        self.ended: list[Ended] = []
        self.stopping = False
        self.held = False  # after a stop it does not even breathe until it is asked for something
        self._seed = seed
        self._lease = self._revoked = ""
        self._queue: deque[tuple[str, Goto | Frames]] = deque()
        self._now = 0.0
        self._fade_from: Nine = start
        self._fade_at, self._fade_s = -math.inf, FADE_S
        self._primary: Nine = start
        self._beneath: Nine = start
        self._added: deque[Nine] = deque([NONE], maxlen=round(LEAD_S / PERIOD_S) + 1)
        self._quiet_since = 0.0
        self._lease_at = -math.inf
        self._current = _Current("", _Held(self.shaper.command), 0.0)

    # Commands

    def play(self, move_id: str, move: Goto | Frames) -> None:
        """Queue a move behind those that are waiting; one with a number that is none ends at once as `failed`."""
        if move.finite:
            self.held = False
            self._queue.append((move_id, move))
        else:
            self.ended.append(Ended(move_id, "failed", reason="a number of the move is not finite"))

    def cancel(self, move_id: str) -> None:
        """Take one move out of the queue, or end it if it is the one that plays."""
        for waiting in [entry for entry in self._queue if entry[0] == move_id]:
            self._queue.remove(waiting)
            self.ended.append(Ended(move_id, "cancelled"))
        if self._current.move_id == move_id:
            self._finish("cancelled")

    def clear(self, how: End = "cancelled", reason: str = "") -> None:
        """End every move, playing and waiting; the robot then idles."""
        for move_id, _ in self._queue:
            self.ended.append(Ended(move_id, how, reason=reason))
        self._queue.clear()
        self._finish(how, reason)

    def stop(self) -> None:
        """Brake now and hold; whatever was playing or waiting has ended."""
        self.clear("stopped")
        self.speech.stop()
        self.stopping = self.held = True
        self._revoked = self._lease

    def resume(self) -> None:
        """After a stop: it may idle and look at what is seen again, as if it had been asked for a move."""
        self.held = False

    def teleoperate(self, wish: Nine, lease: str) -> None:
        """Follow the latest wish of whoever has the lease; half a second without one ends it, and so does a stop.

        NaN is no wish.
        """
        if lease == self._revoked or not all(map(math.isfinite, wish)):
            return
        self._lease, self.held = lease, False
        if self._current.move_id != "teleoperation":
            self.clear()
            self._start("teleoperation", _Held(wish))
        self._current.playing = _Held(wish)
        self._lease_at = self._now

    def assume(self, name: str) -> None:
        """Take up a posture. Raises ValueError."""
        self.posture.take(name)
        self.listening.on = name == "listening"

    def listen(self, *, on: bool) -> None:
        """Take up the posture of listening, or leave it if it is the one."""
        if on or self.posture.name == "listening":
            self.assume("listening" if on else "none")

    def restart(self, at: Nine) -> None:
        """The robot is here and stands still, whatever was thought before."""
        self.shaper.restart(at)
        for layer in (self.speech, self.posture, self.listening, self.gaze):
            layer.rest()  # what they had added is part of where it is now
        self._added.clear()
        self._added.append(NONE)
        self._primary = self._beneath = self.shaper.command
        self._fade_from, self._fade_at = self._primary, -math.inf
        self._current = _Current("", _Held(self._primary), self._now)
        self._quiet_since = self._now
        self.stopping = False

    @property
    def busy(self) -> bool:
        return bool(self._current.move_id or self._queue)

    @property
    def _resting(self) -> bool:
        return isinstance(self._current.playing, _Held)

    # Time

    def tick(self, now: float) -> Nine:
        """The command for this moment."""
        self._now = now
        if self.stopping:
            command = self.shaper.brake()
            if self.shaper.still:
                self.restart(command)
            return command
        self._advance()
        current = self._current
        if isinstance(current.playing, Idle) and self.gaze.fresh(now):
            current.playing.attend(now - current.started_at)
        primary = current.playing.at(now - current.started_at + current.lead)
        fading_for = now - self._fade_at
        if fading_for < self._fade_s:
            primary = mix(self._fade_from, primary, min_jerk(fading_for / self._fade_s))
        at_ease = self._at_ease
        gaze = self.gaze.offsets(now, at_ease or current.playing.gazing)
        if at_ease:  # it looks nowhere else: what is seen takes the place of where the head points
            left = 1 - self.gaze.weight
            primary = (*primary[:4], primary[4] * left, primary[5] * left, *primary[6:])
        self._primary = primary
        command = self.shaper.next(self._layered(self._primary, *gaze))
        current.clamped |= self.shaper.clamped
        return command

    @property
    def added(self) -> Nine:
        """What speech and posture have added to the command that goes out now, the shaper's delay counted in."""
        return self._added[0]

    @property
    def _at_ease(self) -> bool:
        """Idling, or holding still for long enough and not because of a stop."""
        if not self._resting:
            return isinstance(self._current.playing, Idle)
        return not self._current.move_id and not self.held and self._now - self._quiet_since >= IDLE_AFTER_S

    def _layered(self, primary: Nine, gaze_pitch: float, gaze_yaw: float) -> Nine:
        x, y, z, roll, pitch, yaw, body, left, right = primary
        if gaze_yaw:
            x, y = turned(x, y, gaze_yaw)
            share = self.gaze.weight
            body += (turned_along(yaw + gaze_yaw, body) - body) * share
        pose = (x, y, z, roll, pitch + gaze_pitch, yaw + gaze_yaw, body, left, right)
        self._beneath = pose = self.listening.applied(pose, self._beneath)
        posture = self.posture.offsets(allowed=not self._current.move_id and not self.held)
        added = _in_the_room(self.speech.offsets(self._now), posture, pose[5], 1 - self.listening.weight)
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
            there = away < (NEAR_ENOUGH if self._queue or added is not NONE else NEAR)
            if there or (over > PERIOD_S and self.shaper.still) or over > ARRIVE_S:
                self._finish("finished")
        if not self._current.move_id:
            if self._queue:
                move_id, move = self._queue.popleft()
                start = _in_range(self._primary)
                if self.gaze.fresh(self._now) and isinstance(move, Frames):
                    start = (*start[:5], 0.0, *start[6:])  # what is seen is told from straight ahead, and gaze adds it
                playing = move.begin(start)
                if isinstance(move, Goto):  # starts where the robot is and eases by itself
                    self._current = _Current(move_id, playing, self._now)
                else:
                    self._start(move_id, playing, LEAD_S)
            elif self.idle and not self.held and self._resting and self._now - self._quiet_since >= IDLE_AFTER_S:
                self._current = _Current("", Idle(self._primary, seed=self._seed), self._now)

    def _start(self, move_id: str, playing: Playing, lead: float = 0.0) -> None:
        self._fade_from, self._fade_at = self._primary, self._now
        gap = max(abs(a - b) for a, b in zip(self._primary, playing.at(lead), strict=True))
        self._fade_s = FADE_S * min(1.0, gap / FADE_WHOLE)
        self._current = _Current(move_id, playing, self._now, lead)

    def _finish(self, how: End, reason: str = "") -> None:
        current = self._current
        if not current.move_id:
            return
        clamped = tuple(NAMES[index] for index in sorted(current.clamped))
        self.ended.append(Ended(current.move_id, how, clamped, reason))
        # A finished move holds its last pose, a cancelled one the pose it has got to.
        whole = how == "finished" and current.playing.duration < math.inf
        held = current.playing.at(current.playing.duration) if whole else None
        self._current = _Current("", _Held(_in_range(held or self._primary)), self._now)
        self._quiet_since = self._now


def _in_range(pose: Nine) -> Nine:
    """What a move was cut short at may be far out, if it was on its way there; nothing starts from such a place."""
    return absolute([min(max(value, low), high) for value, low, high in zip(relative(pose), LOW, HIGH, strict=True)])


def _in_the_room(spoken: Offsets, posture: Offsets, yaw: float, flicks: float) -> Nine:
    """What both add, as numbers of a pose: the head leans to where it faces."""
    if spoken is NOTHING and posture is NOTHING:
        return NONE
    x, y, z, roll, pitch, turn = map(operator.add, spoken[:6], posture[:6])
    x, y = turned(x, y, yaw)
    left, right = spoken[6] * flicks + posture[6], spoken[7] * flicks + posture[7]
    return x, y, z, roll, pitch, turn, 0.0, left, right
