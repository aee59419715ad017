"""The task `beat`: nod and swing the antennas on the beat of music.

Observation (6): where in the beat it is (cosine and sine; the beat is at 1, 0), tempo, how far the head is down (in
`NOD`) and the antennas are out (in `SWING`), time left.
Action (2): where the head (down, in `LARGEST_NOD`) and the antennas (out, in `LARGEST_SWING`) shall be next.

Head and antennas are to swing as a cosine: the head lowest and the antennas widest on the beat. Success: after the
first second, both swing within an eighth of a beat of it and with `LEAST` to `MOST` of the amplitude. An eighth of a
beat is 62 to 125 ms: about what people see as together with what they hear.
"""

from __future__ import annotations

import math

import numpy as np

from reachy_mind.body.pose import AWAKE
from reachy_mind.learning.environments.bodies import DECISION_S, Array, Mask
from reachy_mind.learning.environments.gaze import PITCH
from reachy_mind.learning.environments.scenes import Interval, Scenes
from reachy_mind.learning.environments.task import Actions, DetectionErrors, Judged, Observations
from reachy_mind.motion.limits import NAMES

NOD, SWING = math.radians(8), math.radians(25)
"""Wanted amplitudes."""
LARGEST_NOD, LARGEST_SWING = math.radians(16), math.radians(50)
LATEST = 2 * math.pi / 8
LEAST, MOST = 0.6, 1.5
FIRST = 10
"""Decisions that are not judged: it has to begin."""
FEEDBACK, AHEAD_S, EFFORT = 0.6, 0.035, 1.15
"""Share of what is missing now that is added to what comes next, how much earlier and larger that is: between what a
head without inertia needs and one with physics, which swings 50 degrees late and half as far."""
NEAR_REWARD, SUCCESS_REWARD = 0.2, 1.0
MIDDLE_BPM, BPM_SCALE = 90.0, 30.0

TEMPOS: dict[Scenes, tuple[Interval, ...]] = {
    "usual": ((60.0, 120.0),),
    "narrow": ((80.0, 100.0),),
    "unseen": ((50.0, 60.0), (120.0, 132.0)),
}
"""Beats a minute."""
EASIEST = 70.0
"""Fastest tempo of the easiest scenes."""
ANTENNA_LEFT, ANTENNA_RIGHT = NAMES.index("antenna_left"), NAMES.index("antenna_right")
AWAKE_POSE = np.array(AWAKE.as_tuple)


def control(observations: Observations) -> Actions:
    """What the cosine will be at the end of the decision, and some of what is missing now."""
    seen = observations.astype(np.float64)
    phase, tempo = np.arctan2(seen[:, 1], seen[:, 0]), MIDDLE_BPM + BPM_SCALE * seen[:, 2]
    return _led(phase, tempo, seen[:, 3:5])


def _led(phase: Array, tempo: Array, swung: Array) -> Actions:
    """Actions at this phase and tempo for robots whose head and antennas are there (in the wanted amplitudes)."""
    now, soon = np.cos(phase)[:, None], np.cos(phase + _turn(tempo, DECISION_S + AHEAD_S))[:, None]
    wanted = (EFFORT * soon + FEEDBACK * (now - swung)) * (NOD / LARGEST_NOD, SWING / LARGEST_SWING)
    return np.clip(wanted, -1.0, 1.0).astype(np.float32)


def _turn(tempo: Array, seconds: float) -> Array:
    """Of the phase in this time."""
    return 2 * math.pi * tempo / 60 * seconds


def _swung(poses: Array) -> Array:
    """How far heads are down and antennas are out, in the wanted amplitudes: (count, 2)."""
    apart = poses - AWAKE_POSE
    return np.stack([apart[:, PITCH] / NOD, (apart[:, ANTENNA_LEFT] - apart[:, ANTENNA_RIGHT]) / (2 * SWING)], axis=1)


class BeatTask:
    """Music of one tempo in each scene."""

    name = "beat"
    observation_size = 6
    action_size = 2
    horizon = 60

    def __init__(self, count: int, tempos: tuple[Interval, ...] = TEMPOS["usual"]) -> None:
        self._tempos = tempos
        self._tempo: Array = np.zeros(count)
        self._phase: Array = np.zeros(count)
        self._now = np.zeros(count, np.int64)
        self._swings: Array = np.zeros((count, self.horizon, 2))
        self._phases: Array = np.zeros((count, self.horizon))

    def reset(self, rng: np.random.Generator, rows: Mask, poses: Array) -> None:  # noqa: ARG002
        count = int(rows.sum())
        drawn = np.stack([rng.uniform(*limits, count) for limits in self._tempos])
        self._tempo[rows] = drawn[rng.integers(len(drawn), size=count), np.arange(count)]
        self._phase[rows] = rng.uniform(0.0, 2 * math.pi, count)
        self._now[rows] = 0

    def target(self, actions: Actions, commanded: Array, poses: Array) -> Array:  # noqa: ARG002
        wanted = commanded.copy()
        wanted[:, PITCH] = AWAKE_POSE[PITCH] + actions[:, 0] * LARGEST_NOD
        wanted[:, ANTENNA_LEFT] = AWAKE_POSE[ANTENNA_LEFT] + actions[:, 1] * LARGEST_SWING
        wanted[:, ANTENNA_RIGHT] = AWAKE_POSE[ANTENNA_RIGHT] - actions[:, 1] * LARGEST_SWING
        return wanted

    def advance(self, seconds: float) -> None:
        self._phase = (self._phase + _turn(self._tempo, seconds)) % (2 * math.pi)

    def perceive(self, rows: Mask, poses: Array, errors: DetectionErrors) -> None:
        """The beat is heard, not seen."""

    def observe(self, poses: Array, time_left: Array) -> Observations:
        columns = (
            np.cos(self._phase),
            np.sin(self._phase),
            (self._tempo - MIDDLE_BPM) / BPM_SCALE,
            *_swung(poses).T,
            time_left,
        )
        return np.stack(columns, axis=1).astype(np.float32)

    def judge(self, poses: Array) -> Judged:
        rows, swung = np.arange(len(poses)), _swung(poses)
        self._swings[rows, self._now], self._phases[rows, self._now] = swung, self._phase
        self._now += 1
        success: Mask = self._now >= self.horizon
        if success.any():
            size, late = swing(self._phases[success, FIRST:], self._swings[success, FIRST:])
            success[success] = ((size > LEAST) & (size < MOST) & (np.abs(late) < LATEST)).all(axis=1)
        self._now %= self.horizon
        missed = np.abs(swung - np.cos(self._phase)[:, None])
        reward = NEAR_REWARD * (1.0 - np.minimum(missed, 2.0)).mean(axis=1) + SUCCESS_REWARD * success
        return Judged(reward, success, np.zeros(len(poses), np.bool_))

    def expert(self, poses: Array, commanded: Array) -> Actions:  # noqa: ARG002
        return _led(self._phase, self._tempo, _swung(poses))


def swing(phases: Array, values: Array) -> tuple[Array, Array]:
    """Amplitude and lag (radians) of the cosine that fits best; phases (rows, moments), values (rows, moments, 2)."""
    basis = np.stack([np.ones_like(phases), np.cos(phases), np.sin(phases)], axis=2)
    transposed = basis.transpose(0, 2, 1)
    _, cosine, sine = np.moveaxis(np.linalg.solve(transposed @ basis, transposed @ values), 1, 0)
    return np.hypot(cosine, sine), np.arctan2(sine, cosine)


def make(count: int, difficulty: float, scenes: Scenes) -> BeatTask:
    """For so many robots; lower difficulty: slower music."""
    fastest = EASIEST + (TEMPOS["usual"][0][1] - EASIEST) * difficulty
    tempos = ((TEMPOS["usual"][0][0], fastest),) if scenes == "usual" else TEMPOS[scenes]
    return BeatTask(count, tempos)
