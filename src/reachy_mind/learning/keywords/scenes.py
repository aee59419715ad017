"""`ListeningScene`: half a minute as the robot's microphone hears it, behind its echo canceller, with the times of the
keywords in it.

People say keywords, words like them and sentences, in rooms, with noise, music and a television; in most scenes the
robot speaks meanwhile, and its voice is taken out by the same canceller that the robot uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from reachy_mind.learning.keywords.clips import RATE_HZ, Samples, SpokenItem, raised
from reachy_mind.learning.keywords.phrases import KEYWORDS, WEIGHTS
from reachy_mind.learning.keywords.sounds import NOISES, Floats, noise, reverberated, room_response

LENGTH_S = 30
LENGTH = LENGTH_S * RATE_HZ
BLOCK = RATE_HZ // 100
NAMES = tuple(KEYWORDS)
LEAD_MS = 20
LEARNING = 40
"""See `speech.echo`: blocks of the robot's own voice during which it counts as silence."""
LOWEST, HIGHEST = 0.9, 1.12
"""How much faster a voice is played than it spoke."""
ROBOT_SPEAKS, TELEVISION, NOISE = 0.65, 0.25, 0.75
"""Shares of the scenes."""
LOST_DB = -12.0
"""A keyword of which the canceller leaves less than this is not expected to be heard."""


@dataclass(frozen=True)
class SaidKeyword:
    """Times in samples of the scene."""

    name: str
    begin: int
    end: int


@dataclass
class ListeningScene:
    sound: Samples
    said: list[SaidKeyword] = field(default_factory=list)
    lost: list[SaidKeyword] = field(default_factory=list)
    """Those that nobody could hear."""


class SpokenStore:
    """What can be said, by kind."""

    def __init__(self, items: Sequence[SpokenItem]) -> None:
        self._by_kind: dict[str, list[SpokenItem]] = {}
        for item in items:
            self._by_kind.setdefault(item.line.kind, []).append(item)

    def any(self, kind: str, random: np.random.Generator) -> Floats:
        """One of these, by its speaker or by one whose voice is a little higher or lower."""
        items = self._by_kind[kind]
        sound = np.asarray(items[random.integers(len(items))].sound / np.float32(32768), np.float32)
        return raised(sound, 1.0 if kind == "robot" else random.uniform(LOWEST, HIGHEST))


class SceneMaker:
    """Of scenes; each seed gives another one."""

    def __init__(self, speech: SpokenStore, seed: int) -> None:
        self._speech, self._random = speech, np.random.default_rng(seed)

    def scene(self) -> ListeningScene:
        random = self._random
        near, words = self._people()
        loudness = float(np.sqrt(np.mean(near[np.abs(near) > 0.02] ** 2))) if words else 0.1
        background = np.zeros(LENGTH, np.float32)
        if random.random() < NOISE:
            kind = NOISES[random.integers(len(NOISES))]
            background += noise(kind, LENGTH, random) * loudness * 10 ** (-random.uniform(5, 35) / 20)
        if random.random() < TELEVISION:
            background += self._television() * 10 ** (-random.uniform(8, 22) / 20)
        background += noise("white", LENGTH, random) * 10 ** (-random.uniform(60, 80) / 20)
        far, echo = self._robot(loudness) if random.random() < ROBOT_SPEAKS else (None, None)
        level = 10 ** (-random.uniform(6, 30) / 20)
        heard = near + background if echo is None else near + background + echo
        cleaned = cancelled(_pcm(heard * level), np.zeros(LENGTH, np.int16) if far is None else far)
        scene = ListeningScene(cleaned)
        for word in words:
            left = _power(np.asarray(cleaned[word.begin : word.end] / np.float32(32768), np.float32))
            was = _power(near[word.begin : word.end] * level)
            (scene.said if left > was * 10 ** (LOST_DB / 10) else scene.lost).append(word)
        return scene

    def _people(self) -> tuple[Floats, list[SaidKeyword]]:
        """What people say to the robot and to each other."""
        random, track = self._random, np.zeros(LENGTH + 4 * RATE_HZ, np.float32)
        reverberation = random.uniform(0.12, 0.8)
        places = [
            (room_response(random, reverberation, random.uniform(-4, 12)), 10 ** (-random.uniform(0, 8) / 20))
            for _ in range(random.integers(1, 4))
        ]
        words: list[SaidKeyword] = []
        at = round(random.uniform(1.5, 3) * RATE_HZ)

        def say(sound: Floats, pause_s: float, name: str = "") -> None:
            nonlocal at
            begin = at + round(pause_s * RATE_HZ)
            end = begin + len(sound)
            if end > LENGTH - RATE_HZ:
                at = LENGTH
                return
            response, loudness = places[random.integers(len(places))]
            wet = reverberated(sound, response) * loudness * 10 ** (-random.uniform(0, 3) / 20)
            track[begin : begin + len(wet)] += wet[: len(track) - begin]
            if name:
                words.append(SaidKeyword(name, begin, end))
            at = end

        shares = np.array([WEIGHTS[name] for name in NAMES], float)
        while at < LENGTH - 2 * RATE_HZ:
            chance = random.random()
            if chance < 0.40:
                name = str(random.choice(NAMES, p=shares / shares.sum()))
                say(self._speech.any(name, random), random.uniform(0.3, 1.5), name)
                if name == "hey_reachy" and random.random() < 0.5:
                    say(self._speech.any("tail", random), random.uniform(0.02, 0.6))
                elif name == "hey_reachy" and random.random() < 0.3:
                    say(self._speech.any("stop", random), random.uniform(0.03, 0.4), "stop")
                elif random.random() < 0.2:
                    say(self._speech.any("sentence", random), random.uniform(0.3, 0.9))
            elif chance < 0.62:
                say(self._speech.any("near", random), random.uniform(0.1, 1.0))
            elif chance < 0.72:
                say(self._speech.any("holding", random), random.uniform(0.05, 1.0))
            elif chance < 0.94:
                say(self._speech.any("sentence", random), random.uniform(0.05, 1.0))
            else:
                at += round(random.uniform(0.5, 2.5) * RATE_HZ)
        return track[:LENGTH], words

    def _television(self) -> Floats:
        random = self._random
        response = room_response(random, random.uniform(0.2, 0.8), random.uniform(-6, 3))
        spoken = self._continuous(("sentence", "sentence", "sentence", "holding"), 0.5)
        return reverberated(spoken, response)[:LENGTH]

    def _robot(self, loudness: float) -> tuple[Samples, Floats]:
        """What it plays, and what of it the microphone hears."""
        random = self._random
        spoken = self._continuous(("robot",) * 5 + ("sentence",) * 3 + ("near", "stop", "hey_reachy", "wait"), 0.6)
        spoken *= random.uniform(0.3, 1.0)
        for _ in range(random.integers(0, 3)):  # between answers it is silent
            begin = random.integers(3 * RATE_HZ, LENGTH)
            spoken[begin : begin + round(random.uniform(1, 5) * RATE_HZ)] = 0
        response = room_response(random, random.uniform(0.1, 0.8), random.uniform(0, 14))
        drive = random.uniform(0.2, 1.5)
        played = np.tanh(spoken * drive) / drive if random.random() < 0.5 else spoken
        echo = reverberated(played.astype(np.float32), response)[:LENGTH]
        active = np.abs(echo) > 0.02
        power = float(np.sqrt(np.mean(echo[active] ** 2))) if active.any() else 1.0
        return _pcm(spoken), echo * (loudness / power * 10 ** (random.uniform(-12, 8) / 20))

    def _continuous(self, kinds: Sequence[str], longest_pause_s: float) -> Floats:
        random, track, at = self._random, np.zeros(LENGTH, np.float32), 0
        while at < LENGTH:
            sound = self._speech.any(kinds[int(random.integers(len(kinds)))], random)[: LENGTH - at]
            track[at : at + len(sound)] = sound
            at += len(sound) + round(random.uniform(0.05, longest_pause_s) * RATE_HZ)
        return track


def cancelled(heard: Samples, far: Samples) -> Samples:
    """What was heard, behind the echo canceller of `speech.echo`, which is told what was played."""
    from livekit import rtc  # noqa: PLC0415 -- heavy
    from livekit.rtc.apm import AudioProcessingModule  # noqa: PLC0415

    processing = AudioProcessingModule(
        echo_cancellation=True, noise_suppression=False, high_pass_filter=True, auto_gain_control=False
    )
    lead, learning = RATE_HZ * LEAD_MS // 1000, LEARNING
    ahead = np.concatenate([far[lead:], np.zeros(lead, np.int16)])
    out = np.zeros(len(heard), np.int16)
    for begin in range(0, len(heard) - BLOCK + 1, BLOCK):
        played, near = ahead[begin : begin + BLOCK], heard[begin : begin + BLOCK]
        processing.process_reverse_stream(rtc.AudioFrame(played.tobytes(), RATE_HZ, 1, BLOCK))
        frame = rtc.AudioFrame(near.tobytes(), RATE_HZ, 1, BLOCK)
        processing.set_stream_delay_ms(LEAD_MS)
        processing.process_stream(frame)
        if learning and played.any():
            learning -= 1
            continue
        out[begin : begin + BLOCK] = np.frombuffer(bytes(frame.data), np.int16)
    return out


def _pcm(sound: Floats) -> Samples:
    return np.asarray(np.clip(sound, -1, 1) * 32767, np.int16)


def _power(sound: Floats) -> float:
    return float(np.mean(sound**2)) if len(sound) else 0.0
