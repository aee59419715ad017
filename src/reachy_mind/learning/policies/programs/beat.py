"""The program of the skill `beat`: nod and swing the antennas on the beat."""

from __future__ import annotations

import asyncio
import math
import time
from typing import Any

import numpy as np

from reachy_mind.learning.environments.beat import (
    ANTENNA_LEFT,
    ANTENNA_RIGHT,
    AWAKE_POSE,
    BPM_SCALE,
    FIRST,
    LARGEST_NOD,
    LARGEST_SWING,
    LATEST,
    LEAST,
    MIDDLE_BPM,
    MOST,
    NOD,
    SWING,
    swing,
)
from reachy_mind.learning.environments.bodies import DECISION_S, Array
from reachy_mind.learning.environments.gaze import PITCH
from reachy_mind.learning.environments.task import Actions, Observations
from reachy_mind.learning.policies.guarded import GuardedPolicy
from reachy_mind.learning.policies.programs.aimed_result import decision_figures
from reachy_mind.learning.policies.programs.robot_pose import SkillRobot, measured_pose, send_pose

BEAT_HORIZON = 60
"""Decisions of an episode in training."""
SLOWEST, FASTEST, LONGEST_BEAT_S = 30.0, 180.0, 600.0
FIRST_LEAD_S, MOST_LEAD_S, LEAD_GAIN = 0.1, 0.4, 0.5
"""Time from a command to its movement, which the environments do not have: at the beginning, at most, and the share of
the lateness of the last two seconds that is added to it."""
LEAD_WINDOW = 20


def swung_of(pose: Array) -> Array:
    """How far the head is down and the antennas are out, in the wanted amplitudes."""
    apart = (pose - AWAKE_POSE)[0]
    return np.array([apart[PITCH] / NOD, (apart[ANTENNA_LEFT] - apart[ANTENNA_RIGHT]) / (2 * SWING)])


def beat_observation(pose: Array, phase: float, bpm: float, time_left: float) -> Observations:
    """As the task has it."""
    tempo = (bpm - MIDDLE_BPM) / BPM_SCALE
    return np.array([[math.cos(phase), math.sin(phase), tempo, *swung_of(pose), time_left]], np.float32)


def beat_target(action: Actions, target: Array) -> Array:
    """The pose that an action (1, 2) asks for."""
    wanted: Array = target.copy()
    wanted[0, PITCH] = AWAKE_POSE[PITCH] + action[0, 0] * LARGEST_NOD
    wanted[0, ANTENNA_LEFT] = AWAKE_POSE[ANTENNA_LEFT] + action[0, 1] * LARGEST_SWING
    wanted[0, ANTENNA_RIGHT] = AWAKE_POSE[ANTENNA_RIGHT] - action[0, 1] * LARGEST_SWING
    return wanted


def lateness_s(bpm: float, phases: list[float], swings: list[Array]) -> float:
    """Of head and antennas on average, in seconds."""
    _, late = swing(np.array([phases]), np.array([swings]))
    return float(late.mean()) / (2 * math.pi) * 60 / bpm


def beat_message(bpm: float, phases: list[float], swings: list[Array]) -> tuple[str, bool]:
    """How well head and antennas kept the beat, and whether they did."""
    if len(phases) < 2 * FIRST:
        return f"I moved to {bpm:.0f} beats a minute.", False
    sizes, late = swing(np.array([phases[FIRST:]]), np.array([swings[FIRST:]]))
    kept = bool(((sizes > LEAST) & (sizes < MOST) & (np.abs(late) < LATEST)).all())
    behind = float(late[0, 0]) / (2 * math.pi) * 60 / bpm * 1000
    how = "on the beat" if kept else "but not quite on the beat"
    timing = f"my head was {abs(behind):.0f} milliseconds {'late' if behind > 0 else 'early'}"
    return f"I moved to {bpm:.0f} beats a minute, {how}: {timing}.", kept


async def keep_beat(robot: SkillRobot, policy: GuardedPolicy, bpm: float, duration_s: float) -> dict[str, Any]:
    """Move to the beat for so long, and say how that went. The first beat is now."""
    if not SLOWEST <= bpm <= FASTEST or not 0 < duration_s <= LONGEST_BEAT_S:
        limits = f"{SLOWEST:.0f} to {FASTEST:.0f} beats a minute, for up to {LONGEST_BEAT_S:.0f} seconds"
        return {"status": "error", "message": f"I can move to {limits}."}
    robot.wake_up()
    target, phases, swings, lead_s = measured_pose(robot), [], [], FIRST_LEAD_S
    began = due = time.monotonic()
    for decision in range(max(1, round(duration_s / DECISION_S))):
        pose, phase = measured_pose(robot), 2 * math.pi * bpm / 60 * (time.monotonic() - began)
        phases.append(phase)
        swings.append(swung_of(pose))
        time_left = 1.0 - decision % BEAT_HORIZON / BEAT_HORIZON
        if decision >= FIRST and decision % LEAD_WINDOW == 0:
            late_s = lateness_s(bpm, phases[-LEAD_WINDOW:], swings[-LEAD_WINDOW:])
            lead_s = min(max(lead_s + LEAD_GAIN * late_s, 0.0), MOST_LEAD_S)
        ahead = phase + 2 * math.pi * bpm / 60 * lead_s
        target = beat_target(policy.act(beat_observation(pose, ahead, bpm, time_left)), target)
        send_pose(robot, target)
        due = max(due + DECISION_S, time.monotonic())
        await asyncio.sleep(due - time.monotonic())
    deciding_s = time.monotonic() - began
    told, kept = beat_message(bpm, phases, swings)
    still = np.zeros((1, 2), np.float32)
    send_pose(robot, beat_target(still, target))
    await asyncio.sleep(DECISION_S)
    message = f"{told} {policy.told()}".strip()
    return {"status": "success", "message": message, "on_beat": kept} | decision_figures(policy, deciding_s)
