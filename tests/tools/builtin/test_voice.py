"""Speaking and hearing as tools, on the simulated robot, with real ears and a real voice.

All of them share one mind, which has no conversation open at first, and then has: they stand in that order.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from reachy_mind.body import wav
from reachy_mind.body.address import Address
from reachy_mind.config.configuration import load
from reachy_mind.events import TurnEnded, TurnStarted
from reachy_mind.mind import Mind
from tests.conftest import MODELS
from tests.fakes.people import Beside
from tests.fakes.processes import Daemon
from tests.tools.builtin.robot import done, refused, toolbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]


@contextlib.asynccontextmanager
async def mind(robot: Address | None, home: Path, **settings: str) -> AsyncIterator[Mind]:
    flags = {"robot.address": str(robot or "none"), "robot.idle": False, "speech.voice": "flite"}
    flags["mind.brain"] = "reflex"
    environ = {"REACHY_MIND_HOME": str(home), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    flags |= {f"speech.{name}": value for name, value in settings.items()}
    async with Mind(load(flags=flags, environ=environ, folder=home)).session() as one:
        yield one


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def one(daemon: Daemon, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Mind]:
    async with mind(daemon.address, tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def aloud(one: Mind) -> Mind:
    """The same, in conversation with whoever is there."""
    one.speech.start()
    await one.speech.opened()
    assert one.speech.talking is not None, one.speech.trouble
    await one.speech.talking.switch(on=True)
    return one


@pytest.fixture
def person(daemon: Daemon) -> Beside:
    httpx.delete(f"{daemon.url}/sim/v1/audio/sources").raise_for_status()
    return Beside(daemon.address)


async def spoken_to_its_end(one: Mind, person: Beside) -> None:
    told = await done(one.toolbox, "speak", text="Good morning, everybody.")
    assert told == {
        "message": 'I said "Good morning, everybody".',
        "spoken": "Good morning, everybody.",
        "interrupted": False,
    }
    heard = await one.speech.ears().transcribe(wav.read_pcm(await person.heard(6), 60))
    assert "good morning" in heard.text.lower()
    slow = await done(one.toolbox, "speak", text="See you later.", voice="rms", speed=0.7)
    assert not slow["interrupted"]


async def told_and_no_turn(one: Mind, person: Beside) -> None:
    before = await one.conversations.listed(limit=1, offset=0)
    await person.say("What is the weather in Lisbon tomorrow?", loop=True)
    told = await done(one.toolbox, "listen", duration_seconds=6)
    await person.silence()
    assert "what is the weather" in told["text"].lower() and told["text"][:20] in told["message"]  # flite slurs Lisbon
    assert await one.conversations.listed(limit=1, offset=0) == before


async def test_it_turns_to_who_speaks_and_stays_where_nobody_does(one: Mind, person: Beside) -> None:
    assert await done(one.toolbox, "look_at_sound", timeout_ms=200) == {
        "message": "I hear nobody to look at.",
        "found": False,
    }
    await person.say("Over here, please, on your left side.", direction=math.radians(50), loop=True)
    told = await done(one.toolbox, "look_at_sound", timeout_ms=10000)
    assert told["found"] and told["heard_at"] == pytest.approx(50, abs=15)
    assert told["final_position"]["yaw"] == pytest.approx(told["heard_at"], abs=6)
    sensors = await done(one.toolbox, "get_sensor_data", sensors=["sound_direction"])
    assert abs(sensors["sound_direction"]["degrees_left_of_the_head"]) < 25, "it faces them now"


async def test_what_is_spoken_is_heard_to_its_end(one: Mind, person: Beside) -> None:
    await spoken_to_its_end(one, person)


async def test_what_is_said_meanwhile_is_told(one: Mind, person: Beside) -> None:
    await told_and_no_turn(one, person)
    assert await person.listeners() == 0, "it listens only so long"


async def test_how_loud_it_is_is_read_back_from_the_robot(one: Mind, daemon: Daemon) -> None:
    assert (await done(one.toolbox, "set_volume", volume=30))["volume"] == 30
    async with httpx.AsyncClient() as http:
        assert (await http.get(f"{daemon.url}/api/volume/current")).json()["volume"] == 30
        await http.post(f"{daemon.url}/api/volume/set", json={"volume": 100})


async def test_without_a_voice_or_ears_it_says_why(tmp_path: Path) -> None:
    async with mind(None, tmp_path, ears="none", voice="none") as one:
        assert (await refused(one.toolbox, "speak", text="hello"))[0] == "NOT_READY"
        code, hint = await refused(one.toolbox, "listen")
        assert code == "NOT_READY" and "speech.ears" in hint
        assert (await refused(one.toolbox, "set_microphone", enabled=True))[0] == "NOT_READY"


async def test_without_a_mind_there_is_no_voice(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        for name, args in (("speak", {"text": "hello"}), ("listen", {}), ("set_microphone", {"enabled": False})):
            assert (await refused(box, name, **args))[0] == "NOT_READY"


async def test_in_a_conversation_what_is_spoken_is_heard_to_its_end(aloud: Mind, person: Beside) -> None:
    await spoken_to_its_end(aloud, person)


async def test_who_asked_aloud_to_hear_something_hears_it_once(aloud: Mind, person: Beside) -> None:
    assert aloud.speech.talking is not None
    with aloud.bus.subscribe() as events:
        await person.say("Say good evening everyone.")
        names = []
        while "TurnEnded" not in names:
            names.append(type(await events.get()).__name__)
    assert "ToolCalled" in names
    await aloud.speech.talking.say("That was all of it.")  # after whatever else it has to say
    heard = ""
    while "all of it" not in heard:
        tape = wav.read_pcm(await person.heard(15), 60)
        heard = (await aloud.speech.ears().transcribe(tape)).text.lower()
    assert heard.count("good evening") == 1, heard


async def test_a_turn_tells_where_its_voice_came_from(aloud: Mind, person: Beside) -> None:
    await aloud.act("wake_up")
    for degrees in (40, -35):
        await done(aloud.toolbox, "speak", text="I listen to whoever is next.")  # one who follows at once goes on
        with aloud.bus.subscribe(TurnStarted, TurnEnded) as events:
            await person.say("Please tell me what time it is now.", direction=math.radians(degrees))
            started = await events.get()
            assert isinstance(started, TurnStarted) and started.direction is not None
            assert math.degrees(started.direction) == pytest.approx(degrees, abs=12)
            assert isinstance(await events.get(), TurnEnded)


async def test_in_a_conversation_what_is_said_meanwhile_is_told_and_is_no_turn(aloud: Mind, person: Beside) -> None:
    await told_and_no_turn(aloud, person)
