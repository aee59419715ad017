"""How soon and how well does it answer when spoken to? Synthetic people talk with it in the simulator.

Several voices and speeds, a quiet room, noise at 20 and at 10 dB below the voice, and a room that reverberates; a third
of what they say has a pause of 300 to 700 ms in it. From the last sample of the voice to the first of the answer on
the loudspeaker, by the simulator's clock. Then people interrupt, say "mhm", and say nothing at all. Reference: the
plain sequence (`talkers.Plain`), for a quarter of the time, and the same requests typed.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from uuid import uuid4

from reachy_mind.bench import Figures
from reachy_mind.bench.room import RATE_HZ, Room
from reachy_mind.bench.speech import word_errors
from reachy_mind.bench.talkers import Noted, Ours, Plain
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
from reachy_mind.errors import NotReady
from reachy_mind.events import ToolCalled, TurnEnded, TurnStarted
from reachy_mind.mind import Mind
from reachy_mind.models.store import Store
from reachy_mind.speech import flite

SECONDS = 600.0
QUIET_DB = -60.0
ROOMS: tuple[tuple[str, float, float | None], ...] = (
    ("clean", 0.35, None),
    ("noise20", 0.35, 20.0),
    ("clean", 0.35, None),
    ("reverb", 0.7, None),
    ("noise10", 0.35, 10.0),
)
"""Name, reverberation in seconds, and by how many dB noise is softer than the voice."""
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


@dataclass
class Turn:
    """How one utterance fared."""

    clip: Clip
    room: str
    latency_ms: float | None
    noted: Sequence[Noted]
    end: int
    tools: tuple[str, ...]

    @property
    def cut_off(self) -> bool:
        """Answered before the rest came, and not joined to it."""
        early = any(noted.at < self.end for noted in self.noted)
        return early and not self.noted[-1].continues

    @property
    def extra(self) -> int:
        """Turns of nobody's after the one that ended what was said."""
        late = [noted for noted in self.noted if noted.at >= self.end and not noted.continues]
        return max(0, len(late) - 1)

    @property
    def right(self) -> bool:
        return bool(self.noted) and self.clip.utterance.right(self.tools)


@dataclass
class Tally:
    turns: list[Turn] = field(default_factory=list)
    stages: list[dict[str, float]] = field(default_factory=list)


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
        doings = Doings()
        following = asyncio.create_task(doings.follow(mind), name="doings")
        try:
            async with Room(mind.simulator.port) as room:
                clips = Clips(everybody)
                async with Ours(mind, room) as talker:
                    ours, counted = await _conversed(talker, room, doings, clips, 0.5 * seconds)
                    figures = _figures(ours) | _breakdown(ours, talker)
                    figures |= await _interrupted(talker, room, clips, 0.25 * seconds)
                clips.restart()
                async with Plain(mind, room) as plain:
                    theirs, _ = await _conversed(plain, room, doings, clips, 0.2 * seconds)
        finally:
            following.cancel()
            await asyncio.wait([following])
        typed = await _typed(mind, [turn.clip.utterance for turn in ours.turns])
    reference = _figures(theirs) | {"typed_right_percent": typed}
    shared = ("p50_ms", "p95_ms", "right_percent")
    ratio = {name: round(figures[name] / reference[name], 3) for name in shared if reference.get(name)}
    return Figures(figures | {"seconds": counted}, reference, ratio)


class Clips:
    """Utterances, each said by the next of the speakers; the same in every run."""

    def __init__(self, everybody: object) -> None:
        self._everybody = {name: make() for name, make in everybody.items()}  # type: ignore[attr-defined]
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
        return clip, *ROOMS[number % len(ROOMS)]

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
        talker.conversation = uuid4().hex
        talker.noted.clear()
        room.forget()
        start = await room.say(clip.pcm)
        end = start + clip.last
        await room.reach(end)
        answered = await room.until(lambda end=end: room.began(end) is not None, ANSWER_S)  # type: ignore[misc]
        await room.until(lambda: doings.open <= 0 and room.silent(0.7), DONE_S)
        first = room.began(end) if answered else None
        latency = None if first is None else (first - end) * 1000 / RATE_HZ
        tally.turns.append(Turn(clip, where, latency, tuple(talker.noted), end, tuple(doings.tools)))
        if isinstance(talker, Ours) and answered:
            tally.stages.append(dict(talker.stages))
        print_turn(tally.turns[-1], talker)
    return tally, round((room.now - began) / RATE_HZ, 1)


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
        if not await room.until(lambda begun=begun: room.began(begun) is not None, ANSWER_S):  # type: ignore[misc]
            continue
        await room.reach(room.now + round((1.5 + number % 3 * 0.4) * RATE_HZ))
        if number % 3 == 0:
            clip = await clips.of(INTERRUPTIONS[number // 3 % len(INTERRUPTIONS)], number)
            at = await room.say(clip.pcm) + clip.first
            await room.reach(at + round(1.2 * RATE_HZ))
            heard = room.loud(at, at + round(1.2 * RATE_HZ))
            last = next((int(a) for a, b in zip(heard, heard[1:], strict=False) if b - a > RATE_HZ * 0.25), None)
            last = int(heard[-1]) if last is None and len(heard) else last or at
            fell_silent.append((last - at) * 1000 / RATE_HZ)
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
        **_spread("barge_in_", fell_silent),
        "backchannels": told,
        "backchannels_kept_percent": _percent(kept, told),
        "self_triggered_alone": alone,
    }


async def _typed(mind: Mind, asked: Sequence[Utterance]) -> float:
    """How many of the same requests lead to the right tools when nothing is misheard."""
    from reachy_mind.brains.reading.reader import Reader
    from reachy_mind.brains.understanding import Understanding

    understanding = await asyncio.to_thread(lambda: Understanding(Reader.load()))
    plans = [understanding.plan(each.text, ()) for each in asked]
    right = [each.right(tuple(s.tool for s in plan.steps)) for each, plan in zip(asked, plans, strict=True)]
    return _percent(sum(right), len(right))


def loudness_db(pcm: bytes) -> float:
    """Of a voice while it speaks, in dB of full scale."""
    import numpy as np

    sound = np.frombuffer(pcm, "<i2")
    first, last = ends(sound)
    power = float(np.mean((sound[first : last + 1].astype(np.float64) / 32768) ** 2))
    return 10 * float(np.log10(max(power, 1e-9)))


def _figures(tally: Tally) -> dict[str, float]:
    turns = tally.turns
    paused = [turn for turn in turns if turn.clip.utterance.paused]
    took = [turn.latency_ms for turn in turns if turn.latency_ms is not None]
    wrong = [word_errors(turn.clip.utterance.text, turn.noted[-1].text) for turn in turns if turn.noted]
    extra = sum(turn.extra for turn in turns)
    figures = {
        "turns": len(turns),
        **_spread("", took),
        "missed_percent": _percent(sum(turn.latency_ms is None for turn in turns), len(turns)),
        "cut_off_percent": _percent(sum(turn.cut_off for turn in turns), len(turns)),
        "paused_cut_off_percent": _percent(sum(turn.cut_off for turn in paused), len(paused)),
        "joined_percent": _percent(sum(any(n.continues for n in turn.noted) for turn in turns), len(turns)),
        "right_percent": _percent(sum(turn.right for turn in turns), len(turns)),
        "wer_percent": _percent(sum(w for w, _ in wrong), sum(words for _, words in wrong)),
        "self_triggered_percent": _percent(extra, len(turns) + extra),
    }
    for name in dict.fromkeys(turn.room for turn in turns):
        there = [turn for turn in turns if turn.room == name]
        times = [turn.latency_ms for turn in there if turn.latency_ms is not None]
        figures |= {f"{name}_right_percent": _percent(sum(turn.right for turn in there), len(there))}
        figures |= {f"{name}_p50_ms": _spread("", times).get("p50_ms", 0.0)}
    return figures


def _breakdown(tally: Tally, talker: Ours) -> dict[str, float]:
    """The median of each stage of an answer."""
    names = dict.fromkeys(name for stages in tally.stages for name in stages)
    made = {f"{n}_ms": round(statistics.median(s[n] for s in tally.stages if n in s), 1) for n in names}
    if talker.judged_ms:
        made["judging_ms"] = round(statistics.median(talker.judged_ms), 1)
    return made


def _spread(prefix: str, values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    ordered = sorted(values)
    at = min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))
    return {
        f"{prefix}p50_ms": round(statistics.median(ordered), 1),
        f"{prefix}p95_ms": round(ordered[at], 1),
    }


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def print_turn(turn: Turn, talker: Ours | Plain) -> None:
    import sys
    print(turn.clip.speaker, turn.room, repr(turn.clip.utterance.text), "lat", turn.latency_ms, "CUT" if turn.cut_off else "", "EXTRA" if turn.extra else "", "" if turn.right else "WRONG",
          [(n.text, round((n.at - turn.end) / 16), n.continues) for n in turn.noted], turn.tools, talker.stages if isinstance(talker, Ours) else "", file=sys.stderr, flush=True)
