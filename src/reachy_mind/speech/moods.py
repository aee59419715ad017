"""Moods of a voice: small changes of speed, pitch and loudness that any engine can make, and people hear.

A mood comes from the profile (`mood: calm` in voice.txt) or from the emotion that the robot shows in the same turn.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mood:
    """Factors of what is usual; a pitch of 1.06 is a semitone higher."""

    name: str
    speed: float = 1.0
    pitch: float = 1.0
    gain: float = 1.0

    @property
    def engine_speed(self) -> float:
        """How fast the engine has to speak, since a higher pitch makes its sound shorter."""
        return self.speed / self.pitch


NEUTRAL = Mood("neutral")
MOODS = {
    mood.name: mood
    for mood in (
        NEUTRAL,
        Mood("cheerful", speed=1.06, pitch=1.06, gain=1.1),
        Mood("excited", speed=1.12, pitch=1.1, gain=1.2),
        Mood("calm", speed=0.92, pitch=0.97, gain=0.9),
        Mood("tender", speed=0.9, pitch=1.02, gain=0.75),
        Mood("sad", speed=0.84, pitch=0.93, gain=0.75),
        Mood("serious", speed=0.95, pitch=0.95),
        Mood("angry", speed=1.06, pitch=0.94, gain=1.25),
        Mood("afraid", speed=1.12, pitch=1.08, gain=0.85),
    )
}
_EMOTIONS = {
    "cheerful": "happy amused playful grateful welcoming proud relieved agreeing",
    "excited": "excited surprised impatient",
    "calm": "calm bored thinking",
    "tender": "loving shy",
    "sad": "sad disappointed tired sleepy",
    "serious": "determined disagreeing attentive",
    "angry": "angry disgusted",
    "afraid": "scared nervous",
}
MOOD_OF_EMOTION = {emotion: mood for mood, emotions in _EMOTIONS.items() for emotion in emotions.split()}
"""The name of the mood that goes with an emotion of the robot."""
