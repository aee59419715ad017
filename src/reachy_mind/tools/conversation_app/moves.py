"""The move API of the conversation app, and its conversion to native moves (`to_native_move`).

A guest's move has a `duration` and `evaluate(t) -> (head 4x4 or None, antennas [right, left] or None, body yaw or
None)`. It is sampled in the guest's thread, so that no guest code runs in the main thread or in the control loop. Names
of dances and emotions are looked up in our repertoire, offline.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from reachy_mind.body.pose import Pose, wrap_angle
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.motion.clips import Clip
from reachy_mind.motion.limits import RATE_HZ
from reachy_mind.motion.moves import MAX_DURATION_S, Frames, Goto
from reachy_mind.motion.repertoire import Repertoire
from reachy_mind.tools.acts import DANCE, EMOTION, UNKNOWN_MOVE, Act, acts_of_move, acts_of_target
from reachy_mind.tools.conversation_app.scope import current
from reachy_mind.tools.sdk.reachy_mini.motion.move import Move as AppMove
from reachy_mind.tools.sdk.reachy_mini.utils.interpolation import linear_pose_interpolation

BEFORE_END_S = 1e-4
"""The vendor's recorded moves can't be evaluated at their very end."""

KIND_ACTS = {"dance": DANCE, "emotion": EMOTION}
SAMPLED_TICKS = 10
"""Every so many ticks of a guest's own move show which parts it moves."""

Evaluated = tuple[Any, Any, Any]


class GotoQueueMove(AppMove):
    """A move to a pose. It starts at the robot's current pose, not at `start_...`: no jump, no stale reading."""

    def __init__(
        self,
        target_head_pose: Any = None,
        start_head_pose: Any = None,
        target_antennas: Any = (0.0, 0.0),
        start_antennas: Any = None,
        target_body_yaw: float | None = 0.0,
        start_body_yaw: float | None = None,
        duration: float = 1.0,
        *,
        target_pose: Any = None,
    ) -> None:
        self.target_head_pose = target_head_pose if target_head_pose is not None else target_pose
        self.start_head_pose = start_head_pose
        self.target_antennas, self.start_antennas = target_antennas, start_antennas
        self.target_body_yaw, self.start_body_yaw = target_body_yaw, start_body_yaw
        self._duration = float(duration)

    @property
    def duration(self) -> float:
        return self._duration

    def evaluate(self, t: float) -> Evaluated:
        """For callers; here the move is played as a `Goto`."""
        share = min(max(t / self._duration, 0.0), 1.0)
        start = np.eye(4) if self.start_head_pose is None else self.start_head_pose
        target = start if self.target_head_pose is None else self.target_head_pose
        here, there = np.asarray(self.start_antennas or (0.0, 0.0)), np.asarray(self.target_antennas)
        yaw = self.start_body_yaw or 0.0
        turn = (self.target_body_yaw or 0.0) - yaw
        return linear_pose_interpolation(start, target, share), here + (there - here) * share, yaw + turn * share


class ClipMove(AppMove):
    """A move of the repertoire."""

    def __init__(self, clip: Clip, kind: str = "recorded", acts: Collection[Act] = UNKNOWN_MOVE) -> None:
        self.clip, self.kind = clip, kind
        self.acts = frozenset(acts) | ({KIND_ACTS[kind]} if kind in KIND_ACTS else set())
        self.name, self.description, self.sound_path = clip.name, clip.description, clip.sound

    @property
    def duration(self) -> float:
        return self.clip.duration

    def evaluate(self, t: float) -> Evaluated:
        pose = self.clip.frames.evaluate(t)
        return matrix(pose), np.array(pose.antennas), pose.body_yaw


class ClipMoves:
    """A dataset of moves from the data folder; without one, our own moves of that kind."""

    def __init__(self, hf_dataset_name: str) -> None:
        self.hf_dataset_name = hf_dataset_name
        self._folder = hf_dataset_name.rpartition("/")[2]
        self._kind = "dance" if "dance" in self._folder else "emotion"

    def list_moves(self) -> list[str]:
        entries = _repertoire().entries()
        recorded = [entry.name.rpartition("/")[2] for entry in entries if entry.name.startswith(f"{self._folder}/")]
        return recorded or [entry.name for entry in entries if entry.kind == self._kind]

    def get(self, move_name: str) -> ClipMove:
        """Raises ValueError for an unknown name."""
        repertoire, known = _repertoire(), self.list_moves()
        numbered = move_name.rstrip("0123456789_")  # `happy2` and `music7` are takes
        for name in (f"{self._folder}/{move_name}", move_name, numbered):
            try:
                return ClipMove(repertoire.clip(name), self._kind, acts_of_move(name, repertoire))
            except MindError:
                continue
        if self._kind == "dance" and numbered == "music":
            at = int(move_name.removeprefix(numbered).strip("_") or 0)
            name = known[at % len(known)]
            return ClipMove(repertoire.clip(name), self._kind, acts_of_move(name, repertoire))
        raise ValueError(f"no move {move_name!r} in {self.hf_dataset_name}: there are {', '.join(known)}")


class DanceMove(ClipMove):
    """A dance by name."""

    def __init__(self, name: str, **_: Any) -> None:
        found = ClipMoves("reachy-mini-dances-library").get(name)
        super().__init__(found.clip, "dance", found.acts)


class DanceQueueMove(DanceMove):
    def __init__(self, move_name: str) -> None:
        super().__init__(move_name)
        self.move_name = move_name


class EmotionQueueMove(ClipMove):
    def __init__(self, emotion_name: str, recorded_moves: Any) -> None:
        found = recorded_moves.get(emotion_name)
        ours = isinstance(found, ClipMove)
        clip = found.clip if ours else Clip(emotion_name, _frames(found, Pose()))
        super().__init__(clip, "emotion", found.acts if ours else ())
        self.emotion_name = emotion_name


class Dances(Mapping[str, tuple[Any, dict[str, Any], dict[str, str]]]):
    """The available dances by name, as (class, parameters, metadata)."""

    def __getitem__(self, name: str) -> tuple[Any, dict[str, Any], dict[str, str]]:
        if name not in list(self):
            raise KeyError(name)
        return DanceMove, {}, {"description": _repertoire().entry(name).description}

    def __iter__(self) -> Iterator[str]:
        return iter(ClipMoves("reachy-mini-dances-library").list_moves())

    def __len__(self) -> int:
        return len(list(iter(self)))


def _repertoire() -> Repertoire:
    scope = current.get()
    if scope is not None and scope.ctx.parts.repertoire is not None:
        return scope.ctx.parts.repertoire
    from reachy_mind.config.configuration import load  # noqa: PLC0415 -- while a folder is loaded there is no call yet

    return Repertoire(load().home.moves_folder)


# Poses


def matrix(pose: Pose) -> Any:
    return np.array(pose.head_matrix()).reshape(4, 4)


def merge_pose(before: Pose, head: Any = None, antennas: Any = None, body_yaw: Any = None) -> Pose:
    """`before` with the given parts replaced; angles take the short way. Raises InvalidParameter."""
    pose = before
    try:
        if head is not None:
            flat = np.asarray(head, dtype=float).reshape(16)
            new = Pose.from_head_matrix([float(value) for value in flat])
            turns = {
                name: getattr(before, name) + wrap_angle(getattr(new, name) - getattr(before, name))
                for name in ("roll", "pitch", "yaw")
            }
            pose = replace(pose, x=new.x, y=new.y, z=new.z, **turns)
        if antennas is not None:
            right, left = (float(value) for value in antennas)
            pose = replace(pose, antenna_right=right, antenna_left=left)
        if body_yaw is not None:
            pose = replace(pose, body_yaw=float(body_yaw))
    except (TypeError, ValueError) as error:
        hint = "a 4x4 head transform, two antennas (right, left), a body yaw in radians"
        raise InvalidParameter(f"that is no pose: {error}", hint=hint) from error
    if not all(map(math.isfinite, pose.as_tuple)):
        raise InvalidParameter("a pose that is not finite", hint="every number of a pose must be one")
    return pose


def to_native_move(move: Any, start: Pose) -> Goto | Frames:
    """Convert a guest's move, to be played from about `start`. Raises InvalidParameter."""
    if isinstance(move, Goto | Frames):
        return move
    if isinstance(move, ClipMove):
        return move.clip.frames
    if isinstance(move, GotoQueueMove) and type(move).evaluate is GotoQueueMove.evaluate:
        target = merge_pose(start, move.target_head_pose, move.target_antennas, move.target_body_yaw)
        if not (math.isfinite(move.duration) and 0 < move.duration <= MAX_DURATION_S):
            raise InvalidParameter(f"a move of {move.duration} s", hint=f"more than 0 and at most {MAX_DURATION_S:g} s")
        return Goto.to(target, move.duration)
    return _frames(move, start)


def acts_of_guest_move(move: Any, native: Goto | Frames, start: Pose) -> frozenset[Act]:
    """The acts of a guest's move: those of a move of the repertoire, else by the parts of the robot that it moves."""
    if isinstance(move, ClipMove):
        return move.acts
    if isinstance(native, Goto):
        return acts_of_target(start, replace(start, **native.target))
    return frozenset().union(*(acts_of_target(start, Pose(*frame)) for frame in native.frames[::SAMPLED_TICKS]))


def _frames(move: Any, start: Pose) -> Frames:
    name = type(move).__name__
    try:
        duration = float(move.duration)
    except (AttributeError, TypeError, ValueError) as error:
        raise InvalidParameter(f"{name} is no move: {error}", hint="it needs duration and evaluate(t)") from error
    if not (math.isfinite(duration) and 0 < duration <= MAX_DURATION_S):
        raise InvalidParameter(f"{name} lasts {duration} s", hint=f"more than 0 and at most {MAX_DURATION_S:g} s")
    poses, last = [], start
    for tick in range(math.ceil(duration * RATE_HZ) + 1):
        t = min(tick / RATE_HZ, max(duration - BEFORE_END_S, 0.0))
        try:
            found = move.evaluate(t)
            last = found if isinstance(found, Pose) else merge_pose(last, *found)
        except Exception as error:
            raise InvalidParameter(f"{name}.evaluate({t:g}) failed: {type(error).__name__}: {error}") from error
        poses.append(last.as_tuple)
    return Frames(poses)
