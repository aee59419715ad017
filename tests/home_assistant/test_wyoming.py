"""The Wyoming services, with the client of the `wyoming` package, as Home Assistant uses it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop, wav_to_chunks
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.event import Event
from wyoming.handle import Handled, NotHandled
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.pipeline import RunPipeline
from wyoming.satellite import PauseSatellite, RunSatellite
from wyoming.snd import Played
from wyoming.tts import Synthesize, SynthesizeVoice
from wyoming.wake import Detect

from reachy_mind.body.address import Address
from reachy_mind.config.configuration import load
from reachy_mind.errors import ConfigError, PortTaken
from reachy_mind.home_assistant.wyoming_server import WyomingServer, may_connect, networks
from reachy_mind.mind import Mind
from tests.conftest import MODELS
from tests.fakes.people import Beside, said, stereo

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]

FLAGS: dict[str, Any] = {
    "mind.brain": "reflex",
    "robot.address": "none",
    "robot.idle": False,
    "speech.voice": "flite",
    "speech.wake": "push",
    "home_assistant.name": "Reachy",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mind(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Mind]:
    home = tmp_path_factory.mktemp("home")
    environ = {"REACHY_MIND_HOME": str(home), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    async with Mind(load(flags=FLAGS, environ=environ, folder=home)).session() as one:
        yield one


@pytest_asyncio.fixture(loop_scope="module")
async def server(mind: Mind) -> AsyncIterator[WyomingServer]:
    async with WyomingServer(mind, "127.0.0.1", 0) as one:
        yield one


@contextlib.asynccontextmanager
async def connected(server: WyomingServer) -> AsyncIterator[AsyncTcpClient]:
    async with AsyncTcpClient("127.0.0.1", server.port) as client:
        yield client


async def until(client: AsyncTcpClient, *kinds: Any) -> Event:
    """The next event of one of these types."""
    async with asyncio.timeout(30):
        while (event := await client.read_event()) is not None:
            if any(kind.is_type(event.type) for kind in kinds):
                return event
    raise AssertionError("the connection ended")


async def send_sound(client: AsyncTcpClient, pcm: bytes) -> None:
    await client.write_event(AudioStart(16000, 2, 1).event())
    for at in range(0, len(pcm), 2048):
        await client.write_event(AudioChunk(16000, 2, 1, pcm[at : at + 2048]).event())
    await client.write_event(AudioStop().event())


async def test_it_describes_itself(server: WyomingServer) -> None:
    async with connected(server) as client:
        await client.write_event(Ping(text="hello").event())
        assert Pong.from_event(await until(client, Pong)).text == "hello"
        await client.write_event(Describe().event())
        info = Info.from_event(await until(client, Info))
        assert info.asr[0].models[0].languages == ["en"] and info.tts[0].voices[0].name == "slt"
        assert info.handle[0].name == "reachy-mind" and info.satellite is None


async def test_what_it_speaks_it_understands(server: WyomingServer) -> None:
    text = "What is the weather in Lisbon tomorrow?"
    async with connected(server) as client:
        await client.write_event(Synthesize(text=text, voice=SynthesizeVoice(name="rms")).event())
        await until(client, AudioStart)
        sound = bytearray()
        while AudioChunk.is_type((event := await until(client, AudioChunk, AudioStop)).type):
            sound += AudioChunk.from_event(event).audio
        for _ in range(2):  # a connection can be used again
            await client.write_event(Transcribe(language="en-US").event())
            await send_sound(client, bytes(sound))
            assert "weather in Lisbon" in Transcript.from_event(await until(client, Transcript)).text


async def test_sound_of_another_form_is_understood(server: WyomingServer) -> None:
    import io
    import wave

    import numpy as np
    import soxr

    pcm = np.frombuffer(await said("What is the weather in Lisbon tomorrow?"), "<i2")
    with wave.open(io.BytesIO(stereo(soxr.resample(pcm, 16000, 44100).tobytes(), 44100))) as file:
        chunks = list(wav_to_chunks(file, 1024, start_event=True, stop_event=True))
    async with connected(server) as client:
        await client.write_event(Transcribe().event())
        for chunk in chunks:
            await client.write_event(chunk.event())
        assert "weather in Lisbon" in Transcript.from_event(await until(client, Transcript)).text


async def test_the_mind_answers_what_home_assistant_heard(server: WyomingServer) -> None:
    async with connected(server) as client:
        for said_, told in (("What is seven times eight?", "56"), ("What is six times nine?", "54")):
            context = {"conversation_id": "kitchen"}
            await client.write_event(Transcript(text=said_, context=context).event())
            handled = Handled.from_event(await until(client, Handled))
            assert told in (handled.text or "") and handled.context == context
        await client.write_event(Transcript(text="flurb the grommet with vim").event())
        await until(client, Handled, NotHandled)
        await client.write_event(Transcript(text=" ").event())
        assert "nothing was said" in (NotHandled.from_event(await until(client, NotHandled)).text or "")


async def test_a_peer_may_talk_and_no_more(server: WyomingServer, mind: Mind) -> None:
    async with connected(server) as client:
        await client.write_event(Transcript(text="Set a timer for ten minutes").event())
        assert "can't set a timer" in (await until(client, Handled, NotHandled)).data["text"]
    assert not (await mind.act("time.list_timers"))["timers"]


@pytest.mark.parametrize(
    "sent",
    [
        b"hello\n",
        b"[]\n",
        b'{"type": 5}\n',
        b'{"type": "describe", "data_length": -1}\n',
        b'{"type": "describe", "payload_length": 99999999999}\n',
        b'{"data": {}}\n',
        b"x" * (70 << 10) + b"\n",
        b"[" * 5000 + b"\n",
    ],
)
async def test_what_is_no_event_ends_the_connection_with_a_reason(server: WyomingServer, sent: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(sent)
    async with asyncio.timeout(10):
        assert json.loads(await reader.readline())["type"] == "error"
        assert await reader.read() is not None
    writer.close()
    async with connected(server) as client:
        await client.write_event(Describe().event())
        await until(client, Info)


async def test_what_can_not_be_done_is_told_and_the_connection_goes_on(server: WyomingServer) -> None:
    async with connected(server) as client:
        for event, about in (
            (RunSatellite().event(), "no satellite"),
            (Synthesize(text="").event(), "nothing to say"),
            (Event("audio-chunk", {"rate": 16000}, b"ab"), "audio-chunk"),
            (AudioChunk(16000, 4, 1, bytes(8)).event(), "16 bits"),
            (Detect(names=["okay_nabu"]).event(), "wake words"),
        ):
            await client.write_event(event)
            assert about in Error.from_event(await until(client, Error)).text
        await client.write_event(Describe().event())
        await until(client, Info)


async def test_a_port_that_is_taken_and_peers_that_are_none(mind: Mind, server: WyomingServer) -> None:
    with pytest.raises(PortTaken):
        async with WyomingServer(mind, "127.0.0.1", server.port):
            pass
    with pytest.raises(ConfigError, match="wyoming_peers"):
        WyomingServer(mind, "127.0.0.1", 0, ["kitchen"])
    allowed = networks(["192.168.1.0/24", "10.0.0.7"])
    for address, may in (
        *(("127.0.0.1", True), ("192.168.1.9", True), ("10.0.0.7", True)),
        *(("192.168.2.9", False), ("10.0.0.8", False), ("", False), ("::1", True)),
    ):
        assert may_connect(address, allowed) is may, address


async def test_the_robot_is_a_satellite(robot: Address, tmp_path: Any) -> None:
    flags = FLAGS | {"robot.address": str(robot), "home_assistant.satellite": "stream"}
    environ = {"REACHY_MIND_HOME": str(tmp_path / "home"), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    async with (
        Mind(load(flags=flags, environ=environ, folder=tmp_path)).session() as mind,
        WyomingServer(mind, "127.0.0.1", 0, name="Reachy") as server,
        connected(server) as client,
    ):
        await client.write_event(Describe().event())
        satellite = Info.from_event(await until(client, Info)).satellite
        assert satellite is not None and satellite.name == "Reachy"
        await client.write_event(RunSatellite().event())
        pipeline = RunPipeline.from_event(await until(client, RunPipeline))
        assert (pipeline.start_stage.value, pipeline.end_stage.value) == ("wake", "tts")
        await Beside(robot).say("Okay Nabu, turn on the light.", loop=True)
        heard = bytearray()
        while not any(heard):
            heard += AudioChunk.from_event(await until(client, AudioChunk)).audio
        await Beside(robot).silence()
        await client.write_event(Transcript(text="turn on the light").event())
        await until(client, AudioStop)
        await send_sound(client, await said("Done."))
        await until(client, Played)
        await client.write_event(PauseSatellite().event())
        await client.write_event(Ping().event())
        await until(client, Pong)
