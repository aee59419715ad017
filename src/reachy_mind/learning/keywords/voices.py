"""The keywords and the other lines, said by the voices installed here: flite, espeak-ng and piper, at other speeds and
heights of the voice."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from reachy_mind.learning.keywords.clips import SpokenItem, SpokenLine, raised, trimmed
from reachy_mind.models.store import Store
from reachy_mind.speech import audio_format, espeak, flite, piper
from reachy_mind.speech.voices import Voice

HELD_OUT = ("flite awb",)
"""Voices that are never trained on."""
SPEEDS = (0.75, 0.9, 1.0, 1.15, 1.35)
HEIGHTS = (0.84, 0.9, 0.95, 1.0, 1.0, 1.06, 1.12, 1.2)
"""How much faster it is played than it was said: other speakers. The robot's own voice is not altered."""
PRONOUNCED = (("Reachy", "Reechy"),)
"""Spelt so that they are said as people say them."""


def makers(store: Store) -> dict[str, Callable[[float], Voice]]:
    """The voices here, by name; each is given a speed."""
    made: dict[str, Callable[[float], Voice]] = {}
    if flite.available():
        made |= {f"flite {name}": partial(flite.voice, name) for name in flite.VOICES}
    if espeak.available():
        made |= {f"espeak {name}": partial(espeak.voice, name) for name in espeak.VOICES}
    if piper.available(store):
        made["piper joe"] = partial(piper.voice, store)
    return made


def pronounced(text: str) -> str:
    for written, said in PRONOUNCED:
        text = text.replace(written, said)
    return text


def split(given: Mapping[str, Callable[[float], Voice]], *, held_out: bool) -> dict[str, Callable[[float], Voice]]:
    """The voices that are trained on, or those that are not."""
    return {name: make for name, make in given.items() if (name in HELD_OUT) == held_out}


async def spoken(
    given: Sequence[SpokenLine], voices: Mapping[str, Callable[[float], Voice]], seed: int
) -> list[SpokenItem]:
    """Each line by one of the voices."""
    random_ = random.Random(seed)  # noqa: S311 -- training data, no secret
    turns: dict[tuple[str, float], list[SpokenLine]] = {}
    for line in given:
        speed = 1.0 if line.kind == "robot" else random_.choice(SPEEDS)
        turns.setdefault((random_.choice(list(voices)), speed), []).append(line)
    found = []
    for (name, speed), said in turns.items():
        voice = voices[name](speed)
        try:
            for line in said:
                height = 1.0 if line.kind == "robot" else random_.choice(HEIGHTS)
                pcm = b"".join([piece async for piece in voice.synthesize(pronounced(line.text))])
                sound = trimmed(raised(audio_format.to_floats(pcm), height))
                if sound is not None:
                    found.append(SpokenItem(line, f"{name} {height:.2f}", sound))
        finally:
            await voice.aclose()
    random_.shuffle(found)
    return found
