"""Where the camera saw the target of a task, as rows of a demonstration.

The camera finds the target some times a second, while the head turns. What lies between two sightings is computed from
where the target was in the room and from the head's poses, with the geometry of the environments
(`environments.gaze`), so that a policy observes in practice what people's demonstrations say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reachy_mind.learning.demonstrations.demonstration import Rows, unseen
from reachy_mind.learning.environments.gaze import camera_bearing, seen_places

USUAL_DISTANCE_M = 0.7
"""Where the distance is unknown; it matters little, because sightings are close to each other."""
LONGEST_GAP_S = 0.5
"""A target that was not looked for during this time is not known to be visible; a longer one where it was seen before
and after it, as on a busy machine."""
LONGEST_GAP_SEEN_S = 2.0

Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TargetSighting:
    """The target in one camera frame, at a monotonic time: its bearing in the camera in radians, with the signs of
    `Pose`, and its distance in metres (0: unknown)."""

    at: float
    yaw: float = 0.0
    pitch: float = 0.0
    visible: bool = True
    distance: float = 0.0


def target_rows(sightings: Sequence[TargetSighting], ticks: Table, times: Table, poses: Table) -> Rows:
    """Targets at the times `ticks`, from the sightings and the measured poses (N, 9) at `times`."""
    rows = unseen(len(ticks))
    ordered = sorted(sightings, key=lambda sighting: sighting.at)
    seen = [sighting for sighting in ordered if sighting.visible]
    if not seen:
        return rows
    heads = _at(ticks, times, poses)
    found = np.array([sighting.at for sighting in seen])
    bearings = np.array([[one.yaw, -one.pitch, one.distance or USUAL_DISTANCE_M] for one in seen])
    places = seen_places(_at(found, times, poses), *bearings.T)
    after = np.searchsorted(found, ticks)
    last, following = np.clip(after - 1, 0, len(seen) - 1), np.clip(after, 0, len(seen) - 1)
    span = np.maximum(found[following] - found[last], 1e-9)
    share = np.clip((ticks - found[last]) / span, 0.0, 1.0)[:, None]
    places_then = (1 - share) * places[last] + share * places[following]
    left, up, _, far = camera_bearing(heads, places_then)
    known = np.array([sighting.distance > 0 for sighting in seen])
    visible = _visible(ordered, ticks)
    met = visible | (ticks >= found[0])  # before, nobody knew where it was
    rows[:, 0], rows[:, 1] = np.where(met, left, 0.0), np.where(met, -up, 0.0)
    rows[:, 2] = visible
    rows[:, 3] = np.where(visible & known[last] & known[following], far, 0.0)
    return rows


def _visible(ordered: Sequence[TargetSighting], ticks: Table) -> NDArray[np.bool_]:
    """Whether the nearest sighting in time is one that saw it."""
    at = np.array([sighting.at for sighting in ordered])
    saw = np.array([sighting.visible for sighting in ordered])
    after = np.clip(np.searchsorted(at, ticks), 0, len(at) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(np.abs(ticks - at[before]) <= np.abs(at[after] - ticks), before, after)
    near = np.abs(at[nearest] - ticks) <= LONGEST_GAP_S
    between = (before < after) & saw[before] & saw[after] & (at[after] - at[before] <= LONGEST_GAP_SEEN_S)
    known: NDArray[np.bool_] = near | (between & (at[before] <= ticks) & (ticks <= at[after]))
    return saw[nearest] & known


def _at(moments: Table, times: Table, poses: Table) -> Table:
    return np.stack([np.interp(moments, times, column) for column in poses.T], axis=1)
