"""Demonstration 1: a conversation at a table. It sees, hears, talks, moves, and stops when it is told to."""

from __future__ import annotations

import asyncio
import math
import statistics
import time
from dataclasses import dataclass, field

import httpx

from reachy_mind.body.wav import RATE_HZ
from reachy_mind.conversation.response import Response
from reachy_mind.demo.stage import Stage
from reachy_mind.events import TurnEnded, TurnStarted
from reachy_mind.motion.client import Motion

TURNED = math.radians(10)
"""A movement that anybody sees."""
POINTED_DEGREES = 8.0
"""The thing is well inside the picture."""
PERIOD_S = 0.02
STILL_RAD_S = math.radians(8)
"""Slower than this the head is held: breathing is slower too."""
STOP_WITHIN_S = 5.0
REQUESTS = 40
PERSON, DOOR = "ada", (1.1, 0.6)
PERSON_VOICE = "rms"
SENTENCE = "please look to the right"
PAUSE_S = 20.0
"""For a person at a real robot to say a sentence."""


@dataclass
class ConversationTally:
    """The requests of the demonstration: how many, and how soon the first action or word came."""

    latencies_ms: list[float] = field(default_factory=list)
    tools: set[str] = field(default_factory=set)
    failed: int = 0

    def add(self, response: Response) -> Response:
        self.latencies_ms.append(response.latency_ms)
        self.tools |= {call.name for call in response.tool_calls if call.outcome.status == "ok"}
        self.failed += any(call.outcome.status not in ("ok", "started") for call in response.tool_calls)
        return response


async def show(stage: Stage) -> None:
    tally = ConversationTally()
    await _greet(stage, tally)
    await _see(stage, tally)
    await _listen(stage, tally)
    await _do_several_things(stage, tally)
    await _be_interrupted(stage, tally)
    await _answer_programs(stage)
    await _sum_up(stage, tally)


async def _greet(stage: Stage, tally: ConversationTally) -> None:
    async with stage.step("It talks and moves"):
        await stage.narrate("Hello. I am Reachy Mini, and this is what I can do. Everything you see happens now.")
        before = stage.mind.body().state.pose
        waving = stage.say("wave hello")
        moved = await _most_moved(stage.mind.body(), waving)
        tally.add(await stage.answer(waving))
        stage.require(moved > TURNED or stage.mind.body().state.pose.distance(before) > TURNED, "the robot moves")


async def _see(stage: Stage, tally: ConversationTally) -> None:
    async with stage.step("It sees"):
        await stage.narrate("I look through my camera. Ask me what is there.")
        looked = tally.add(await stage.ask("look at the table and tell me what you see"))
        if stage.scene is None:
            await stage.narrate("On a real table I can't check my answer. You can.")
            return
        things = await stage.scene.things()
        named = [name for name in things if name in looked.text.casefold()]
        stage.require(len(named) == len(things), f"it names {', '.join(things)} (it said: {looked.text})")
        stage.record.figure("things_named", len(named), f"{len(named)} of {len(things)} things on the table named")
        tally.add(await stage.ask("find the duck"))
        off = await stage.scene.off("duck")
        stage.require(off < POINTED_DEGREES, f"the camera points at the duck, not {off:.0f} degrees past it")
        stage.record.figure("aim_degrees", off, f"the camera points at the duck within {off:.1f} degrees")
        colour = tally.add(await stage.ask("what colour is it?"))
        stage.require("yellow" in colour.text, f"the duck is yellow (it said: {colour.text})")


async def _listen(stage: Stage, tally: ConversationTally) -> None:
    async with stage.step("It hears"):
        trouble = await _open_ears(stage)
        if trouble:
            await stage.narrate(f"I can't listen here: {trouble}. So this request is typed.")
            tally.add(await stage.ask(SENTENCE))
            return
        try:
            await (_hear_simulated_person(stage) if stage.scene is not None else _hear_viewer(stage, tally))
        finally:
            await stage.mind.speech.switch_microphone(on=False)


async def _open_ears(stage: Stage) -> str:
    """Open the spoken conversation, its microphone off. Returns why it can't be opened."""
    if not stage.narrator.speaks:
        return "this demonstration runs without sound"
    stage.mind.speech.start(microphone_off=True)
    await stage.mind.speech.opened()
    return "" if stage.mind.speech.talking is not None else stage.mind.speech.trouble.message


async def _hear_simulated_person(stage: Stage) -> None:
    """Somebody comes in and says something; speech to text, the turn and the reply are those of any conversation."""
    scene, mind = stage.scene, stage.mind
    assert scene is not None
    await stage.narrate("Somebody comes in and talks to me. I listen with my microphone.")
    await scene.come_in(PERSON, DOOR)
    calling = mind.configuration.settings.speech.wake in ("name", "word")
    sentence = f"hey Reachy, {SENTENCE}" if calling else SENTENCE
    async with mind.speech.speaking_as(PERSON_VOICE, None) as voice:
        pcm = b"".join([piece async for piece in voice.synthesize(sentence)])
    await stage.act("perception.set_microphone", enabled=True)
    async with scene.room() as room:
        with mind.bus.subscribe(TurnStarted, TurnEnded) as events:
            begin = await room.say(pcm, person=PERSON)
            stage.record.add("note", f"A person in the simulated room says: “{sentence}”")
            heard = await stage.first(events, lambda event: isinstance(event, TurnStarted) and event.spoken, 30)
            assert isinstance(heard, TurnStarted)
            stage.record.add("person", heard.text)
            done = await stage.first(events, lambda event: isinstance(event, TurnEnded), 30)
            assert isinstance(done, TurnEnded)
        end = begin + len(pcm) // 2
        await room.until(lambda: room.began(end) is not None, 15)
        first = room.began(end)
    stage.record.add("robot", done.reply)
    stage.require("right" in heard.text.casefold(), f"it hears “{sentence}” (it heard: {heard.text})")
    if first is not None:
        waited = (first - end) / RATE_HZ
        stage.record.figure("spoken_answer_s", waited, f"{waited:.1f} s from the person's last word to its first")
    await asyncio.sleep(2.0)  # it speaks its answer
    await scene.leave(PERSON)


async def _hear_viewer(stage: Stage, tally: ConversationTally) -> None:
    """At a real robot the viewer is the person; without a word within some seconds the request is typed."""
    with stage.mind.bus.subscribe(TurnStarted) as events:
        await stage.narrate(f"Now it is your turn. Please say to me: {SENTENCE}.")
        await stage.act("perception.set_microphone", enabled=True)
        try:
            heard = await stage.first(events, lambda event: isinstance(event, TurnStarted) and event.spoken, PAUSE_S)
        except TimeoutError:
            await stage.narrate("I heard nobody, so this request is typed.")
            tally.add(await stage.ask(SENTENCE))
            return
    assert isinstance(heard, TurnStarted)
    stage.record.add("person", heard.text)
    await asyncio.sleep(4.0)  # it does what it heard, and says so


async def _do_several_things(stage: Stage, tally: ConversationTally) -> None:
    async with stage.step("It does several things in a row"):
        await stage.narrate("One sentence can ask for several things.")
        folder = stage.mind.configuration.home.photos_folder
        before = len(list(folder.glob("*.jpg")))
        did = tally.add(await stage.ask("look left, take a photo and tell me what you see"))
        taken = len(list(folder.glob("*.jpg"))) - before
        stage.require(taken >= 1, "a photo is in the photo folder")
        names = [call.name for call in did.tool_calls]
        stage.require(len(names) >= 2, f"it uses several tools (it used {', '.join(names) or 'none'})")


async def _be_interrupted(stage: Stage, tally: ConversationTally) -> None:
    async with stage.step("It can be stopped at any moment"):
        await stage.narrate("I dance now. The word stop always works, and nothing has to think about it.")
        motion = stage.mind.body()
        dancing = stage.say("dance")
        await _until_moving(motion)
        await asyncio.sleep(1.0)
        stop_at = time.monotonic()
        stopping = stage.say("stop")
        held_s = await _held_after(motion, stop_at)
        await stage.answer(stopping)
        await stage.answer(dancing)
        stage.require(held_s is not None, f"the robot is still within {STOP_WITHIN_S:.0f} s of the word stop")
        assert held_s is not None
        stage.record.figure("stop_s", held_s, f"still {held_s:.2f} s after the word stop")
        tally.add(await stage.ask("no, nod instead"))


async def _answer_programs(stage: Stage) -> None:
    if not stage.page:
        return
    async with stage.step("Other programs can ask too"):
        await stage.narrate("Other programs talk with me over the network, through the same gate.")
        took = []
        async with httpx.AsyncClient(base_url=stage.page, timeout=10, trust_env=False) as client:
            for _ in range(REQUESTS):
                began = time.perf_counter()
                (await client.get("/api/v1/robot/state")).raise_for_status()
                took.append((time.perf_counter() - began) * 1000)
        p95 = sorted(took)[math.ceil(0.95 * REQUESTS) - 1]
        stage.record.figure("rest_p95_ms", p95, f"{REQUESTS} REST requests: 95 % answered within {p95:.0f} ms")


async def _sum_up(stage: Stage, tally: ConversationTally) -> None:
    async with stage.step("What was measured"):
        median = statistics.median(tally.latencies_ms)
        asked = len(tally.latencies_ms)
        stage.record.figure("requests", asked, f"{asked} requests, {asked - tally.failed} of them done")
        stage.record.figure("latency_ms", median, f"first action or word after {median:.0f} ms (median)")
        stage.record.figure(
            "tools", len(tally.tools), f"{len(tally.tools)} tools used: {', '.join(sorted(tally.tools))}"
        )
        stage.require(not tally.failed, "every request is done")
        await stage.narrate(f"You saw {asked} requests. Usually I began to act or speak after {_spoken_ms(median)}.")


def _spoken_ms(value: float) -> str:
    return f"{value / 1000:.1f} seconds" if value >= 1000 else f"{round(value)} milliseconds"


async def _until_moving(motion: Motion) -> None:
    start = motion.state.pose
    async with asyncio.timeout(20):
        while motion.state.pose.distance(start) < TURNED / 2:  # noqa: ASYNC110 -- the pose is polled
            await asyncio.sleep(PERIOD_S)


async def _most_moved(motion: Motion, answered: asyncio.Future[Response]) -> float:
    """How far the robot moved at most until it had answered."""
    start, most = motion.state.pose, 0.0
    async with asyncio.timeout(60):
        while not answered.done():
            most = max(most, motion.state.pose.distance(start))
            await asyncio.sleep(PERIOD_S)
    return most


async def _held_after(motion: Motion, stop_at: float) -> float | None:
    """Seconds from a moment until the robot moves no more; None if it goes on."""
    last, last_at = motion.state.pose, time.monotonic()
    still_since: float | None = None
    while last_at - stop_at < STOP_WITHIN_S:
        await asyncio.sleep(5 * PERIOD_S)
        now, now_at = motion.state.pose, time.monotonic()
        speed = now.distance(last) / (now_at - last_at)
        if speed >= STILL_RAD_S:
            still_since = None
        elif still_since is None:
            still_since = last_at
        elif now_at - still_since > 0.4:
            return max(0.0, still_since - stop_at)
        last, last_at = now, now_at
    return None
