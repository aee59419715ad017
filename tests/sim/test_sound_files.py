"""Sounds that clients give the daemon: uploaded, beside a move, at a volume; and voices of people who walk."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import json
import math
import wave
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
from websockets.sync.client import ClientConnection, connect

from reachy_mind.body.address import Address
from reachy_mind.body.daemon import DaemonClient as Robot
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.body.wav import write
from reachy_mind.errors import HardwareError
from tests.fakes.processes import Daemon
from tests.sim.test_recordings import keep, text
from tests.sim.test_vendor_clients import receive, send

RATE = 16000
LONG = text((0.0, AWAKE), (30.0, Pose(yaw=0.4)))


def tone(hertz: float, seconds: float = 0.5) -> bytes:
    t = np.arange(round(seconds * RATE)) / RATE
    return write((8000 * np.sin(math.tau * hertz * t)).astype("<i2").tobytes())


@pytest.fixture(scope="module")
def daemon(description: Path, compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One with a move on its machine that has a sound beside it."""
    hub = tmp_path_factory.mktemp("hub")
    file = keep(hub, "org/moves", "long", LONG)
    file.with_suffix(".wav").write_bytes(tone(700, 30))
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("HF_HUB_CACHE", str(hub))
        with Daemon(description, compiled) as running:
            yield running


@pytest.fixture
def http(robot: Address) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=robot.http, timeout=60) as client:
        room = {"reverb_s": 0, "noise_db": None, "echo_db": 0}
        client.put("/sim/v1/audio/room", json=room).raise_for_status()
        yield client


def heard(http: httpx.Client, what: str = "speaker") -> tuple[float, float]:
    """The pitch (in hertz) and the loudness of the last 0.2 seconds."""
    with wave.open(io.BytesIO(http.get(f"/sim/v1/audio/{what}.wav", params={"seconds": 0.2}).content)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2").astype(float)
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.argmax(spectrum) * RATE / len(samples)), float(np.sqrt(np.mean(samples**2)))


def until_pitch(http: httpx.Client, hertz: float) -> None:
    """The test's own time limit ends a wait for what is never heard."""
    while abs(heard(http)[0] - hertz) > 15 or heard(http)[1] < 100:
        pass


def until_silent(http: httpx.Client) -> None:
    while heard(http)[1] > 0:
        pass


def upload(http: httpx.Client, name: str, content: bytes) -> httpx.Response:
    return http.post("/api/media/sounds/upload", files={"file": (name, content)})


def test_an_uploaded_sound_is_played_stopped_and_forgotten(http: httpx.Client) -> None:
    assert http.get("/api/media/sounds").json() == {"files": []}
    assert upload(http, "../low.wav", tone(400, 30)).json() == {"status": "ok", "path": "low.wav"}
    upload(http, "high.wav", tone(1000, 30)).raise_for_status()
    assert http.get("/api/media/sounds").json() == {"files": ["high.wav", "low.wav"]}
    http.post("/api/media/play_sound", json={"file": "low.wav"}).raise_for_status()
    until_pitch(http, 400)
    http.post("/api/media/play_sound", json={"file": "high.wav"}).raise_for_status()
    until_pitch(http, 1000)  # one at a time
    http.post("/api/media/stop_sound").raise_for_status()
    until_silent(http)
    http.delete("/api/media/sounds/low.wav").raise_for_status()
    assert http.delete("/api/media/sounds/low.wav").status_code == 404
    missing = http.post("/api/media/play_sound", json={"file": "low.wav"})
    assert missing.status_code == 404 and "uploaded: high.wav" in missing.json()["detail"]


@pytest.mark.parametrize(("name", "content"), [("x.mp3", tone(400)), ("x.wav", b"RIFF"), ("..", b""), (".wav", b"")])
def test_what_is_no_sound_is_not_kept(http: httpx.Client, name: str, content: bytes) -> None:
    assert upload(http, name, content).status_code in (400, 422)
    assert "x.wav" not in http.get("/api/media/sounds").json()["files"]


def test_volumes_change_what_is_played_and_heard(http: httpx.Client) -> None:
    upload(http, "long.wav", tone(500, 60)).raise_for_status()
    http.post("/api/media/play_sound", json={"file": "long.wav"}).raise_for_status()
    full = 8000 / math.sqrt(2)
    while heard(http)[1] < 0.99 * full:  # it has begun, and fills all of what is measured
        pass
    http.post("/api/volume/set", json={"volume": 25}).raise_for_status()
    while heard(http)[1] > 0.26 * full:
        pass
    assert heard(http)[1] == pytest.approx(full / 4, rel=0.05)
    loud = heard(http, "microphone")[1]
    while (now := heard(http, "microphone")[1]) > 0.3 * full:  # it hears a little later
        loud = now
    http.post("/api/volume/microphone/set", json={"volume": 50}).raise_for_status()
    while heard(http, "microphone")[1] > 0.6 * loud:
        pass
    assert heard(http)[1] == pytest.approx(full / 4, rel=0.05), "the loudspeaker is as loud as before"
    assert http.get("/sim/v1/audio").json()["speaker"]["volume"] == 25


def test_the_test_sound_is_a_sound(http: httpx.Client) -> None:
    assert http.post("/api/volume/test-sound").json()["status"] == "ok"
    until_pitch(http, 660)
    until_pitch(http, 880)
    until_silent(http)


def test_the_sound_beside_a_recorded_move_ends_with_it(http: httpx.Client) -> None:
    http.post("/api/motors/set_mode/enabled").raise_for_status()
    move = http.post("/api/move/play/recorded-move-dataset/org/moves/long").raise_for_status().json()
    until_pitch(http, 700)
    http.post("/api/move/stop", json=move).raise_for_status()
    until_silent(http)


def send_audio(socket: ClientConnection, upload_id: str, content: bytes) -> None:
    whole = base64.b64encode(content).decode()
    pieces = [whole[start : start + 16000] for start in range(0, len(whole), 16000)]
    send(socket, "upload_audio_start", upload_id=upload_id, total_chunks=len(pieces))
    for index, piece in enumerate(pieces):
        send(socket, "upload_audio_chunk", upload_id=upload_id, chunk_index=index, chunk=piece)
    send(socket, "upload_audio_finish", upload_id=upload_id)


def test_a_sound_and_a_move_that_were_uploaded_together(http: httpx.Client, robot: Address) -> None:
    http.post("/api/motors/set_mode/enabled").raise_for_status()
    with connect(f"ws://{robot}/ws/sdk") as socket:
        send_audio(socket, "x", tone(900, 30))
        send(socket, "play_uploaded_audio", upload_id="x")
        assert receive(socket, "play_uploaded_audio") == {
            "type": "play_uploaded_audio",
            "upload_id": "x",
            "started": True,
        }
        until_pitch(http, 900)
        send(socket, "cancel_audio", upload_id="another")
        send(socket, "cancel_audio", upload_id="x")
        until_silent(http)
        send(socket, "upload_move_start", upload_id="x", total_chunks=1)
        send(socket, "upload_move_chunk", upload_id="x", chunk_index=0, chunk=LONG)
        send(socket, "upload_move_finish", upload_id="x")
        send(socket, "play_uploaded_move", upload_id="x")
        assert receive(socket, "play_uploaded_move")["has_audio"] is True
        until_pitch(http, 900)
        send(socket, "cancel_move", upload_id="x")
        assert receive(socket, "play_uploaded_move")["cancelled"] is True
        until_silent(http)


@pytest.mark.parametrize(
    ("encoding", "content"), [("mp3-base64", "AAAA"), ("wav-base64", "AAAA"), ("wav-base64", "not base64!")]
)
def test_an_upload_that_is_no_sound_is_refused(robot: Address, encoding: str, content: str) -> None:
    with connect(f"ws://{robot}/ws/sdk") as socket:
        send(socket, "upload_audio_start", upload_id="y", total_chunks=1, encoding=encoding)
        send(socket, "upload_audio_chunk", upload_id="y", chunk_index=0, chunk=content)
        send(socket, "upload_audio_finish", upload_id="y")
        assert receive(socket, "error")["code"] == "INVALID_PARAMETER"
        send(socket, "play_uploaded_audio", upload_id="y")
        assert receive(socket, "error")["code"] == "NOT_READY"
        send(socket, "play_sound", file="/etc/passwd")
        assert "uploaded" in receive(socket, "error")["message"]


def test_our_body_plays_a_sound_on_it_unless_its_media_were_released(
    http: httpx.Client, robot: Address, tmp_path: Path
) -> None:
    file = tmp_path / "hello.wav"
    file.write_bytes(tone(800, 30))

    async def body(stop: bool = False) -> None:
        async with contextlib.aclosing(Robot(robot, app_name="test")) as daemon:
            await (daemon.stop_sound() if stop else daemon.play_sound(file))

    asyncio.run(body())
    until_pitch(http, 800)
    asyncio.run(body(stop=True))
    until_silent(http)
    http.post("/api/media/release").raise_for_status()
    try:
        with pytest.raises(HardwareError, match="no media"):
            asyncio.run(body())
        assert http.post("/api/media/play_sound", json={"file": "hello.wav"}).status_code == 503
    finally:
        http.post("/api/media/acquire").raise_for_status()


def direction(http: httpx.Client) -> float:
    return float(http.get("/api/state/doa").json()["angle"])


def test_the_voice_of_a_person_comes_from_where_they_walk(http: httpx.Client) -> None:
    http.post("/sim/v1/people", json={"name": "ada", "at": [0.1, 1.5]}).raise_for_status()
    said = {"person": "ada", "loop": True}
    source = http.post("/sim/v1/audio/sources", params=said, content=tone(600, 5)).raise_for_status().json()
    assert source["y"] == pytest.approx(1.5)
    while direction(http) > 0.5:  # 0 is left
        pass
    http.post("/sim/v1/people/ada/walk", json={"to": [0.1, -1.5], "speed": 5}).raise_for_status()
    while direction(http) < 2.6:  # pi is right
        pass
    http.delete("/sim/v1/people/ada").raise_for_status()
    while http.get("/sim/v1/audio").json()["sources"]:
        pass
    gone = http.post("/sim/v1/audio/sources", params=said, content=tone(600))
    assert gone.status_code == 422 and "ada" in json.dumps(gone.json())
