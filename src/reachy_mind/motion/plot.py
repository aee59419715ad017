"""Plots a move: head, body and antennas over time, as written and as commanded, with the limits."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.limits import MAX_BODY_YAW, RANGES
from reachy_mind.body.pose import AWAKE, PoseTuple
from reachy_mind.errors import InvalidParameter, MissingExtra
from reachy_mind.motion.clips import Clip
from reachy_mind.motion.engine import LEAD_S, Engine
from reachy_mind.motion.limits import MOVING, NAMES, PERIOD_S, RATE_HZ
from reachy_mind.motion.moves import Frames

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES = (".png", ".svg", ".pdf")
TRAILING_S = 0.5
COLOURS = ("#3468c0", "#d9782d", "#2e8b57", "#8b5fbf", "#b5473c")

PANELS = (
    ("head, degrees", ("roll", "pitch", "yaw"), math.degrees(RANGES["pitch"][1])),
    ("head, millimetres", ("x", "y", "z"), None),
    ("body, degrees", ("body_yaw",), math.degrees(MAX_BODY_YAW)),
    ("antennas, degrees", ("antenna_left", "antenna_right"), 180.0),
)


def commands(frames: Frames, kinematics: Kinematics) -> list[PoseTuple]:
    """The commands for a move at 100 Hz, from rest, with cross-fade, reach and limits applied."""
    engine = Engine(kinematics, AWAKE.as_tuple, idle=False)
    engine.play("drawn", frames)
    return [engine.tick(tick * PERIOD_S) for tick in range(len(frames.frames) + round(TRAILING_S * RATE_HZ))]


def draw(clip: Clip, file: Path, kinematics_file: Path) -> None:
    """Write the plot. Raises MissingExtra without matplotlib, InvalidParameter for a file that can't be written."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 -- heavy, and only here
    except ImportError:
        raise MissingExtra("drawing a move", "plots") from None
    if file.suffix.lower() not in SUFFIXES:
        raise InvalidParameter(f"{file.name} is no picture I can draw", hint=f"ending in {', '.join(SUFFIXES)}")
    sent = commands(clip.frames, Kinematics(kinematics_file))
    figure = Figure(figsize=(10, 9.5), layout="constrained")
    axes = figure.subplots(len(PANELS) + 1, 1, sharex=True, height_ratios=(3, 2, 1.4, 2, 1.2))
    for panel, (title, parts, limit) in zip(axes, PANELS, strict=False):
        _curves(panel, clip.frames, sent, parts)
        _limits(panel, parts, limit)
        panel.set_ylabel(title, fontsize=9)
        panel.legend(loc="upper right", fontsize=8, ncols=3, frameon=False)
    _speeds(axes[-1], sent)
    axes[-1].set_xlabel("seconds")
    for panel in axes:
        panel.grid(alpha=0.25)
        panel.spines[["top", "right"]].set_visible(False)
    sound = f", sound {clip.sound.name}" if clip.sound else ""
    figure.suptitle(
        f"{clip.name}: {clip.duration:.2f} s{sound} (dashed as written, full as sent)\n{clip.description}", fontsize=11
    )
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(file, dpi=110)
    except OSError as error:
        raise InvalidParameter(f"{file} can't be written: {error.strerror or error}", hint="another file") from error


def _in_units(part: str, value: float) -> float:
    return value * 1000 if part in "xyz" else math.degrees(value)


def _curves(panel: Axes, written: Frames, sent: list[PoseTuple], parts: tuple[str, ...]) -> None:
    """Dashed as written, full as sent; the sent curve is shifted by the lead and the shaper's lag."""
    for colour, part in zip(COLOURS, parts, strict=False):
        index = NAMES.index(part)
        times = [tick / RATE_HZ for tick in range(len(written.frames))]
        panel.plot(
            times, [_in_units(part, frame[index]) for frame in written.frames], color=colour, ls="--", lw=0.9, alpha=0.6
        )
        later = [tick / RATE_HZ + LEAD_S / 2 for tick in range(len(sent))]
        panel.plot(later, [_in_units(part, pose[index]) for pose in sent], color=colour, lw=1.6, label=part)


def _limits(panel: Axes, parts: tuple[str, ...], limit: float | None) -> None:
    style = {"color": "#c0392b", "lw": 0.8, "ls": ":"}
    if limit is not None:
        for edge in (-limit, limit):
            panel.axhline(edge, **style)  # type: ignore[arg-type]
        return
    for colour, part in zip(COLOURS, parts, strict=False):
        for edge in RANGES[part]:
            panel.axhline(_in_units(part, edge), **(style | {"color": colour}))  # type: ignore[arg-type]


def _speeds(panel: Axes, sent: list[PoseTuple]) -> None:
    """The fastest axis as a share of its velocity limit."""
    most = MOVING.sent().velocity
    shares = [
        100 * max(abs(b - a) / PERIOD_S / limit for a, b, limit in zip(before, after, most, strict=True))
        for before, after in pairwise(sent)
    ]
    panel.fill_between([tick / RATE_HZ for tick in range(len(shares))], shares, color="#999", alpha=0.5)
    panel.axhline(100, color="#c0392b", lw=0.8, ls=":")
    panel.set_ylabel("% of top speed", fontsize=9)
    panel.set_ylim(0, 115)
