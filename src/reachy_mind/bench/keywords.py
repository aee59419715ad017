"""Stop words and "hey Reachy": missed, taken for something else, and how soon, by voices that it was not trained on.

Each voice says the keywords, words that sound like them, and sentences: in a quiet room, with noise 10 dB below, in a
room that reverberates, and while the robot speaks as loudly or 6 dB louder, through the echo canceller. Ours: the
keyword detector. Reference: the ears in use, at the pause of the voice, as without the detector. Recordings of people
in `datasets/keywords/NAME/*.wav` of the data folder (NAME: a keyword, or `other`) are heard in the same conditions.
Times are from the end of the word: the sound that the detector waits for, then its computation.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from reachy_mind.bench import Figures
from reachy_mind.bench.sound_conditions import noisy, reverberant
from reachy_mind.brains.stop_words import is_stop
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import NotReady
from reachy_mind.learning.keywords import phrases, voices
from reachy_mind.learning.keywords.clips import SpokenItem, SpokenLine, lines, trimmed
from reachy_mind.learning.keywords.scenes import cancelled
from reachy_mind.models.store import Store
from reachy_mind.speech import audio_format, flite, moonshine, piper, sound_files
from reachy_mind.speech.keyword_model import WINDOW_BYTES, KeywordModel, keywords_in
from reachy_mind.speech.phrases import after_name, meant
from reachy_mind.speech.transcriber import Transcriber

SECONDS = 240.0
RATE = audio_format.RATE
LEAD, TAIL = 2 * RATE, RATE * 7 // 10
"""Silence around a clip; the first holds a window, and the canceller adapts in it."""
SHARES = {"stop": 4, "quiet": 2, "enough": 1, "wait": 2, "hey_reachy": 3, "near": 6, "sentence": 4, "holding": 2}
LINES = 240
"""Of a voice, at most."""
PAUSED = RATE // 4
"""From the beginning of a voice to the robot's silence: 146 ms in the median in `bench voice`, 284 at the 95th
percentile."""
LATE_S = 0.4
VAD_END_S = 0.07
"""What the VAD waits for at the end of a voice, before the ears begin."""
AUDIBLE = 0.12
STORY = (
    "Once upon a time a small robot lived in a kitchen. Every morning it looked out of the window and counted the"
    " birds in the tree. One day a very big bird came and asked it for some bread, and the robot did not know what to"
    " say, because it had never eaten any."
)
Floats = np.ndarray
Alter = Callable[[Floats, int], Floats]


@dataclass
class KeywordTally:
    """Of one way of hearing, in one condition."""

    said: int = 0
    missed: int = 0
    others: int = 0
    false: int = 0
    other_s: float = 0.0
    delays_s: list[float] = field(default_factory=list)
    took_s: list[float] = field(default_factory=list)

    def figures(self, name: str) -> dict[str, float]:
        delays = sorted(self.delays_s) or [0.0]
        return {
            f"{name}_said": self.said,
            f"{name}_missed_percent": round(100 * self.missed / max(1, self.said), 1),
            f"{name}_false": self.false,
            f"{name}_other_minutes": round(self.other_s / 60, 1),
            f"{name}_delay_p50_ms": round(1000 * statistics.median(delays)),
            f"{name}_delay_p95_ms": round(1000 * delays[min(len(delays) - 1, int(0.95 * len(delays)))]),
        }


async def measure(configuration: Configuration, seconds: float) -> Figures:
    store = Store(configuration.models_folder)
    if not flite.available():
        raise NotReady("there is no voice on this machine to hear", hint=flite.HINT)
    given = await _items(store, configuration)
    robot = await _story(store)
    conditions = _conditions(robot)
    model = KeywordModel(str(moonshine.library_folder() / "assets" / "tiny-en"))
    ears = moonshine.transcriber(store)
    await ears.warm()
    ours = {name: KeywordTally() for name in conditions}
    reference = {name: KeywordTally() for name in conditions}
    end = time.monotonic() + seconds
    for number, item in enumerate(given):
        if time.monotonic() > end:
            break
        for name, alter in conditions.items():
            sound, last = _placed(item)
            pcm = audio_format.to_pcm(alter(sound, number))
            began = time.process_time()
            _count(ours[name], item, last, pcm, keywords_in(model, pcm), time.process_time() - began)
            await _by_ears(reference[name], ears, item, last, pcm)
    await ears.aclose()
    return _figures(ours, reference)


async def _items(store: Store, configuration: Configuration) -> list[SpokenItem]:
    """What is said, by voices that were not trained on and by people."""
    held_out = voices.split(voices.makers(store), held_out=True)
    found = await voices.spoken(lines(LINES, SHARES, seed=5), held_out, seed=5)
    folder = configuration.home.datasets_folder / "keywords"
    for file in sorted(folder.glob("*/*.wav")):
        pcm = sound_files.read_pcm(file.read_bytes(), 60)
        sound = trimmed(np.asarray(audio_format.to_floats(pcm), np.float32))
        if sound is not None:
            found.append(SpokenItem(SpokenLine(file.parent.name, file.stem), "person", sound))
    np.random.default_rng(1).shuffle(found)
    return found


async def _story(store: Store) -> Floats:
    voice = piper.voice(store) if piper.available(store) else flite.voice()
    pcm = b"".join([piece async for piece in voice.synthesize(STORY)])
    await voice.aclose()
    return np.asarray(audio_format.to_floats(pcm), np.float32)


def _conditions(robot: Floats) -> Mapping[str, Alter]:
    return {
        "quiet": lambda sound, seed: noisy(sound, 35, seed),
        "noise_10db": lambda sound, seed: noisy(sound, 10, seed),
        "room": lambda sound, seed: reverberant(noisy(sound, 30, seed), 0.5, seed),
        "over_voice": partial(_over_voice, robot, 0.0),
        "over_voice_6db": partial(_over_voice, robot, 6.0),
    }


def _over_voice(robot: Floats, louder_db: float, sound: Floats, seed: int) -> Floats:
    """While the robot speaks, this much louder than the person, in a room; behind the echo canceller. It pauses when
    the VAD has heard the person, as in a conversation."""
    begin = (seed * 7919) % max(1, len(robot) - RATE)
    played = np.resize(np.roll(robot, -begin), len(sound)).astype(np.float32) * 0.5
    played[LEAD + PAUSED :] = 0
    echo = reverberant(played, 0.3, seed)[: len(sound)]
    person = noisy(sound, 30, seed)
    ratio = _power(person) / max(1e-9, _power(echo)) * 10 ** (louder_db / 20)
    heard = (person + echo * ratio) * (0.5 / max(1.0, float(np.abs(person + echo * ratio).max())))
    out = cancelled(np.asarray(heard * 32767, np.int16), np.asarray(played * 32767, np.int16))
    return np.asarray(out / np.float32(32768), np.float32)


def _power(sound: Floats) -> float:
    loud = sound[np.abs(sound) > 0.05 * np.abs(sound).max(initial=1e-9)]
    return float(np.sqrt(np.mean(loud**2))) if len(loud) else 0.0


def _placed(item: SpokenItem) -> tuple[Floats, int]:
    """A clip with silence around it, and the last sample of its last word."""
    sound = np.asarray(item.sound / np.float32(32768), np.float32)
    smooth = np.convolve(np.abs(sound), np.ones(320) / 320, "same")
    last = LEAD + int(np.flatnonzero(smooth > AUDIBLE * smooth.max())[-1])
    return np.concatenate([np.zeros(LEAD), sound, np.zeros(TAIL)]).astype(np.float32), last


def _count(
    tally: KeywordTally, item: SpokenItem, last: int, pcm: bytes, heard: Sequence[tuple[str, int]], took_s: float
) -> None:
    windows = max(1, (len(pcm) - WINDOW_BYTES) // 2560)
    tally.took_s.append(took_s / windows)
    if item.line.kind not in phrases.KEYWORDS:
        tally.others += 1
        tally.other_s += (len(pcm) - 2 * LEAD) / (2 * RATE)
        tally.false += len(heard)
        return
    delays = [end / (2 * RATE) - last / RATE for name, end in heard if name == item.line.kind]
    tally.said += 1
    tally.missed += not delays or delays[0] > LATE_S
    tally.false += sum(name != item.line.kind for name, _ in heard)
    tally.delays_s += delays[:1]


async def _by_ears(tally: KeywordTally, ears: Transcriber, item: SpokenItem, last: int, pcm: bytes) -> None:
    """What the ears make of the voice, once the VAD has found its end."""
    until = 2 * (last + round((VAD_END_S + 0.05) * RATE))
    began = time.perf_counter()
    text = meant((await ears.transcribe(pcm[2 * (LEAD - RATE // 2) : until], language="en")).text)
    took = time.perf_counter() - began
    called = item.line.kind == "hey_reachy"
    recognised = after_name(text) is not None if called else is_stop(text)
    if item.line.kind not in phrases.KEYWORDS:
        tally.others += 1
        tally.other_s += (len(pcm) - 2 * LEAD) / (2 * RATE)
        tally.false += is_stop(text)
        return
    tally.said += 1
    tally.missed += not recognised
    tally.delays_s += [VAD_END_S + took] if recognised else []


def _figures(ours: Mapping[str, KeywordTally], reference: Mapping[str, KeywordTally]) -> Figures:
    mine: dict[str, float] = {}
    theirs: dict[str, float] = {}
    for name, tally in ours.items():
        mine |= tally.figures(name)
        theirs |= reference[name].figures(name)
    windows = [took for tally in ours.values() for took in tally.took_s]
    mine["window_cpu_ms"] = round(1000 * statistics.median(windows), 2)
    missed = {name: f"{name}_missed_percent" for name in ours}
    ratio = {key: round(mine[key] / theirs[key], 2) for key in missed.values() if theirs[key]}
    return Figures(mine, theirs, ratio)
