"""`Speakers`: where the voice of a turn comes from, and who speaks, by the place from which they gave their name.

Nobody is recognised: a name belongs to a place, as long as people speak from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reachy_mind.memory import name_denials
from reachy_mind.memory.fact_extraction import introduction
from reachy_mind.speech.events import RobotSpeech, UserSpeech
from reachy_mind.speech.heard import Heard

if TYPE_CHECKING:
    from reachy_mind.eyes.sight import Sight
    from reachy_mind.motion.voice_directions import VoiceDirections

SAME_PLACE = math.radians(20)
"""The array is off by ten degrees at times, and people lean over."""
FORGOTTEN_S = 600.0
"""A place from which nobody has spoken for this time is nobody's."""
MOVED_SHARE = 0.3


@dataclass
class _Place:
    name: str
    yaw: float
    heard_at: float


class Speakers:
    """Of one conversation. Without `directions` nothing is known of them; `sight` looks at who speaks."""

    def __init__(self, directions: VoiceDirections | None, sight: Sight | None) -> None:
        self._directions, self._sight = directions, sight
        self._places = SpeakerPlaces(lambda: sight.people if sight is not None else 0)

    def observed(self, event: UserSpeech | RobotSpeech, *, awake: bool, robot_speaks: bool) -> None:
        """Follow the voice. Somebody who interrupts has spoken for a while before that is known: while the robot
        speaks directions are asked for, too, but not looked at."""
        if self._directions is None:
            return
        if event.active and isinstance(event, UserSpeech):
            self._directions.begin(self._sight.hear_voice if self._sight is not None and awake else None)
        elif event.active or robot_speaks:
            self._directions.begin()
        else:
            self._directions.end()

    def located(self, heard: Heard) -> Heard:
        """With the direction that the voice came from."""
        if self._directions is None or not heard.began_at:
            return heard
        return replace(heard, direction=self._directions.since(heard.began_at))

    def person(self, text: str, heard: Heard) -> str | None:
        """As `Turns.take` wants the person. Whoever says their name is for memory to find out."""
        name, denied = introduction(text), name_denials.denied(text) is not None
        if name or denied:
            self._places.introduced("" if denied else name, heard.direction, heard.began_at)
            return ""
        return self._places.speaking(heard.direction, heard.began_at)


class SpeakerPlaces:
    """The places of a conversation with their names. `seen`: how many faces the robot sees; without two nobody else can
    have spoken."""

    def __init__(self, seen: Callable[[], int]) -> None:
        self._seen = seen
        self._places: list[_Place] = []

    def introduced(self, name: str, yaw: float | None, at: float) -> None:
        """Somebody said their name; empty when they denied the one they had."""
        near = self._nearest(yaw, at)
        self._places = [each for each in self._places if each is not near and each.name != name]
        if name and yaw is not None:
            self._places.append(_Place(name, yaw, at))

    def speaking(self, yaw: float | None, at: float) -> str | None:
        """The name of who speaks from there: empty when that is not known, None for somebody else than all named."""
        place = self._nearest(yaw, at)
        if place is not None and yaw is not None:
            place.yaw = math.remainder(place.yaw + MOVED_SHARE * math.remainder(yaw - place.yaw, math.tau), math.tau)
            place.heard_at = at
            return place.name
        return None if yaw is not None and self._places and self._seen() >= 2 else ""

    def _nearest(self, yaw: float | None, at: float) -> _Place | None:
        self._places = [each for each in self._places if at - each.heard_at <= FORGOTTEN_S]
        if yaw is None or not self._places:
            return None
        nearest = min(self._places, key=lambda each: abs(math.remainder(each.yaw - yaw, math.tau)))
        return nearest if abs(math.remainder(nearest.yaw - yaw, math.tau)) <= SAME_PLACE else None
