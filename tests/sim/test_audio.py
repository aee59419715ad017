"""Sound over the network: the simulator's routes and sockets, and our microphone and loudspeaker on them."""

from __future__ import annotations

import asyncio
import io
import json
import math
import socket
import struct
import wave
from collections.abc import AsyncIterator

import httpx
import numpy as np
import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from reachy_mind.body.address import Address
from reachy_mind.body.media.simulated import SimulatedMicrophone, SimulatedSpeaker
from reachy_mind.body.wav import write
from reachy_mind.errors import InvalidParameter, LinkLost, NotReady
from reachy_mind.sim.audio_tap import MAX_BLOCKS, AudioTap
from tests.fakes.processes import Daemon
from tests.waiting import until

RATE = 16000
DRY = {"reverb_s": 0, "noise_db": None, "echo_db": -6, "echo_delay_s": 0.05}


def hiss(seconds: float, seed: int = 1) -> bytes:
    drawn = np.random.default_rng(seed).standard_normal(round(seconds * RATE)) * 3000
    return drawn.astype("<i2").tobytes()


def numbers(pcm: bytes) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.frombuffer(pcm, dtype="<i2").astype(float)


def find(sent: bytes, received: bytes) -> tuple[int, float]:
    """Where `sent` begins in `received`, and how loud it is there compared with what was sent."""
    x, y = numbers(sent), numbers(received)
    size = 2 * max(len(x), len(y))
    matched = np.fft.irfft(np.fft.rfft(y, size) * np.conj(np.fft.rfft(x, size)))[: len(y)]
    top = int(np.argmax(matched))
    return top, float(np.linalg.norm(y[top : top + len(x)]) / np.linalg.norm(x))


@pytest.fixture
async def http(robot: Address) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"{robot.http}", timeout=30) as client:
        (await client.put("/sim/v1/audio/room", json=DRY)).raise_for_status()
        yield client


async def play(http: httpx.AsyncClient, pcm: bytes, **place: object) -> dict[str, object]:
    answer = await http.post("/sim/v1/audio/sources", params=place, content=write(pcm))  # type: ignore[arg-type]
    answer.raise_for_status()
    told: dict[str, object] = answer.json()
    return told


async def record(microphone: SimulatedMicrophone, seconds: float) -> bytes:
    heard = b""
    async for block in microphone:
        heard += block
        if len(heard) >= seconds * RATE * 2:
            break
    return heard


async def doa(http: httpx.AsyncClient) -> dict[str, float]:
    told: dict[str, float] = (await http.get("/api/state/doa")).json()
    return told


async def test_a_voice_from_the_left_is_heard_and_its_direction_reported(
    robot: Address, http: httpx.AsyncClient
) -> None:
    said = hiss(0.5)
    async with SimulatedMicrophone(robot) as microphone:
        assert not any(await record(microphone, 0.1)), "silence"
        told = await play(http, said, direction=math.pi / 2, distance=2.0)
        assert told["y"] == pytest.approx(2.0) and told["distance"] == pytest.approx(2.0)
        heard = await record(microphone, 0.8)
    at, loudness = find(said, heard)
    assert 0 < at < 0.3 * RATE and loudness == pytest.approx(0.5, abs=0.03)
    while not (reading := await doa(http))["speech_detected"]:
        await play(http, said, direction=math.pi / 2, distance=2.0)
    assert set(reading) == {"angle", "speech_detected"} and reading["angle"] < 0.4
    full = (await http.get("/api/state/full", params={"with_doa": True})).json()
    assert full["doa"]["angle"] < 0.4
    assert (await http.get("/api/state/full")).json()["doa"] is None


async def test_sounds_start_when_asked_move_and_can_be_removed(http: httpx.AsyncClient) -> None:
    now = (await http.get("/sim/v1/audio")).json()["time_s"]
    later = await play(http, hiss(1.0), direction=0, distance=1.0, at_s=now + 60)
    looping = await play(http, hiss(0.1), direction=1, distance=1.0, loop=True)
    there = (await http.get("/sim/v1/audio")).json()
    assert [each["id"] for each in there["sources"]] == [later["id"], looping["id"]]
    moved = await http.put(f"/sim/v1/audio/sources/{looping['id']}", json={"direction": -math.pi / 2, "distance": 1.5})
    assert moved.json()["y"] == pytest.approx(-1.5)

    async def turned() -> bool:
        return bool((await doa(http))["angle"] >= 2.7)

    await until(turned)
    assert (await http.delete(f"/sim/v1/audio/sources/{later['id']}")).status_code == 204
    assert (await http.delete("/sim/v1/audio/sources")).status_code == 204
    assert (await http.get("/sim/v1/audio")).json()["sources"] == []
    gone = await http.delete("/sim/v1/audio/sources/sound-99")
    assert gone.status_code == 404 and gone.json()["detail"]["hint"] == "sounds now: none"


@pytest.mark.parametrize(
    ("place", "content", "status"),
    [
        ({"distance": 40}, write(hiss(0.1)), 422),
        ({"distance": 0}, write(hiss(0.1)), 422),
        ({"direction": "nan"}, write(hiss(0.1)), 422),
        ({"colour": "red"}, write(hiss(0.1)), 422),
        ({}, b"ID3 this is no WAV file", 422),
    ],
)
async def test_what_can_not_be_played_is_refused(
    http: httpx.AsyncClient, place: dict[str, str], content: bytes, status: int
) -> None:
    answer = await http.post("/sim/v1/audio/sources", params=place, content=content)
    assert answer.status_code == status and answer.json()["detail"]


async def test_the_robot_hears_its_own_voice_and_knows_how_far_it_got(robot: Address, http: httpx.AsyncClient) -> None:
    said = hiss(0.6)
    async with (
        SimulatedMicrophone(robot) as microphone,
        SimulatedSpeaker(robot) as speaker,
        connect(f"ws://{robot}/sim/v1/audio/speaker/capture", close_timeout=0.5) as capture,
    ):
        began = json.loads(await capture.recv())["sample"]
        recording = asyncio.create_task(record(microphone, 1.2))
        await speaker.write(said)
        await speaker.drained()
        assert speaker.position == len(said) // 2 == speaker.written
        heard = await recording
        played = b""
        while len(played) < 2 * RATE:
            block = await capture.recv()
            assert isinstance(block, bytes)
            played += block
    out, full = find(said, played)
    echo, loudness = find(said, heard)
    first = microphone.position - len(heard) // 2
    assert full == pytest.approx(1.0, abs=0.01)
    assert loudness == pytest.approx(10 ** (-6 / 20), abs=0.03)
    way = (0.27 - 0.09) / 343
    assert (first + echo) - (began + out) == pytest.approx((0.05 + way) * RATE, abs=1.5)


async def test_writing_is_paced_and_flush_is_silence(robot: Address, http: httpx.AsyncClient) -> None:
    async with SimulatedSpeaker(robot) as speaker:
        writing = asyncio.create_task(speaker.write(hiss(8.0)))
        await until(lambda: speaker.position >= 0.2 * RATE)
        assert not writing.done() and speaker.written < 3 * RATE
        writing.cancel()
        dropped = await speaker.flush()
        assert dropped > 0 and speaker.position == speaker.written
        await speaker.drained()
        stopped_at = speaker.position
        await speaker.write(hiss(0.1))
        await speaker.drained()
        assert speaker.position == stopped_at + 0.1 * RATE
        with pytest.raises(InvalidParameter, match="whole number"):
            await speaker.write(b"odd")


async def test_volume_changes_what_is_heard(robot: Address, http: httpx.AsyncClient) -> None:
    assert (await http.put("/sim/v1/audio/speaker", json={"volume": 101})).status_code == 422
    assert (await http.put("/sim/v1/audio/speaker", json={"volume": 25})).json()["volume"] == 25
    said = hiss(0.4)
    async with SimulatedMicrophone(robot) as microphone, SimulatedSpeaker(robot) as speaker:
        recording = asyncio.create_task(record(microphone, 0.9))
        await speaker.write(said)
        await speaker.drained()
        _, loudness = find(said, await recording)
    assert loudness == pytest.approx(0.25 * 10 ** (-6 / 20), abs=0.02)


async def test_two_programs_that_play_are_both_heard_and_one_that_goes_falls_silent(
    robot: Address, http: httpx.AsyncClient
) -> None:
    async with SimulatedSpeaker(robot) as one:
        async with SimulatedSpeaker(robot) as other:
            await one.write(hiss(0.5, seed=1))
            await other.write(hiss(0.9, seed=2))
            await one.drained()

        async def played() -> bool:
            return not (await http.get("/sim/v1/audio")).json()["speaker"]["queued"]

        await until(played)
        assert one.position == 0.5 * RATE


async def test_a_stream_into_the_room(robot: Address, http: httpx.AsyncClient) -> None:
    said = hiss(1.5)
    async with SimulatedMicrophone(robot) as microphone:
        recording = asyncio.create_task(record(microphone, 2.5))
        async with connect(f"ws://{robot}/sim/v1/audio/stream?direction=-1.57&distance=2&gain_db=6") as stream:
            told = json.loads(await stream.recv())
            assert told["kind"] == "stream" and told["y"] == pytest.approx(-2, abs=0.01)
            await stream.send(b"odd")
            assert json.loads(await stream.recv())["code"] == "INVALID_PARAMETER"
            for begin in range(0, len(said), 3200):
                await stream.send(said[begin : begin + 3200])
        _, loudness = find(said, await recording)
    assert loudness == pytest.approx(1.0, abs=0.05), "2 m and 6 dB; heard to its end although the sender went"
    assert (await doa(http))["angle"] > 2.7


async def test_a_stream_whose_place_is_no_place_is_told_so(robot: Address, http: httpx.AsyncClient) -> None:
    async with connect(f"ws://{robot}/sim/v1/audio/stream?distance=30") as stream:
        assert "outside the room" in json.loads(await stream.recv())["message"]
    async with connect(f"ws://{robot}/sim/v1/audio/stream?distance=1") as stream:
        name = json.loads(await stream.recv())["id"]
        await http.delete(f"/sim/v1/audio/sources/{name}")
        await stream.send(hiss(0.1))
        assert json.loads(await stream.recv())["code"] == "NOT_READY"


async def test_recordings_of_the_last_seconds(robot: Address, http: httpx.AsyncClient) -> None:
    said = hiss(0.3)
    async with SimulatedSpeaker(robot) as speaker:
        await speaker.write(said)
        await speaker.drained()
    for name, loudness in (("speaker", 1.0), ("microphone", 10 ** (-6 / 20))):
        found = 0.0
        while found == 0.0:  # the echo is on its way for 50 ms more
            answer = await http.get(f"/sim/v1/audio/{name}.wav", params={"seconds": 2})
            with wave.open(io.BytesIO(answer.content)) as file:
                assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2)
                heard = file.readframes(file.getnframes())
            at, level = find(said, heard)
            found = level if at + len(said) // 2 <= len(heard) // 2 else 0.0
        assert found == pytest.approx(loudness, abs=0.03)
        assert int(answer.headers["X-First-Sample"]) >= 0
    assert (await http.get("/sim/v1/audio/microphone.wav", params={"seconds": 1e6})).status_code == 422


def deaf_client(robot: Address, path: str) -> socket.socket:
    """A program that opens a socket, reads the handshake and then nothing more, with little room for what comes."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.connect((robot.host, robot.port))
    line.sendall(
        f"GET {path} HTTP/1.1\r\nHost: {robot}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    assert b"101" in line.recv(64)
    return line


async def test_those_that_do_not_read_or_vanish_harm_nobody(robot: Address, http: httpx.AsyncClient) -> None:
    deaf = [deaf_client(robot, f"/sim/v1/audio/{path}") for path in ("microphone", "speaker/capture", "speaker")]
    vanishing = [deaf_client(robot, f"/sim/v1/audio/{path}") for path in ("microphone", "speaker", "stream")]
    for line in vanishing:  # a reset, as when a program is killed or a cable pulled
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        line.close()
    said = hiss(0.5)
    async with SimulatedMicrophone(robot) as microphone:
        recording = asyncio.create_task(record(microphone, 3.0))
        await play(http, said, distance=1.0)
        heard = await recording
        assert find(said, heard)[1] == pytest.approx(1.0, abs=0.05)
        assert microphone.lost == 0 and len(heard) == 3 * RATE * 2

    async def lost() -> bool:
        return bool((await http.get("/sim/v1/audio")).json()["lost"])

    async def alone() -> bool:
        return not (await http.get("/sim/v1/audio")).json()["listeners"]

    await until(lost)
    for line in deaf:
        line.close()
    await until(alone)


async def test_a_late_reader_loses_the_oldest_and_is_told_how_much() -> None:
    tap = AudioTap()
    with tap.subscribe() as late, tap.subscribe() as prompt:
        for number in range(MAX_BLOCKS + 30):
            tap.offer(struct.pack("<i", number))
            assert await prompt.take() == (0, struct.pack("<i", number))
        assert tap.lost == 30 * 2
        assert await late.take() == (30 * 2, struct.pack("<i", 30))
        assert await late.take() == (0, struct.pack("<i", 31))
    assert len(tap) == 0


async def test_the_microphone_counts_what_was_lost() -> None:
    """Against the protocol as docs/simulator.md has it."""

    async def talk(line: ServerConnection) -> None:
        await line.send('{"type":"start","rate":16000,"channels":1,"bits":16,"sample":1000}')
        await line.send(bytes(640))
        await line.send('{"type":"lost","samples":960}')
        await line.send(bytes(640))

    async with serve(talk, "127.0.0.1", 0) as server:
        address = Address("127.0.0.1", next(iter(server.sockets)).getsockname()[1])
        async with SimulatedMicrophone(address) as microphone:
            assert len(await record(microphone, 0.04)) == 1280
            assert microphone.lost == 960 and microphone.position == 1000 + 320 + 960 + 320


async def test_reset_is_silence_and_the_first_room_again(robot: Address, http: httpx.AsyncClient) -> None:
    await play(http, hiss(0.2), loop=True)
    await http.post("/sim/v1/reset")
    told = (await http.get("/sim/v1/audio")).json()
    assert told["sources"] == [] and told["room"]["reverb_s"] == 0.35 and told["room"]["noise_db"] == -60


async def test_a_simulator_that_goes_is_noticed(
    description: object, compiled: object, robot: Address, http: httpx.AsyncClient
) -> None:
    with Daemon(description, compiled) as short:  # type: ignore[arg-type]
        async with SimulatedMicrophone(short.address) as microphone, SimulatedSpeaker(short.address) as speaker:
            await record(microphone, 0.1)
            await speaker.write(hiss(0.5))
            short.kill()
            with pytest.raises(LinkLost, match="microphone"):
                await record(microphone, 60)
            with pytest.raises(LinkLost, match="loudspeaker"):
                await speaker.drained()
        with pytest.raises(LinkLost, match="does not answer"):
            await SimulatedMicrophone(short.address).__aenter__()
    with pytest.raises(NotReady, match="not open"):
        await record(SimulatedMicrophone(robot), 1)
