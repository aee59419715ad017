"""Recorded moves as files: round trips, and invalid files refused with the reason."""

from __future__ import annotations

import io
import json
import math
import os
import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.body.pose import ASLEEP, AWAKE, Pose
from reachy_mind.errors import InvalidParameter, MindError, MoveInvalid
from reachy_mind.motion import move_format
from reachy_mind.motion.clips import Clip, checked_name, read, write
from reachy_mind.motion.moves import Frames


def target(pose: Pose, **changes: Any) -> dict[str, Any]:
    """One frame of the format, as the vendor writes it."""
    rows = np.array(pose.head_matrix()).reshape(4, 4).tolist()
    frame = {"head": rows, "antennas": list(pose.antennas), "body_yaw": pose.body_yaw, "check_collision": False}
    return frame | changes


def document(*poses: Pose, time: list[Any] | None = None, **changes: Any) -> dict[str, Any]:
    times = [i / 100 for i in range(len(poses))] if time is None else time
    return {"description": "a test", "time": times, "set_target_data": [target(pose) for pose in poses]} | changes


@pytest.fixture
def keep(tmp_path: Path) -> Callable[[object], Path]:
    """Puts text, bytes or a document into a file."""

    def put(content: object, name: str = "move.json") -> Path:
        file = tmp_path / name
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return file

    return put


def glide(count: int = 50) -> Frames:
    start = Pose(0.01, -0.01, 0.005, 0.1, -0.2, 0.5, 0.3, 0.4, -0.6)
    return Frames([AWAKE.blend(start, i / (count - 1)).as_tuple for i in range(count)])


# Reading and writing

STEP = st.tuples(
    *[st.floats(-0.001, 0.001)] * 3,
    *[st.floats(-0.05, 0.05)] * 2,
    *[st.floats(-0.01, 0.01)] * 2,
    *[st.floats(-1, 1)] * 2,
)


@given(st.lists(STEP, min_size=2, max_size=40), st.floats(-2.7, 2.7), st.text(max_size=30))
@settings(deadline=None)
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[float, ...]], body_yaw: float, description: str
) -> None:
    """Any move whose antennas stay within half a turn, wherever the body faces."""
    poses = np.array(replace(AWAKE, yaw=body_yaw, body_yaw=body_yaw).as_tuple) + np.cumsum(steps, axis=0)
    poses[:, 7:] = np.clip(poses[:, 7:], -math.pi / 2, math.pi / 2)
    file = tmp_path_factory.mktemp("moves") / "move.json"
    write(Clip("move", Frames([tuple(row) for row in poses.tolist()]), description), file)
    again = read(file)
    assert again.name == "move" and again.duration == pytest.approx((len(steps) - 1) / 100)
    assert np.array(again.frames.frames) == pytest.approx(poses, abs=1e-6)
    write(again, file, overwrite=True)
    assert read(file).description == again.description


def test_the_written_file_is_what_the_vendor_describes(tmp_path: Path) -> None:
    write(Clip("wave", glide(), "hello"), tmp_path / "wave.json")
    content = json.loads((tmp_path / "wave.json").read_text())
    assert content["description"] == "hello"
    assert content["time"][:3] == [0.0, 0.01, 0.02] and len(content["time"]) == len(content["set_target_data"]) == 50
    last = content["set_target_data"][-1]
    assert np.array(last["head"]).shape == (4, 4)
    assert last["antennas"] == pytest.approx([-0.6, 0.4]) and last["body_yaw"] == pytest.approx(0.3)
    assert [entry.name for entry in tmp_path.iterdir() if entry.is_file()] == ["wave.json"]


def test_flat_heads_whole_numbers_and_a_missing_body_yaw_are_read(keep: Callable[[object], Path]) -> None:
    frame = {"head": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], "antennas": [-1, 1]}
    clip = read(keep({"time": [0, 1], "set_target_data": [frame, frame]}))
    assert clip.duration == 1.0 and clip.description == ""
    assert clip.frames.evaluate(0.5) == Pose(antenna_left=1.0, antenna_right=-1.0)


def test_uneven_times_become_even_frames(keep: Callable[[object], Path]) -> None:
    """Times may start anywhere; of two frames at one time the later counts."""
    yaws = [0.0, 0.1, 0.3, 0.5, 0.6]
    clip = read(keep(document(*(Pose(yaw=yaw) for yaw in yaws), time=[100.0, 100.015, 100.5, 100.5, 101.204])))
    assert clip.duration == pytest.approx(1.21)
    assert clip.frames.evaluate(0.0).yaw == pytest.approx(0.0, abs=1e-9)
    assert clip.frames.evaluate(0.01).yaw == pytest.approx(0.1 * 10 / 15)
    assert clip.frames.evaluate(0.5).yaw == pytest.approx(0.5)
    assert clip.frames.frames[-1][5] == pytest.approx(0.6)


def test_a_head_that_looks_behind_does_not_spin_round(keep: Callable[[object], Path]) -> None:
    """In a matrix 190 degrees are -170; told by the body, and by the frame before, they are not."""
    turning = [Pose(yaw=math.radians(170 + 4 * i), body_yaw=math.radians(140)) for i in range(6)]
    read_yaws = [math.degrees(frame[5]) for frame in read(keep(document(*turning))).frames.frames]
    assert read_yaws == pytest.approx([170, 174, 178, 182, 186, 190])
    still = read(keep(document(*[Pose(yaw=math.radians(190), body_yaw=math.radians(150))] * 3)))
    assert math.degrees(still.frames.frames[0][5]) == pytest.approx(190)


def test_an_antenna_that_passes_half_a_turn_does_not_spin_round(keep: Callable[[object], Path]) -> None:
    angles = [3.0, 3.1, -3.1, -2.9, -1.0]
    poses = [Pose(antenna_left=angle) for angle in angles]
    lefts = np.array(read(keep(document(*poses, time=[0, 1, 2, 3, 4]))).frames.frames)[:, 7]
    assert np.abs(np.diff(lefts)).max() < 0.03
    assert lefts[-1] == pytest.approx(-1.0)  # and is where it was meant to be, not a turn away from there


def test_poses_out_of_reach_are_left_to_motion(keep: Callable[[object], Path]) -> None:
    clip = read(keep(document(Pose(z=0.1, pitch=1.2), ASLEEP)))
    assert clip.frames.evaluate(0).z == pytest.approx(0.1)


def test_a_slightly_bent_rotation_is_taken(keep: Callable[[object], Path]) -> None:
    bent = document(Pose(yaw=0.3), Pose(yaw=0.3))
    bent["set_target_data"][0]["head"][0][0] += 0.004
    assert read(keep(bent)).frames.evaluate(0).yaw == pytest.approx(0.3, abs=0.01)


def test_a_description_can_not_drive_the_terminal(keep: Callable[[object], Path]) -> None:
    clip = read(keep(document(AWAKE, AWAKE, description="\x1b]0;owned\x07 red\n\u202etxt \ud800end")))
    assert clip.description == "]0;owned red txt end"


def test_an_existing_move_is_not_overwritten_unless_asked(tmp_path: Path) -> None:
    file = tmp_path / "new" / "wave.json"
    write(Clip("wave", glide(), "first"), file)
    with pytest.raises(InvalidParameter, match=r"wave\.json already"):
        write(Clip("wave", glide(), "second"), file)
    assert read(file).description == "first"
    write(Clip("wave", glide(), "second"), file, overwrite=True)
    assert read(file).description == "second"
    assert len(list(file.parent.iterdir())) == 1  # nothing half-written beside it


def test_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("keep me")
    (tmp_path / "wave.json").symlink_to(precious)
    with pytest.raises(InvalidParameter):
        write(Clip("wave", glide()), tmp_path / "wave.json")
    write(Clip("wave", glide()), tmp_path / "wave.json", overwrite=True)
    assert precious.read_text() == "keep me"
    assert not (tmp_path / "wave.json").is_symlink()


@pytest.mark.parametrize(
    "frames",
    [
        Frames([]),
        Frames([AWAKE.as_tuple]),
        Frames([AWAKE.as_tuple, (math.nan,) * 9]),
        Frames([AWAKE.as_tuple] * 60_002),
    ],  # type: ignore[list-item]
)
def test_what_could_not_be_read_is_not_written(tmp_path: Path, frames: Frames) -> None:
    with pytest.raises(InvalidParameter):
        write(Clip("wave", frames), tmp_path / "wave.json")
    assert not [entry for entry in tmp_path.iterdir() if entry.is_file()]


def test_a_disk_that_says_no_is_an_error_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "moves").write_text("a file where a folder should be")
    with pytest.raises(MindError, match="can't be written"):
        write(Clip("wave", glide()), tmp_path / "moves" / "wave.json")


# Sounds


def test_a_sound_goes_where_its_move_goes(tmp_path: Path) -> None:
    sound = tmp_path / "beep.ogg"
    sound.write_bytes(b"beep")
    write(Clip("wave", glide(), sound=sound), tmp_path / "moves" / "wave.json")
    clip = read(tmp_path / "moves" / "wave.json")
    assert clip.sound == tmp_path / "moves" / "wave.ogg" and clip.sound.read_bytes() == b"beep"
    write(replace(clip, description="same place"), tmp_path / "moves" / "wave.json", overwrite=True)
    assert read(tmp_path / "moves" / "wave.json").sound == clip.sound
    write(replace(clip, sound=None), tmp_path / "moves" / "wave.json", overwrite=True)
    assert read(tmp_path / "moves" / "wave.json").sound is None


def test_a_move_is_recorded_beside_its_sound(tmp_path: Path) -> None:
    (tmp_path / "wave.wav").write_bytes(b"RIFF")
    write(Clip("wave", glide(), sound=tmp_path / "wave.wav"), tmp_path / "wave.json")
    assert read(tmp_path / "wave.json").sound == tmp_path / "wave.wav"


def test_somebody_elses_sound_is_not_taken_over(tmp_path: Path) -> None:
    (tmp_path / "wave.mp3").write_bytes(b"a song")
    for sound in (None, tmp_path / "other" / "wave.mp3"):
        if sound is not None:
            sound.parent.mkdir()
            sound.write_bytes(b"new")
        with pytest.raises(InvalidParameter, match=r"wave\.mp3 already"):
            write(Clip("wave", glide(), sound=sound), tmp_path / "wave.json")
    assert (tmp_path / "wave.mp3").read_bytes() == b"a song" and not (tmp_path / "wave.json").exists()


def _outside(sound: Path) -> None:
    (sound.parent.parent / "secret.wav").write_bytes(b"secret")
    sound.symlink_to(sound.parent.parent / "secret.wav")


def _huge(sound: Path) -> None:
    with sound.open("wb") as file:
        file.truncate(1 << 30)


@pytest.mark.parametrize("lay", [_outside, _huge, os.mkfifo, Path.mkdir, lambda s: s.symlink_to(s)])
def test_what_is_no_sound_beside_a_move_is_left_out(tmp_path: Path, lay: Callable[[Path], None]) -> None:
    folder = tmp_path / "moves"
    write(Clip("wave", glide()), folder / "wave.json")
    lay(folder / "wave.wav")
    assert read(folder / "wave.json").sound is None
    (folder / "wave.mp3").write_bytes(b"fine")
    assert read(folder / "wave.json").sound == folder / "wave.mp3"


# Refusals


def broken(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    content = document(*[AWAKE] * 3)
    change(content)
    return content


def in_frame(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    return broken(lambda content: change(content["set_target_data"][1]))


def head_of(matrix: object) -> dict[str, Any]:
    return in_frame(lambda frame: frame.update(head=np.array(matrix, dtype=float).tolist()))


FRAME = r"set_target_data\[1\]"
GOOD = json.dumps(document(AWAKE, AWAKE, AWAKE))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        (b"\xff\xfe{", "is not UTF-8"),
        (GOOD.encode("utf-16"), "is not UTF-8"),
        ("[]", "holds a list, not an object"),
        ("null", "not an object"),
        ("[" * 100_000, "nested too deeply"),
        (json.dumps({"time": [0, 1], "set_target_data": []}) + "," * 5_000_000, "more values"),
        ("[" + "[]," * 1_500_000 + "[]]", "more values"),
        ({}, "time is missing"),
        (broken(lambda c: c.pop("set_target_data")), "set_target_data is missing"),
        (broken(lambda c: c.update(time=[])), "lasts no time"),
        (broken(lambda c: c.update(time=[0.0, 0.01])), "has 3 frames, but time has 2"),
        (broken(lambda c: c.update(time="0 1 2")), "time is text, not a list"),
        (broken(lambda c: c.update(time=[0, True, 2])), r"time\[1\] is true or false"),
        (broken(lambda c: c.update(time=[0, 2, 1])), r"time\[2\] goes back from 2 to 1"),
        (broken(lambda c: c.update(time=[0, math.nan, 2])), r"time\[1\] is nan"),
        (broken(lambda c: c.update(time=[0, math.inf, math.inf])), r"time\[1\] is inf"),
        (broken(lambda c: c.update(time=[5, 5, 5])), "lasts no time"),
        (broken(lambda c: c.update(time=[0, 1, 601])), "lasts 601 s"),
        (broken(lambda c: c.update(time=[-1e300, 0, 1e300])), r"time\[0\] is -1e\+300"),
        (broken(lambda c: c.update(description=7)), "description is a number, not text"),
        (broken(lambda c: c.update(description="x" * 3000)), "description has 3000 characters"),
        (broken(lambda c: c.update(set_target_data={})), "set_target_data is an object, not a list"),
        (broken(lambda c: c["set_target_data"].__setitem__(1, [])), f"{FRAME} is a list, not an object"),
        (in_frame(lambda f: f.pop("head")), rf"{FRAME}\.head is missing"),
        (in_frame(lambda f: f.update(head=[0.0] * 15)), rf"{FRAME}\.head has 15 numbers, not 16"),
        (in_frame(lambda f: f["head"][2].pop()), rf"{FRAME}\.head\[2\] has 3 numbers, not 4"),
        (in_frame(lambda f: f["head"][2].__setitem__(3, "up")), rf"{FRAME}\.head\[2\]\[3\] is text, not a number"),
        (in_frame(lambda f: f.pop("antennas")), rf"{FRAME}\.antennas is missing"),
        (in_frame(lambda f: f.update(antennas=[0.0, 0.0, 0.0])), rf"{FRAME}\.antennas has 3 numbers, not 2"),
        (in_frame(lambda f: f.update(antennas=[0.0, math.nan])), rf"{FRAME}\.antennas\[1\] is no finite number"),
        (in_frame(lambda f: f.update(antennas=[180, 0])), rf"{FRAME}\.antennas\[0\] is more than two turns"),
        (in_frame(lambda f: f.update(body_yaw=None)), rf"{FRAME}\.body_yaw is missing"),
        (in_frame(lambda f: f.update(body_yaw=True)), rf"{FRAME}\.body_yaw is true or false"),
        (in_frame(lambda f: f.update(body_yaw=-math.inf)), rf"{FRAME}\.body_yaw is no finite number"),
        (in_frame(lambda f: f.update(body_yaw=10**4000)), rf"{FRAME}\.body_yaw is no finite number"),
        (GOOD.replace('"body_yaw": 0.0', '"body_yaw": 1e400'), r"body_yaw is no finite number"),
        (GOOD.replace('"body_yaw": 0.0', '"body_yaw": 1' + "0" * 9999), r"body_yaw is no finite number"),
        (in_frame(lambda f: f["head"][1].__setitem__(3, 12.0)), rf"{FRAME}\.head\[1\]\[3\] is more than 1 m"),
        (head_of(np.diag([1, -1, 1, 1])), rf"{FRAME}\.head is no rotation"),
        (head_of(np.diag([1.1, 1.1, 1.1, 1])), rf"{FRAME}\.head is no rotation"),
        (head_of(np.diag([1e200, 1, 1, 1])), rf"{FRAME}\.head is no rotation"),
        (head_of(np.zeros((4, 4)) + np.diag([0, 0, 0, 1])), rf"{FRAME}\.head is no rotation"),
        (head_of(np.eye(4)[::-1]), rf"{FRAME}\.head is no pose"),
    ],
)
def test_what_is_no_move_is_refused_with_place_and_reason(
    keep: Callable[[object], Path], content: object, said: str
) -> None:
    file = keep(content)
    with pytest.raises(MoveInvalid, match=said) as refused:
        read(file)
    assert refused.value.message.startswith(f"{file}: ")
    assert refused.value.code == "MOVE_INVALID" and refused.value.hint
    assert len(refused.value.message) < 300 + len(str(file))


def test_a_file_of_a_gigabyte_is_not_even_opened(tmp_path: Path) -> None:
    with (tmp_path / "big.json").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(MoveInvalid, match="more than 64 MiB"):
        read(tmp_path / "big.json")


class Counted(io.FileIO):
    """A file that knows how much of it was read."""

    total = 0

    def read(self, size: int | None = -1, /) -> bytes:
        content = super().read(size)
        Counted.total += len(content)
        return content


def test_a_file_that_grows_is_not_read_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is small when its size is asked for, and a gigabyte when it is read."""
    file = tmp_path / "move.json"
    file.write_text(GOOD)
    looked = file.stat()
    os.truncate(file, 1 << 30)
    monkeypatch.setattr(Path, "stat", lambda *_, **__: looked)
    monkeypatch.setattr(os, "fstat", lambda _: looked)
    monkeypatch.setattr(os, "fdopen", Counted)
    with pytest.raises(MoveInvalid, match="more than 64 MiB"):
        read(file)
    assert 0 < Counted.total < 66 << 20


@pytest.mark.parametrize("lay", [os.mkfifo, Path.mkdir, lambda p: p.symlink_to("/dev/zero"), lambda p: p.symlink_to(p)])
def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path, lay: Callable[[Path], None]) -> None:
    lay(tmp_path / "odd.json")
    with pytest.raises(MoveInvalid, match=r"odd\.json: "):
        read(tmp_path / "odd.json")


def test_a_socket_and_nothing_at_all_are_refused(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "odd.json"))
        with pytest.raises(MoveInvalid, match="not a file"):
            read(tmp_path / "odd.json")
    with pytest.raises(MoveInvalid, match="No such file"):
        read(tmp_path / "none.json")
    with pytest.raises(MoveInvalid):
        read(tmp_path / "nul\0.json")


def test_a_pipe_that_takes_the_place_of_the_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file may be replaced between the check and the open."""
    file = tmp_path / "move.json"
    file.write_text(GOOD)
    looked = file.stat()
    file.unlink()
    os.mkfifo(file)
    monkeypatch.setattr(Path, "stat", lambda *_, **__: looked)
    failed: list[MoveInvalid] = []

    def reading() -> None:
        with pytest.raises(MoveInvalid) as refused:
            read(file)
        failed.append(refused.value)

    thread = threading.Thread(target=reading, daemon=True)
    thread.start()
    thread.join(20)
    assert failed and "not a file" in failed[0].message


@given(st.binary(max_size=200))
def test_noise_is_refused(noise: bytes) -> None:
    with pytest.raises(MoveInvalid):
        move_format.decode(noise, "noise")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["head", "time", "antennas"]), inner),
    max_leaves=8,
)


@given(st.integers(0, 2), st.sampled_from(["head", "antennas", "body_yaw"]), JSON)
@settings(deadline=None)
def test_anything_in_the_place_of_anything_is_read_or_refused(frame: int, key: str, value: object) -> None:
    content = document(*[AWAKE] * 3)
    content["set_target_data"][frame][key] = value
    content["time"] = content["time"] if frame else value
    try:
        _, frames = move_format.decode(json.dumps(content).encode(), "odd")
    except MoveInvalid:
        return
    assert frames.finite and frames.duration <= 600


# Names


@pytest.mark.parametrize("name", ["wave", "Wave-2", "amazed1", "_x", "a" * 64, "0"])
def test_a_plain_name_is_itself(name: str) -> None:
    assert checked_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        ".wave",
        "../wave",
        "a/b",
        "a\\b",
        "a b",
        "a.json",
        "a\x00",
        "a\n",
        "-rf",
        "é",
        "CON",
        "nul",
        "com1",
        "%2e%2e",
        "\x1b[2J",
    ],
)
def test_a_name_that_could_be_a_path_is_refused(name: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        checked_name(name)
    assert refused.value.hint and refused.value.message.isprintable()
    with pytest.raises(InvalidParameter):
        checked_name("a" * 65)


def test_a_file_with_such_a_name_is_neither_read_nor_written(tmp_path: Path) -> None:
    (tmp_path / "my move.json").write_text(GOOD)
    with pytest.raises(MoveInvalid, match="my move"):
        read(tmp_path / "my move.json")
    for name in ("my move.json", ".hidden.json", "wave.txt", "wave", "con.json"):
        with pytest.raises(InvalidParameter):
            write(Clip("wave", glide()), tmp_path / name)
