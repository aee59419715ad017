"""What the keyword network is trained on, said by the voices of this machine and by Kokoro's, in files of a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from reachy_mind.errors import NotReady
from reachy_mind.learning.keywords import kokoro_speakers, voices
from reachy_mind.learning.keywords.clips import SpokenLine, lines, save
from reachy_mind.learning.keywords.phonemes import phonemes
from reachy_mind.learning.keywords.phrases import WEIGHTS
from reachy_mind.models.store import Store

SHARES = {
    **{name: 8 * weight for name, weight in WEIGHTS.items()},
    "near": 75,
    "holding": 20,
    "sentence": 80,
    "tail": 10,
}
ROBOT, ROBOT_LINES = ("piper joe", "flite slt"), 230
"""Voices that the robot has, and what they say as the robot."""


async def prepare(folder: Path, store: Store, count: int, kokoro: Path | None, told: Callable[[str], None]) -> None:
    """Write `train/` and `held-out/`: `count` lines for each engine, an eighth as many that are held out. `kokoro`: a
    folder with Kokoro's model, vocabulary and voices. Raises NotReady without a voice, or without espeak-ng where
    there is Kokoro."""
    here = voices.makers(store)
    robot = {name: make for name, make in here.items() if name in ROBOT}
    if not robot:
        raise NotReady("there is no voice on this machine to learn from", hint="apt-get install flite")
    for name, held_out, seed in (("train", False, 1), ("held-out", True, 2)):
        target, share = folder / name, count // 8 if held_out else count
        target.mkdir(parents=True, exist_ok=True)
        if own := voices.split(here, held_out=held_out):
            save(target / "voices.npz", await voices.spoken(lines(share, SHARES, seed), own, seed))
        save(target / "robot.npz", await voices.spoken(lines(ROBOT_LINES, {"robot": 1}, seed), robot, seed))
        if kokoro is not None:
            said = lines(share, SHARES, seed)
            jobs = kokoro_speakers.jobs(said, kokoro_speakers.voices_in(kokoro, held_out=held_out), _read, seed)
            kokoro_speakers.say_all(jobs, kokoro, target)
        told(f"{name}: {len(list(target.glob('*.npz')))} files of speech in {target}")


def _read(line: SpokenLine, voice: str) -> str:
    return phonemes(line.text, british=voice.startswith("b"))
