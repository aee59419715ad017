"""Soak test: a long spoken conversation in the simulator. `make soak`, ten minutes unless `ARGS="--minutes 3"`.

Each round has questions, an interruption, silence, music, two voices at once, and the robot's own voice, said by the
most natural voice there is. Every minute a line on stderr: what was asked, answered and missed, turns nobody spoke,
and the memory of every process with its slope. The figures are on stdout, as JSON, at the end. Exit status 1 when
something was missed or not answered, when memory grows, or when the robot was lost.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from itertools import count

import httpx
import numpy as np
import psutil

from reachy_mind import log
from reachy_mind.bench.process_memory import ProcessMemory
from reachy_mind.bench.simulated_room import SimulatedRoom
from reachy_mind.bench.voice_systems import Ours
from reachy_mind.body.wav import RATE_HZ
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import load
from reachy_mind.errors import LinkLost, MindError, NotReady
from reachy_mind.mind import Mind
from reachy_mind.models.store import Store
from reachy_mind.speech import audio_format, flite, piper
from reachy_mind.speech.voices import Voice

REACTION_TIMEOUT_S = 2.0
END_OF_TURN_S = 1.5
"""How long the end-of-turn detection may wait for an unfinished sentence; not counted as late."""
ANSWER_TIMEOUT_S = 8.0
CONNECT_TIMEOUT_S = 60.0
QUESTIONS = (
    "What time is it?",
    "Look to the left, please.",
    "What is seven times eight?",
    "Nod your head.",
    "How are you today?",
    "Tell me a joke.",
    "What day is it today?",
    "Can you look at the table?",
    "Wiggle your antennas.",
    "What can you do?",
    "How many minutes are in two hours?",
    "Look straight ahead again.",
    "Set a timer for two hours.",
    "Which timers are running?",
    "Cancel the timer.",
    "What is your name?",
)
INTERRUPTIONS = ("Please stop talking.", "Wait, what time is it?", "No, I meant something else.", "Stop.")
STORY = (
    "Once upon a time there was a small robot who lived on a wooden table. Every morning it looked out of the window "
    "and counted the birds in the garden. One day there were more birds than it could count, and it began to laugh. "
    "The birds liked that so much that they came back on every day of the summer."
)


class SyntheticSpeakers:
    """Who speaks: by turns, when there are several voices."""

    def __init__(self, voices: Sequence[Voice]) -> None:
        self._voices = voices

    async def say(self, text: str, number: int) -> tuple[bytes, int]:
        """The sound, and its last audible sample."""
        voice = self._voices[number % len(self._voices)]
        pcm = b"".join([piece async for piece in voice.synthesize(text)])
        loud = np.flatnonzero(np.abs(np.frombuffer(pcm, "<i2").astype(np.int32)) > audio_format.SILENT)
        return pcm, int(loud[-1]) if len(loud) else 0

    async def aclose(self) -> None:
        for voice in self._voices:
            await voice.aclose()


def people(store: Store) -> SyntheticSpeakers:
    """The most natural voices of this machine. Raises NotReady without any."""
    if piper.available(store):
        return SyntheticSpeakers([piper.voice(store)])
    if flite.available():
        return SyntheticSpeakers([flite.voice(), flite.voice("rms"), flite.voice("awb")])
    raise NotReady("there is no voice on this machine to speak with", hint=flite.HINT)


class Soak:
    """The conversation. `counts` and `missed` go on over all rounds."""

    def __init__(self, somebody: SyntheticSpeakers) -> None:
        self._people = somebody
        self.counts: Counter[str] = Counter()
        self.missed: list[str] = []
        """What was said and not heard, or not answered."""

    async def round(self, talker: Ours, room: SimulatedRoom, number: int) -> None:
        """Raises LinkLost when the simulator has gone."""
        steps: tuple[Callable[[Ours, SimulatedRoom, int], Awaitable[None]], ...] = (
            self._question,
            self._interruption,
            self._silence,
            self._music,
            self._two_voices,
            self._own_voice,
        )
        for step in steps:
            talker.noted.clear()
            talker.renew()
            room.forget()
            await step(talker, room, number)
            await talker.interrupt()
            await room.hush()
            await room.until(lambda: room.silent(1.5), 20)
            if room.lost:
                raise LinkLost("the simulator's sound has gone", hint="its last log lines say why")

    async def _spoken(self, talker: Ours, room: SimulatedRoom, text: str, end: int) -> bool:
        """An utterance ended at sample `end`: it must reach the mind in time."""
        await room.reach(end)
        self.counts["asked"] += 1
        heard = await room.until(lambda: bool(talker.noted), REACTION_TIMEOUT_S + END_OF_TURN_S)
        if not heard:
            self.counts["missed"] += 1
            self.missed.append(text)
        return heard

    async def _nobody(self, talker: Ours, room: SimulatedRoom, what: str, seconds: float) -> None:
        await room.reach(room.now + round(seconds * RATE_HZ))
        self.counts["false_turns"] += len(talker.noted)
        self.counts[f"false_turns_{what}"] += len(talker.noted)

    async def _question(self, talker: Ours, room: SimulatedRoom, number: int) -> None:
        for at in (2 * number, 2 * number + 1):
            text = QUESTIONS[at % len(QUESTIONS)]
            talker.noted.clear()
            pcm, last = await self._people.say(text, at)
            end = await room.say(pcm) + last
            if not await self._spoken(talker, room, text, end):
                continue
            if await room.until(lambda end=end: room.began(end) is not None, ANSWER_TIMEOUT_S):  # type: ignore[misc]
                self.counts["answered"] += 1
            else:
                self.counts["unanswered"] += 1
                self.missed.append(f"{text} (no answer)")
            await room.until(lambda: room.silent(1.0), 20)

    async def _story(self, talker: Ours, room: SimulatedRoom) -> None:
        await talker.say(STORY)
        await room.until(lambda: not room.silent(0.1), 8)
        await room.reach(room.now + 2 * RATE_HZ)

    async def _interruption(self, talker: Ours, room: SimulatedRoom, number: int) -> None:
        text = INTERRUPTIONS[number % len(INTERRUPTIONS)]
        pcm, last = await self._people.say(text, number)
        await self._story(talker, room)
        await self._spoken(talker, room, text, await room.say(pcm) + last)

    async def _silence(self, talker: Ours, room: SimulatedRoom, _: int) -> None:
        await self._nobody(talker, room, "silence", 4)

    async def _music(self, talker: Ours, room: SimulatedRoom, number: int) -> None:
        await room.say(chords(5.0, number))
        await self._nobody(talker, room, "music", 6)

    async def _two_voices(self, talker: Ours, room: SimulatedRoom, number: int) -> None:
        text = "What time is it now?"
        pcm, last = await self._people.say(text, number)
        other, _ = await self._people.say(INTERRUPTIONS[1], number + 1)
        await room.say(other, direction=-0.9, gain_db=-6)
        await self._spoken(talker, room, text, await room.say(pcm, direction=0.9) + last)

    async def _own_voice(self, talker: Ours, room: SimulatedRoom, _: int) -> None:
        await self._story(talker, room)
        await self._nobody(talker, room, "own_voice", 8)


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


async def _converse(mind: Mind, soaking: Soak, end: float) -> int:
    """Talk until that time; returns how many rounds were. A robot that was lost is waited for, and counted."""
    rounds = count()
    done = 0
    while time.monotonic() < end:
        assert mind.simulator is not None
        try:
            await mind.body().wait_connected(CONNECT_TIMEOUT_S)
            async with SimulatedRoom(mind.simulator.port) as room, Ours(mind, room) as talker:
                await mind.body().wake()
                while time.monotonic() < end:
                    await soaking.round(talker, room, next(rounds))
                    done += 1
        except (MindError, httpx.HTTPError, OSError) as error:
            soaking.counts["robot_lost"] += 1
            soaking.missed.append(f"the robot was lost: {error}")
            print(f"the robot was lost: {error}", file=sys.stderr, flush=True)
            await asyncio.sleep(1.0)
    return done


async def _tell(soaking: Soak, memory: ProcessMemory, began: float) -> None:
    """A line every minute."""
    for minute in count(1):
        await asyncio.sleep(max(0.0, began + 60 * minute - time.monotonic()))
        counts = soaking.counts
        said = ", ".join(
            f"{name.replace('_', ' ')} {counts[name]}"
            for name in ("asked", "answered", "missed", "unanswered", "false_turns", "robot_lost")
        )
        print(f"minute {minute}: {said}; {memory.line()}", file=sys.stderr, flush=True)


async def soak(minutes: float) -> bool:
    """Print the figures as JSON; returns whether the test passed."""
    configuration = load()
    somebody = people(Store(configuration.models_folder))
    soaking, memory = Soak(somebody), ProcessMemory()
    async with Mind(configuration).session() as mind:
        began = time.monotonic()
        watching = asyncio.create_task(memory.watch(), name="memory")
        telling = asyncio.create_task(_tell(soaking, memory, began), name="minutes")
        try:
            rounds = await _converse(mind, soaking, began + 60 * minutes)
        finally:
            await cancel_and_wait(telling)
            await cancel_and_wait(watching)
            await somebody.aclose()
    counts = soaking.counts
    figures = {
        "minutes": round((time.monotonic() - began) / 60, 1),
        "rounds": rounds,
        **{name: counts[name] for name in ("asked", "answered", "missed", "unanswered", "false_turns", "robot_lost")},
        **{name: value for name, value in sorted(counts.items()) if name.startswith("false_turns_")},
        "what_was_missed": soaking.missed,
        **memory.figures(),
        "load": round(psutil.getloadavg()[0], 2),
    }
    print(json.dumps(figures))
    return rounds > 0 and not soaking.missed and memory.flat


def main() -> None:
    parser = argparse.ArgumentParser(description="A long spoken conversation in the simulator.")
    parser.add_argument("--minutes", type=float, default=10.0)
    log.configure("warning")
    raise SystemExit(0 if asyncio.run(soak(parser.parse_args().minutes)) else 1)


if __name__ == "__main__":
    main()
