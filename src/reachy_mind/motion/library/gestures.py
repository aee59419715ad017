"""Gestures: small moves with one meaning, each with its own parameters.

They are functions that return a `Score`; `gesture` calls one by name and validates the parameters against its
signature.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, validate_call

from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.library.emotion_names import resolve_name
from reachy_mind.motion.library.score import DEFAULT_INTENSITY, Key, Score, Wave, key, phrase
from reachy_mind.motion.moves import Frames

Times = Annotated[int, Field(ge=1, le=5)]
Speed = Literal["slow", "normal", "fast"]
Side = Literal["left", "right"]
SLOWNESS: dict[str, float] = {"slow": 1.6, "normal": 1.0, "fast": 0.8}
FAST_SIZE = 0.75
"""A fast gesture is smaller, because the motors' speed is limited."""


def _paced(speed: Speed, over: float, hold: float = 0.0, **places: float) -> Key:
    size = FAST_SIZE if speed == "fast" else 1.0
    slowness = SLOWNESS[speed]
    return key(over * slowness, hold * slowness, **{part: place * size for part, place in places.items()})


def nod(times: Times = 2, speed: Speed = "normal") -> Score:
    """Nods to say yes."""
    return Score(
        "Nods to say yes.",
        (
            phrase(_paced(speed, 0.2, pitch=-8, z=4)),
            phrase(
                _paced(speed, 0.26, pitch=22, z=-8, x=8, antennas=26),
                _paced(speed, 0.26, pitch=-8, z=4, x=0, antennas=8),
                times=(times, times),
            ),
        ),
        settle=0.4,
    )


def shake(times: Times = 2, speed: Speed = "normal") -> Score:
    """Shakes its head to say no."""
    return Score(
        "Shakes its head to say no.",
        (
            phrase(_paced(speed, 0.25, yaw=-13, antennas=35)),
            phrase(
                _paced(speed, 0.38, yaw=25, roll=-3, body=2),
                _paced(speed, 0.38, yaw=-25, roll=3, body=-2),
                times=(times, times),
            ),
        ),
        settle=0.5,
    )


def wave(times: Times = 3, speed: Speed = "normal", side: Side = "left") -> Score:
    """Waves hello with one antenna, the head leaning along."""
    waving, other = side, "right" if side == "left" else "left"
    lean = 1.0 if side == "left" else -1.0
    length = times / 1.9 * SLOWNESS[speed]
    swing = 30 * (FAST_SIZE if speed == "fast" else 1.0)
    up = key(0.4, length, **{waving: 42.0, other: 20.0, "roll": 12 * lean, "pitch": -10.0, "z": 8.0, "yaw": 6 * lean})
    return Score(
        "Waves hello with one antenna, the head leaning along.",
        (
            phrase(key(0.2, z=-5, pitch=5)),
            phrase(up, waves=(Wave(waving, 1.9 / SLOWNESS[speed], swing), Wave("roll", 0.95 / SLOWNESS[speed], 2.5))),
        ),
        settle=0.6,
        exact=True,
    )


def tilt(side: Side = "left", degrees: Annotated[float, Field(ge=5, le=30)] = 20, hold: float = 0.8) -> Score:
    """Tilts its head to one side and back."""
    if not (math.isfinite(hold) and 0 <= hold <= 10):
        raise InvalidParameter(f"a hold of {hold} s", hint="between 0 and 10 seconds")
    lean = -degrees if side == "left" else degrees
    inner, outer = (45.0, 0.0) if side == "left" else (0.0, 45.0)
    return Score(
        "Tilts its head to one side and back.",
        (phrase(key(0.5, hold, roll=lean, x=6, pitch=3, left=inner, right=outer)),),
        exact=True,
        drift=0.3,
    )


def shrug() -> Score:
    """Shrugs: head down between the shoulders, antennas out, as if to say who knows."""
    return Score(
        "Shrugs: head down between the shoulders, antennas out, as if to say who knows.",
        (
            phrase(key(0.25, z=7, antennas=0)),
            phrase(key(0.36, 0.6, z=-30, pitch=-6, roll=13, yaw=6, left=80, right=95)),
            phrase(key(0.45, 0.1, z=3, roll=3, yaw=0, pitch=0, antennas=20)),
        ),
    )


def peekaboo(times: Times = 2) -> Score:
    """Hides, and pops up again, each time on another side."""
    return Score(
        "Hides, and pops up again, each time on another side.",
        tuple(
            phrase(
                key(0.5, 0.55, z=-42, pitch=14, y=0, roll=0, yaw=0, antennas=150),
                key(0.36, 0.55, z=10, pitch=-12, y=12 * turn, roll=-14 * turn, yaw=12 * turn, antennas=12),
            )
            for turn in [1, -1, 1, -1, 1][:times]
        ),
    )


GESTURES: dict[str, Callable[..., Score]] = {
    made.__name__: validate_call(made) for made in (nod, shake, wave, tilt, shrug, peekaboo)
}
OTHER_WORDS = {"yes": "nod", "no": "shake", "hello": "wave", "peek_a_boo": "peekaboo"}


def gesture(name: str, intensity: float = DEFAULT_INTENSITY, seed: int | None = None, **parameters: Any) -> Frames:
    """A gesture by name, as frames. Raises InvalidParameter for an unknown name or an invalid parameter."""
    known = resolve_name(name, GESTURES, OTHER_WORDS, what="gesture")
    try:
        score = GESTURES[known](**parameters)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InvalidParameter(
            f"{known}: {place}: {first['msg']}", hint="reachy-mind moves list tells what it takes"
        ) from error
    return score.frames(intensity, seed)
