"""How soon and how well does it answer when spoken to? Synthetic people talk with it in the simulator.

Several voices and speeds, a quiet room, noise at 20 and at 10 dB below the voice, and a room that reverberates; a third
of what they say has a pause of 300 to 700 ms in it. From the last sample of the voice to the first of the answer on
the loudspeaker, by the simulator's clock. Then people interrupt, say "mhm", and say nothing at all. All the while the
punctuality of motion is measured. Reference: the plain sequence (`talkers.Plain`), for a quarter of the time, and the
same requests typed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count, pairwise

from reachy_mind.bench import Figures
from reachy_mind.bench.room import RATE_HZ, Room
from reachy_mind.bench.spoken_turns import Tally, Turn, breakdown, figures_of, percent, spread
from reachy_mind.bench.talkers import Ours, Plain
from reachy_mind.bench.utterances import (
    LONGEST_PAUSE_MS,
    SHORTEST_PAUSE_MS,
    Clip,
    Utterance,
    ends,
    speakers,
    spoken,
    utterances,
)
from reachy_mind.config import Configuration
from reachy_mind.ending import ended
from reachy_mind.errors import MindError, NotReady
from reachy_mind.events import ToolCalled, TurnEnded, TurnStarted
from reachy_mind.mind import Mind
from reachy_mind.models.store import Store
from reachy_mind.speech import flite
from reachy_mind.speech.voices import Voice

SECONDS = 600.0
QUIET_DB = -60.0
ROOMS: tuple[tuple[str, float, float | None], ...] = (
    ("clean", 0.35, None),
    ("noise20", 0.35, 20.0),
    ("reverb", 0.7, None),
    ("noise10", 0.35, 10.0),
)
"""Name, reverberation in seconds, and by how many dB noise is softer than the voice."""
IN_A_ROW = 6
"""Utterances before the room changes."""
ANSWER_S = 8.0
"""Who gets no answer for so long was missed."""
DONE_S = 20.0
STORY = (
    "Once upon a time there was a small robot who lived on a wooden table. Every morning it looked out of the window "
    "and counted the birds in the garden. One day there were more birds than it could count, and it began to laugh. "
    "The birds liked that so much that they came back on every day of the summer."
)
INTERRUPTIONS = ("Please stop talking.", "Wait, what time is it?", "No, I meant something else.", "Stop.")
BACKCHANNELS = ("Okay.", "Uh huh.", "Yeah.", "Right.")


class Doings:
    """What the mind does about what it hears, from its events."""

    def __init__(self) -> None:
        self.open = 0
        self.tools: list[str] = []

    async def follow(self, mind: Mind) -> None:
        with mind.bus.subscribe(TurnStarted, TurnEnded, ToolCalled) as events:
            async for event in events:
                if isinstance(event, TurnStarted):
                    self.open, self.tools = self.open + 1, []
                elif isinstance(event, TurnEnded):
                    self.open -= 1
                elif isinstance(event, ToolCalled) and event.conversation:
                    self.tools.append(event.tool.rpartition(".")[2])


async def measure(configuration: Configuration, seconds: float) -> Figures:
    everybody = speakers(Store(configuration.models_folder))
    if not everybody:
        raise NotReady("there is no voice on this machine to speak with", hint=flite.HINT)
    async with Mind(configuration).session() as mind:
        assert mind.simulator is not None
        await mind.body().wake()
        with contextlib.suppress(MindError):  # as `run` does; without a face detector it talks all the same
            await mind.sight.follow(on=True)
        doings = Doings()
        following = asyncio.create_task(doings.follow(mind), name="doings")
        try:
            async with Room(mind.simulator.port) as room:
                clips = Clips(everybody)
                async with Ours(mind, room) as talker:
                    await talker.rehearsed()
                    await mind.body().lateness(clear=True)
                    ours, counted = await _conversed(talker, room, doings, clips, 0.5 * seconds)
                    figures = figures_of(ours) | breakdown(ours, talker.judged_ms)
                    figures |= await _interrupted(talker, room, clips, 0.25 * seconds)
                    figures |= await _motion(mind)
                clips.restart()
                async with Plain(mind, room) as plain:
                    theirs, _ = await _conversed(plain, room, doings, clips, 0.2 * seconds)
        finally:
            await ended(following)
        typed = await _typed([turn.clip.utterance for turn in ours.turns])
    reference = figures_of(theirs) | {"typed_right_percent": typed}
    shared = ("p50_ms", "p95_ms", "right_percent")
    ratio = {name: round(figures[name] / reference[name], 3) for name in shared if reference.get(name)}
    return Figures(figures | {"seconds": counted}, reference, ratio)


async def _motion(mind: Mind) -> dict[str, float]:
    """How punctual motion was meanwhile, as `bench motion` counts it."""
    late = await mind.body().lateness()
    return {f"motion_{name}": late[name] for name in ("p50_ms", "p99_ms", "max_ms", "skipped")}


class Clips:
    """Utterances, each said by the next of the speakers; the same in every run."""

    def __init__(self, everybody: Mapping[str, Callable[[], Voice]]) -> None:
        self._everybody = {name: make() for name, make in everybody.items()}
        self._lines = utterances()
        self.restart()

    def restart(self) -> None:
        self._counter = count()

    async def next(self) -> tuple[Clip, str, float, float | None]:
        """What is said next, and in which room."""
        number = next(self._counter)
        line = self._lines[number % len(self._lines)]
        name = list(self._everybody)[number % len(self._everybody)]
        span = LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS
        clip = await spoken(line, name, self._everybody[name], SHORTEST_PAUSE_MS + number * 100 % (span + 100))
        return clip, *ROOMS[number // IN_A_ROW % len(ROOMS)]

    async def of(self, text: str, number: int) -> Clip:
        name = list(self._everybody)[number % len(self._everybody)]
        return await spoken(Utterance(text, (), paused=False), name, self._everybody[name])


async def _conversed(
    talker: Ours | Plain, room: Room, doings: Doings, clips: Clips, seconds: float
) -> tuple[Tally, float]:
    tally = Tally()
    began = room.now
    while room.now - began < seconds * RATE_HZ:
        clip, where, reverb_s, below_db = await clips.next()
        noise_db = QUIET_DB if below_db is None else loudness_db(clip.pcm) - below_db
        await room.arrange(reverb_s=reverb_s, noise_db=noise_db)
        talker.renew()
        talker.noted.clear()
        room.forget()
        start = await room.say(clip.pcm)
        end = start + clip.last
        await room.reach(end)
        answered = await room.until(partial(_begun, room, end), ANSWER_S)
        await room.until(lambda: doings.open <= 0 and room.silent(0.7), DONE_S)
        first = room.began(end) if answered else None
        latency = None if first is None else (first - end) * 1000 / RATE_HZ
        tally.turns.append(Turn(clip, where, latency, tuple(talker.noted), end, tuple(doings.tools)))
        if isinstance(talker, Ours) and answered:
            tally.stages.append(dict(talker.stages))
    return tally, round((room.now - began) / RATE_HZ, 1)


def _begun(room: Room, after: int) -> bool:
    return room.began(after) is not None


async def _interrupted(talker: Ours, room: Room, clips: Clips, seconds: float) -> dict[str, float]:
    """People who interrupt a story, who say "mhm" to it, and who say nothing while it is told."""
    await room.arrange(noise_db=QUIET_DB)
    fell_silent, kept, told, alone = [], 0, 0, 0
    began = room.now
    for number in count():
        if room.now - began > seconds * RATE_HZ and number >= 3:
            break
        room.forget()
        talker.noted.clear()
        await talker.say(STORY)
        begun = room.now
        if not await room.until(partial(_begun, room, begun), ANSWER_S):
            continue
        await room.reach(room.now + round((1.5 + number % 3 * 0.4) * RATE_HZ))
        if number % 3 == 0:
            clip = await clips.of(INTERRUPTIONS[number // 3 % len(INTERRUPTIONS)], number)
            at = await room.say(clip.pcm) + clip.first
            await room.reach(at + round(1.2 * RATE_HZ))
            heard = room.loud(at, at + round(1.2 * RATE_HZ))
            last = next((int(a) for a, b in pairwise(heard) if b - a > RATE_HZ // 4), None)
            last = int(heard[-1]) if last is None and len(heard) else last or at
            fell_silent.append((last - at) * 1000 / RATE_HZ)
            await room.until(lambda: bool(talker.noted), ANSWER_S)
        elif number % 3 == 1:
            clip = await clips.of(BACKCHANNELS[number // 3 % len(BACKCHANNELS)], number)
            at = await room.say(clip.pcm) + clip.last
            await room.reach(at + 3 * RATE_HZ)
            told += 1
            kept += not talker.noted and len(room.loud(at + 2 * RATE_HZ)) > 0
        else:
            await room.reach(room.now + 6 * RATE_HZ)
            alone += len(talker.noted)
        await talker.hush()
        await room.hush()
        await room.until(lambda: room.silent(1.0), DONE_S)
    return {
        "interruptions": len(fell_silent),
        **spread("barge_in_", fell_silent),
        "backchannels": told,
        "backchannels_kept_percent": percent(kept, told),
        "self_triggered_alone": alone,
    }


async def _typed(asked: Sequence[Utterance]) -> float:
    """How many of the same requests lead to the right tools when nothing is misheard."""
    from reachy_mind.brains.reading.reader import Reader
    from reachy_mind.brains.understanding import Understanding

    understanding = await asyncio.to_thread(lambda: Understanding(Reader.load()))
    plans = [understanding.plan(each.text, ()) for each in asked]
    right = [each.right(tuple(s.tool for s in plan.steps)) for each, plan in zip(asked, plans, strict=True)]
    return percent(sum(right), len(right))


def loudness_db(pcm: bytes) -> float:
    """Of a voice while it speaks, in dB of full scale."""
    import numpy as np

    sound = np.frombuffer(pcm, "<i2")
    first, last = ends(sound)
    power = float(np.mean((sound[first : last + 1].astype(np.float64) / 32768) ** 2))
    return 10 * float(np.log10(max(power, 1e-9)))
