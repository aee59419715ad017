"""Speaking and hearing as tools, on the simulated robot, with real ears and a real voice."""

from __future__ import annotations

import contextlib
import math
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from reachy_mind.body.address import Address
from reachy_mind.config import load
from reachy_mind.mind import Mind
from reachy_mind.speech import wavs
from tests.fakes.people import Beside
from tests.tools.builtin.robot import done, refused, toolbox


@contextlib.asynccontextmanager
async def mind(robot: Address, *, talking: bool = False, **settings: str) -> AsyncIterator[Mind]:
    flags = {"robot.address": str(robot), "robot.idle": False, "speech.voice": "flite"}
    async with Mind(load(flags=flags | {f"speech.{name}": value for name, value in settings.items()})).session() as one:
        if talking:
            one.speech.start()
            await one.speech.opened()
            assert one.talking is not None, one.speech.trouble
            await one.talking.switch(on=True)
        yield one


@pytest.mark.parametrize("talking", [False, True])
async def test_what_is_spoken_is_heard_to_its_end(robot: Address, talking: bool) -> None:
    async with mind(robot, talking=talking) as one:
        told = await done(one.toolbox, "speak", text="Good morning, everybody.")
        assert told == {
            "message": 'I said "Good morning, everybody".',
            "spoken": "Good morning, everybody.",
            "interrupted": False,
        }
        tape = await Beside(robot).heard(6)
        heard = await one.speech.ears().transcribe(wavs.read(tape, 60))
        assert "good morning" in heard.text.lower()
        slow = await done(one.toolbox, "speak", text="Good evening.", voice="rms", speed=0.7)
        assert not slow["interrupted"]


@pytest.mark.parametrize("talking", [False, True])
async def test_what_is_said_meanwhile_is_told_and_is_no_turn(robot: Address, talking: bool) -> None:
    person = Beside(robot)
    async with mind(robot, talking=talking) as one:
        await one.speech.ears().warm()
        await person.say("What is the weather in Lisbon tomorrow?", loop=True)
        told = await done(one.toolbox, "listen", duration_seconds=8)
        async with httpx.AsyncClient() as http:
            await http.delete(f"{robot.http}/sim/v1/audio/sources")
        assert "in Lisbon tomorrow" in told["text"] and told["text"][:20] in told["message"]
        assert await one.conversations.listed(limit=1, offset=0) == ([], 0)
        if one.talking is None:
            assert await person.listeners() == 0, "it listens only so long"


async def test_it_turns_to_who_speaks_and_stays_where_nobody_does(robot: Address) -> None:
    async with mind(robot) as one:
        assert await done(one.toolbox, "look_at_sound", timeout_ms=200) == {
            "message": "I hear nobody to look at.",
            "found": False,
        }
        await Beside(robot).say("Over here, please, on your left side.", direction=math.radians(50), loop=True)
        told = await done(one.toolbox, "look_at_sound", timeout_ms=10000)
        assert told["found"] and told["heard_at"] == pytest.approx(50, abs=15)
        assert told["final_position"]["yaw"] == pytest.approx(told["heard_at"], abs=6)
        sensors = await done(one.toolbox, "get_sensor_data", sensors=["sound_direction"])
        assert abs(sensors["sound_direction"]["degrees_left_of_the_head"]) < 25, "it faces them now"


async def test_how_loud_it_is_is_read_back_from_the_robot(robot: Address) -> None:
    async with mind(robot) as one:
        assert (await done(one.toolbox, "set_volume", volume=30))["volume"] == 30
        async with httpx.AsyncClient() as http:
            assert (await http.get(f"{robot.http}/api/volume/current")).json()["volume"] == 30
            await http.post(f"{robot.http}/api/volume/set", json={"volume": 100})


async def test_without_a_voice_or_ears_it_says_why(robot: Address) -> None:
    async with mind(robot, ears="none", voice="none") as one:
        assert (await refused(one.toolbox, "speak", text="hello"))[0] == "NOT_READY"
        code, hint = await refused(one.toolbox, "listen")
        assert code == "NOT_READY" and "speech.ears" in hint
        assert (await refused(one.toolbox, "set_microphone", enabled=True))[0] == "NOT_READY"


async def test_without_a_mind_there_is_no_voice(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        for name, args in (("speak", {"text": "hello"}), ("listen", {}), ("set_microphone", {"enabled": False})):
            assert (await refused(box, name, **args))[0] == "NOT_READY"


async def test_who_asked_aloud_to_hear_something_hears_it_once(robot: Address) -> None:
    async with mind(robot, talking=True) as one:
        assert one.talking is not None
        with one.bus.subscribe() as events:
            await Beside(robot).say("Say good evening everyone.")
            names = []
            while "TurnEnded" not in names:
                names.append(type(await events.get()).__name__)
        assert "ToolCalled" in names
        await one.talking.say("That was all of it.")  # after whatever else it has to say
        heard = ""
        while "all of it" not in heard:
            tape = wavs.read(await Beside(robot).heard(15), 60)
            heard = (await one.speech.ears().transcribe(tape)).text.lower()
        assert heard.count("good evening") == 1, heard
