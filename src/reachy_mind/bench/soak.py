"""Soak test: a long spoken conversation in the simulator. `make soak`, ten minutes unless `ARGS="--minutes 3"`.

Each round has a question, an interruption, silence, music, two voices at once, and the robot's own voice. It counts
utterances without a reaction within two seconds, turns without a speaker, and the memory growth of all processes after
the first rounds. Exit status 1 when something was missed or memory grows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import count

import numpy as np
import psutil

from reachy_mind import log
from reachy_mind.bench.simulated_room import SimulatedRoom
from reachy_mind.bench.synthetic_people import speakers
from reachy_mind.bench.voice import INTERRUPTIONS, STORY, Clips
from reachy_mind.bench.voice_systems import Ours
from reachy_mind.body.wav import RATE_HZ
from reachy_mind.config.configuration import load
from reachy_mind.mind import Mind
from reachy_mind.models.store import Store

REACTION_TIMEOUT_S = 2.0
END_OF_TURN_S = 1.5
"""How long the end-of-turn detection may wait for an unfinished sentence; not counted as late."""
MAX_GROWTH_MB = 40.0
"""Growth of all processes after the first rounds; models keep buffers for the longest sentence so far."""


class Soak:
    def __init__(self, talker: Ours, room: SimulatedRoom, clips: Clips) -> None:
        self._talker, self._room, self._clips = talker, room, clips
        self.counts: Counter[str] = Counter()

    async def round(self, number: int) -> None:
        steps: tuple[Callable[[int], Awaitable[None]], ...] = (
            self._question,
            self._interruption,
            self._silence,
            self._music,
            self._two_voices,
            self._own_voice,
        )
        for step in steps:
            self._talker.noted.clear()
            self._talker.renew()
            self._room.forget()
            await step(number)
            await self._talker.interrupt()
            await self._room.hush()
            await self._room.until(lambda: self._room.silent(1.5), 20)

    async def _noticed(self, what: str, end: int) -> None:
        """An utterance ended at sample `end`: it must reach the mind in time."""
        await self._room.reach(end)
        self.counts[what] += 1
        if not await self._room.until(lambda: bool(self._talker.noted), REACTION_TIMEOUT_S + END_OF_TURN_S):
            self.counts[f"{what}_missed"] += 1

    async def _nobody(self, what: str, seconds: float) -> None:
        await self._room.reach(self._room.now + round(seconds * RATE_HZ))
        self.counts[what] += 1
        self.counts[f"{what}_turns"] += len(self._talker.noted)

    async def _question(self, _: int) -> None:
        clip, *_rest = await self._clips.next()
        await self._noticed("questions", await self._room.say(clip.pcm) + clip.last)
        await self._room.reach(self._room.now + 3 * RATE_HZ)

    async def _story(self) -> None:
        await self._talker.say(STORY)
        await self._room.until(lambda: not self._room.silent(0.1), 8)
        await self._room.reach(self._room.now + 2 * RATE_HZ)

    async def _interruption(self, number: int) -> None:
        await self._story()
        clip = await self._clips.of(INTERRUPTIONS[number % len(INTERRUPTIONS)], number)
        await self._noticed("interruptions", await self._room.say(clip.pcm) + clip.last)

    async def _silence(self, _: int) -> None:
        await self._nobody("silences", 4)

    async def _music(self, number: int) -> None:
        await self._room.say(chords(5.0, number))
        await self._nobody("music", 6)

    async def _two_voices(self, number: int) -> None:
        first, second = (
            await self._clips.of("What time is it now?", 0),
            await self._clips.of(INTERRUPTIONS[1], 1 + number),
        )
        await self._room.say(second.pcm, direction=-0.9, gain_db=-6)
        await self._noticed("two_voices", await self._room.say(first.pcm, direction=0.9) + first.last)

    async def _own_voice(self, _: int) -> None:
        await self._story()
        await self._nobody("own_voice", 8)


def chords(seconds: float, seed: int) -> bytes:
    """Synthetic music: decaying chords, two a second."""
    rng = np.random.default_rng(seed)
    made = []
    t = np.arange(RATE_HZ // 2) / RATE_HZ
    for _ in range(round(2 * seconds)):
        root = 110 * 2 ** (rng.integers(0, 24) / 12)
        tones = sum(np.sin(2 * np.pi * root * ratio * t) / ratio for ratio in (1, 1.25, 1.5, 2, 3))
        made.append(tones * np.exp(-3 * t))
    return (np.concatenate(made) * 2500).astype("<i2").tobytes()


def memory_mb() -> float:
    """Memory of this process and all its children."""
    family = psutil.Process().children(recursive=True)
    total = psutil.Process().memory_info().rss
    for process in family:
        try:
            total += process.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return total / 1e6


async def soak(minutes: float) -> bool:
    """Print the figures as JSON; returns whether the test passed."""
    configuration = load()
    end = time.monotonic() + 60 * minutes
    used: list[float] = []
    async with Mind(configuration).session() as mind:
        assert mind.simulator is not None
        await mind.body().wake()
        async with SimulatedRoom(mind.simulator.port) as room, Ours(mind, room) as talker:
            soaking = Soak(talker, room, Clips(speakers(Store(configuration.models_folder))))
            for number in count():
                await soaking.round(number)
                used.append(memory_mb())
                if time.monotonic() > end:
                    break
    settled = used[min(2, len(used) - 1)]
    counts = soaking.counts
    missed = sum(value for name, value in counts.items() if name.endswith("_missed"))
    growth = used[-1] - settled
    figures = {
        "rounds": len(used),
        **dict(sorted(counts.items())),
        "missed": missed,
        "memory_mb": round(used[-1], 1),
        "memory_growth_mb": round(growth, 1),
        "load": round(os.getloadavg()[0], 2),
    }
    print(json.dumps(figures))
    return not missed and growth < MAX_GROWTH_MB


def main() -> None:
    parser = argparse.ArgumentParser(description="A long spoken conversation in the simulator.")
    parser.add_argument("--minutes", type=float, default=10.0)
    log.configure("warning")
    raise SystemExit(0 if asyncio.run(soak(parser.parse_args().minutes)) else 1)


if __name__ == "__main__":
    main()
