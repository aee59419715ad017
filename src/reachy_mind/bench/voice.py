"""Latency and accuracy of a spoken conversation. Synthetic people talk with the robot in the simulator.

Several voices, speeds and pitches, a quiet room, noise at 20 and at 10 dB below the voice, and a reverberant room; two
thirds of the utterances have pauses of 300 ms to 1.5 s, where people hesitate: before a word, after "um", in a list,
after what might be all, before they correct themselves. Latency: from the last sample of the voice to the first of the
answer on the loudspeaker, by the simulator's clock. Then people interrupt (barge-in), say "mhm" (backchannels), and say
nothing. The lateness of motion is measured all the time. Reference: the plain sequence (`voice_systems.PlainSequence`),
for a fifth of the time, and the same requests typed.

`--set natural`: voices with a person's melody (piper); `plain`: rule-based and concatenated ones, the worst case, of
which the natural run has some, too. `--rooms clean,reverb` selects rooms.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Sequence
from functools import partial
from itertools import count, pairwise

from reachy_mind.bench import Figures
from reachy_mind.bench.rooms import DIRECTION, DISTANCE_M, QUIET_DB, ROOMS, Room
from reachy_mind.bench.simulated_room import SimulatedRoom
from reachy_mind.bench.spoken_turns import (
    EARLY_SAMPLES,
    SpokenToolUse,
    SpokenTurnResult,
    TurnTally,
    breakdown,
    figures_of,
    percent,
    spread,
)
from reachy_mind.bench.synthetic_people import People, natural, plain, speakers
from reachy_mind.bench.utterances import SpokenClip, Utterance, mixed, spoken
from reachy_mind.bench.voice_systems import Ours, PlainSequence
from reachy_mind.body.wav import RATE_HZ
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError, NotReady
from reachy_mind.events import ToolCalled, TurnEnded, TurnStarted
from reachy_mind.mind import Mind
from reachy_mind.models.store import Store
from reachy_mind.speech import flite
from reachy_mind.speech.voices import Voice
from reachy_mind.tools.registry import Registry, UnknownTool

SECONDS = 600.0
SETS = ("natural", "plain")
ROOM_NAMES = tuple(room.name for room in ROOMS)
UTTERANCES_PER_ROOM = 6
"""Utterances before the room changes."""
ORDER = 7
"""The seed of the order of utterances."""
SHARES = {"ours": 0.5, "plain_voices": 0.1, "interruptions": 0.2, "reference": 0.2}
"""Of the time."""
ANSWER_TIMEOUT_S = 8.0
"""An utterance without an answer for this long was missed."""
TURN_TIMEOUT_S = 20.0
STORY = (
    "Once upon a time there was a small robot who lived on a wooden table. Every morning it looked out of the window "
    "and counted the birds in the garden. One day there were more birds than it could count, and it began to laugh. "
    "The birds liked that so much that they came back on every day of the summer."
)
INTERRUPTIONS = ("Please stop talking.", "Wait, what time is it?", "No, I meant something else.", "Stop.")
BACKCHANNELS = ("Okay.", "Uh huh.", "Yeah.", "Right.")


class MindActivity:
    """Open turns of the mind, and what it does, from its events."""

    def __init__(self) -> None:
        self.open = 0
        self.uses: list[SpokenToolUse] = []

    async def follow(self, mind: Mind) -> None:
        with mind.bus.subscribe(TurnStarted, TurnEnded, ToolCalled) as events:
            async for event in events:
                if isinstance(event, TurnStarted):
                    self.open += 1
                elif isinstance(event, TurnEnded):
                    self.open -= 1
                elif isinstance(event, ToolCalled) and event.conversation:
                    self.uses.append(_use(event, mind.toolbox.registry))

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(use.tool for use in self.uses)


def _use(event: ToolCalled, registry: Registry) -> SpokenToolUse:
    name = event.tool.rpartition(".")[2]
    try:
        acts = not registry.find(name)[0].read_only
    except UnknownTool:
        acts = True
    return SpokenToolUse(name, event.arguments, acts and event.status in ("ok", "started"))


async def measure(
    configuration: Configuration, seconds: float, collection: str = "natural", rooms: Sequence[str] = ROOM_NAMES
) -> Figures:
    store = Store(configuration.models_folder)
    everybody = plain() if collection == "plain" else speakers(store)
    if not everybody:
        raise NotReady("there is no voice on this machine to speak with", hint=flite.HINT)
    there = [room for room in ROOMS if room.name in rooms]
    async with Mind(configuration).session() as mind:
        assert mind.simulator is not None
        await mind.body().wake()
        with contextlib.suppress(MindError):  # as `run` does; not available without a face detector
            await mind.sight.follow(on=True)
        activity = MindActivity()
        following = asyncio.create_task(activity.follow(mind), name="activity")
        try:
            async with SimulatedRoom(mind.simulator.port) as room:
                clips = Clips(everybody, there)
                async with Ours(mind, room) as talker:
                    await talker.cache_filled()
                    await mind.body().lateness(clear=True)
                    ours, counted = await _conversed(talker, room, activity, clips, SHARES["ours"] * seconds)
                    figures = figures_of(ours) | breakdown(ours, talker.judged_ms)
                    if natural(store) and collection != "plain" and plain():
                        worst, _ = await _conversed(
                            talker, room, activity, Clips(plain(), there[:1]), SHARES["plain_voices"] * seconds
                        )
                        figures |= {f"plain_voices_{name}": figures_of(worst)[name] for name in WORST_CASE}
                    figures |= await _interrupted(talker, room, clips, SHARES["interruptions"] * seconds)
                    figures |= await _motion(mind)
                clips.restart()
                async with PlainSequence(mind, room) as sequence:
                    theirs, _ = await _conversed(sequence, room, activity, clips, SHARES["reference"] * seconds)
        finally:
            await cancel_and_wait(following)
        typed = await _typed([turn.clip.utterance for turn in ours.turns])
    reference = figures_of(theirs) | {"typed_right_percent": typed}
    shared = ("p50_ms", "p95_ms", "right_percent")
    ratio = {name: round(figures[name] / reference[name], 3) for name in shared if reference.get(name)}
    failed = [turn.line for turn in ours.turns if not turn.right or turn.cut_off or turn.wrong_action]
    return Figures(figures | {"seconds": counted}, reference, ratio, failed=failed)


WORST_CASE = ("turns", "right_percent", "wrong_action_percent", "paused_cut_off_percent", "wer_percent", "p50_ms")
"""The figures of plain voices that are printed."""


async def _motion(mind: Mind) -> dict[str, float]:
    """The lateness of motion meanwhile, as in `bench motion`."""
    late = await mind.body().lateness()
    return {f"motion_{name}": late[name] for name in ("p50_ms", "p99_ms", "max_ms", "skipped")}


class Clips:
    """Utterances in an order of chance, each by the next speaker; the same in every run."""

    def __init__(self, everybody: People, rooms: Sequence[Room] = ROOMS) -> None:
        self._everybody: dict[str, Voice] = {name: make() for name, make in everybody.items()}
        self._rooms = rooms
        self._made: dict[int, SpokenClip] = {}
        self._lines = mixed()
        random.Random(ORDER).shuffle(self._lines)  # noqa: S311
        self.restart()

    def restart(self) -> None:
        self._counter = count()

    async def next(self) -> tuple[SpokenClip, Room]:
        """The next utterance and its room."""
        number = next(self._counter)
        round_, at = divmod(number, len(self._lines))
        name = list(self._everybody)[(number + round_) % len(self._everybody)]
        if number not in self._made:
            self._made[number] = await spoken(self._lines[at], name, self._everybody[name], number)
        return self._made[number], self._rooms[number // UTTERANCES_PER_ROOM % len(self._rooms)]

    async def of(self, text: str, number: int) -> SpokenClip:
        name = list(self._everybody)[number % len(self._everybody)]
        return await spoken(Utterance(text, ()), name, self._everybody[name])


async def _conversed(
    talker: Ours | PlainSequence, room: SimulatedRoom, activity: MindActivity, clips: Clips, seconds: float
) -> tuple[TurnTally, float]:
    tally, counted = TurnTally(), 0
    while counted < seconds * RATE_HZ:
        clip, where = await clips.next()
        began = room.now  # what it takes to synthesize people does not count
        await room.arrange(reverb_s=where.reverb_s, noise_db=where.noise_db(clip.pcm))
        talker.renew()
        talker.noted.clear()
        activity.uses.clear()
        room.forget()
        start = await room.say(clip.pcm, direction=DIRECTION, distance=DISTANCE_M)
        end = start + clip.last
        await room.reach(end)
        answered = await room.until(partial(_begun, room, end), ANSWER_TIMEOUT_S)
        await room.until(lambda: activity.open <= 0 and room.silent(0.7), TURN_TIMEOUT_S)
        into = room.began(start + clip.first)
        first = room.began(end) if answered else None
        result = SpokenTurnResult(
            clip,
            where.name,
            None if first is None else (first - end) * 1000 / RATE_HZ,
            tuple(talker.noted),
            end,
            tuple(activity.uses),
            talked_into=into is not None and into < end - EARLY_SAMPLES,
        )
        tally.turns.append(result)
        if isinstance(talker, Ours) and answered:
            tally.stages.append(dict(talker.stages))
        counted += room.now - began
    return tally, round(counted / RATE_HZ, 1)


def _begun(room: SimulatedRoom, after: int) -> bool:
    return room.began(after) is not None


async def _interrupted(talker: Ours, room: SimulatedRoom, clips: Clips, seconds: float) -> dict[str, float]:
    """Interruptions, backchannels and silence while the robot tells a story."""
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
        if not await room.until(partial(_begun, room, begun), ANSWER_TIMEOUT_S):
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
            await room.until(lambda: bool(talker.noted), ANSWER_TIMEOUT_S)
        elif number % 3 == 1:
            clip = await clips.of(BACKCHANNELS[number // 3 % len(BACKCHANNELS)], number)
            at = await room.say(clip.pcm) + clip.last
            await room.reach(at + 3 * RATE_HZ)
            told += 1
            kept += not talker.noted and len(room.loud(at + 2 * RATE_HZ)) > 0
        else:
            await room.reach(room.now + 6 * RATE_HZ)
            alone += len(talker.noted)
        await talker.interrupt()
        await room.hush()
        await room.until(lambda: room.silent(1.0), TURN_TIMEOUT_S)
    return {
        "interruptions": len(fell_silent),
        **spread("barge_in_", fell_silent),
        "backchannels": told,
        "backchannels_kept_percent": percent(kept, told),
        "self_triggered_alone": alone,
    }


async def _typed(asked: Sequence[Utterance]) -> float:
    """How many of the same requests lead to the right tools when nothing is misheard."""
    from reachy_mind.brains.reflex.reader import Reader
    from reachy_mind.brains.reflex.understanding import Understanding

    understanding = await asyncio.to_thread(lambda: Understanding(Reader.load()))
    plans = [understanding.plan(each.text, ()) for each in asked]
    right = [
        each.right([(step.tool, step.args) for step in plan.steps]) for each, plan in zip(asked, plans, strict=True)
    ]
    return percent(sum(right), len(right))
