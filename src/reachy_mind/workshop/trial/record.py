"""`TrialRecord`: what happened in a trial, as the host saw it: poses, calls, words, photos, sounds, limits.

Nothing in it comes from the code under trial. Times are virtual seconds since the start of the trial.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from reachy_mind.body.pose import PoseTuple


@dataclass(frozen=True, slots=True)
class RecordedPose:
    """The measured pose: x, y, z, roll, pitch, yaw, body yaw, left and right antenna."""

    t: float
    pose: PoseTuple


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call of the toolbox, by its end."""

    t: float
    tool: str
    args: dict[str, Any]
    status: str
    error: dict[str, str] | None


@dataclass(frozen=True, slots=True)
class RecordedWords:
    """What was said, by the tool `speak` or as an announcement of a timer or task, and how long that took."""

    t: float
    text: str
    seconds: float
    announced: bool = False


@dataclass(frozen=True, slots=True)
class RecordedFrame:
    """A frame that the camera gave, by its digest; `seen`: the names of what is in it."""

    t: float
    digest: str


@dataclass(frozen=True, slots=True)
class RecordedSound:
    """A sound file that was played."""

    t: float
    name: str


@dataclass(frozen=True, slots=True)
class RecordedLimit:
    """Axes whose targets were out of range or reach, so that the motion engine gave them less."""

    t: float
    axes: tuple[str, ...]


@dataclass
class TrialRecord:
    """Appended to while the trial runs. `now`: virtual seconds since its start."""

    now: Callable[[], float]
    poses: list[RecordedPose] = field(default_factory=list)
    calls: list[RecordedCall] = field(default_factory=list)
    words: list[RecordedWords] = field(default_factory=list)
    frames: list[RecordedFrame] = field(default_factory=list)
    sounds: list[RecordedSound] = field(default_factory=list)
    limits: list[RecordedLimit] = field(default_factory=list)

    def as_dict(self) -> dict[str, list[dict[str, Any]]]:
        """All of it, for JSON."""
        lists = ("poses", "calls", "words", "frames", "sounds", "limits")
        return {name: [asdict(each) for each in getattr(self, name)] for name in lists}
