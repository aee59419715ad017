from __future__ import annotations

import io
import json
import struct
from pathlib import Path

import httpx
import numpy as np
import pytest
from PIL import Image

from reachy_mind.body import wav
from reachy_mind.body.address import Address
from reachy_mind.errors import InvalidParameter
from reachy_mind.sim.video_file import VideoFile
from tests.fakes.processes import here, here_json


def jpeg(shade: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (64, 36), (shade, 0, 0)).save(file, "JPEG")
    return file.getvalue()


def chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    """The parts of a RIFF, read back as a player would: name, length, content, even."""
    found, at = [], 0
    while at < len(data):
        name, (length,) = data[at : at + 4], struct.unpack_from("<I", data, at + 4)
        found.append((name, data[at + 8 : at + 8 + length]))
        at += 8 + length + length % 2
    return found


def test_an_avi_holds_every_frame_as_it_was_and_an_index_that_finds_them(tmp_path: Path) -> None:
    frames = [jpeg(40 * number) for number in range(5)]
    with VideoFile(tmp_path / "a.avi", 12.5) as film:
        for frame in frames:
            film.add(frame)
    data = (tmp_path / "a.avi").read_bytes()
    ((riff, content),) = chunks(data)
    assert riff == b"RIFF" and content[:4] == b"AVI "
    (header, movie, index) = chunks(content[4:])
    assert movie[1][:4] == b"movi" and [part for _, part in chunks(movie[1][4:])] == frames
    microseconds, *_ = main = struct.unpack_from("<14I", chunks(header[1][4:])[0][1])
    assert microseconds == 80_000 and main[4] == 5 and main[8:10] == (64, 36)
    for number in range(5):
        name, _, at, length = struct.unpack_from("<4sIII", index[1], 16 * number)
        assert name == b"00dc" and movie[1][at + 8 : at + 8 + length] == frames[number]


@pytest.mark.parametrize("ending", ["gif", "webp"])
def test_clips_move_in_their_time(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"a.{ending}"
    with VideoFile(file, 10) as film:
        for shade in (0, 120, 240):
            film.add(jpeg(shade))
    with Image.open(file) as clip:
        assert clip.n_frames == 3  # type: ignore[attr-defined]
        reds = []
        for number in range(3):
            clip.seek(number)
            clip.load()
            assert clip.info["duration"] == 100
            reds.append(clip.convert("RGB").getpixel((30, 20))[0])  # type: ignore[index]
    assert reds == pytest.approx([0, 120, 240], abs=12)


def test_other_endings_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match=r"a\.mp4"):
        VideoFile(tmp_path / "a.mp4", 10)
    assert not list(tmp_path.glob("a.*"))


def test_sim_record_films_a_person_who_walks_by(robot: Address, tmp_path: Path) -> None:
    simulator = httpx.Client(base_url=f"{robot.http}/sim/v1", timeout=60)
    simulator.post("/people", json={"name": "ada", "at": [1.0, 0.8]}).raise_for_status()
    simulator.post("/people/ada/walk", json={"to": [1.0, -0.8], "speed": 1.6}).raise_for_status()
    file = tmp_path / "walk.avi"
    done = here_json("sim", "record", str(file), "--seconds", "0.8", "--fps", "5", "--port", str(robot.port))
    assert done["frames"] == 4 and done["bytes"] == file.stat().st_size
    movie = chunks(chunks(file.read_bytes())[0][1][4:])[1][1]
    frames = [part for _, part in chunks(movie[4:])]
    assert len(set(frames)) == 4 and Image.open(io.BytesIO(frames[0])).size == (640, 360)
    assert simulator.get("/time").json()["paused"] is False, "time runs on"


def test_without_a_simulator_it_says_so(tmp_path: Path) -> None:
    done = here("sim", "record", str(tmp_path / "a.avi"), "--port", "1", "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["error"]["hint"] == "start one: reachy-mind sim"


def test_a_live_recording_has_the_sound_of_the_room_beside_its_pictures(robot: Address, tmp_path: Path) -> None:
    tone = (8000 * np.sin(np.arange(3 * 16000) * 0.2)).astype("<i2").tobytes()
    played = {"direction": 0.3, "distance": 1.0, "loop": True}
    source = f"{robot.http}/sim/v1/audio/sources"
    httpx.post(source, params=played, content=wav.write(tone), timeout=60).raise_for_status()
    file = tmp_path / "live.avi"
    here_json("sim", "record", str(file), "--live", "--seconds", "1.5", "--fps", "4", "--port", str(robot.port))
    httpx.delete(source).raise_for_status()
    (header, movie, _) = chunks(chunks(file.read_bytes())[0][1][4:])
    assert struct.unpack_from("<14I", chunks(header[1][4:])[0][1])[6] == 2, "two streams"
    parts = chunks(movie[1][4:])
    heard = np.frombuffer(b"".join(part for name, part in parts if name == b"01wb"), "<i2")
    pictures = sum(name == b"00dc" for name, _ in parts)
    assert abs(len(heard) / 16000 - pictures / 4) < 0.6, "sound and pictures last as long"
    assert np.abs(heard[len(heard) // 2 :]).max() > 1000, "the tone is heard"
