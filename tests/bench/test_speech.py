"""The benchmark of ears and voices: how it counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reachy_mind.bench import run
from reachy_mind.bench.recordings import read_recordings
from reachy_mind.bench.reflex_requests import requests
from reachy_mind.bench.sound_conditions import CONDITIONS, RECORDINGS, conditions, measured_room
from reachy_mind.bench.speech import SENTENCES, word_errors
from reachy_mind.body import wav
from reachy_mind.config.configuration import load
from reachy_mind.errors import InvalidParameter
from reachy_mind.models.store import Store
from reachy_mind.models.unpack import Manifest
from reachy_mind.speech import audio_format
from reachy_mind.speech.moonshine import library_folder


@pytest.mark.parametrize(
    ("said", "heard", "wrong", "words"),
    [
        ("Stop.", "stop", 0, 1),
        ("Set a timer for twenty five minutes.", "Set a timer for 25 minutes!", 0, 6),
        ("Dinner is at seven thirty?", "Dinner is at 7:30", 0, 4),
        ("Call me at nine fifteen.", "call me at 915", 0, 4),
        ("down to forty percent", "Down to 40%.", 0, 4),
        ("look at the window", "look the big window", 2, 4),
        ("look at the window", "", 4, 4),
        ("yes", "yes yes yes", 2, 1),
    ],
)
def test_wrong_words_are_counted_whatever_numbers_look_like(said, heard, wrong, words):
    assert word_errors(said, heard) == (wrong, words)


def test_the_sentences_are_its_own():
    assert len(SENTENCES) == len(set(SENTENCES)) >= 30
    plain = {"".join(filter(str.isalnum, request.text.lower())) for request in requests()}
    assert [s for s in SENTENCES if len(s.split()) > 2 and "".join(filter(str.isalnum, s.lower())) in plain] == []


def recorded(folder: Path, name: str, text: str | None = "look left", sound: bytes = wav.write(bytes(3200))) -> None:
    (folder / f"{name}.wav").write_bytes(sound)
    if text is not None:
        (folder / f"{name}.txt").write_text(text)


def test_a_folder_of_recordings_is_read_in_order(tmp_path):
    recorded(tmp_path, "b", "Nod\n twice. ")
    recorded(tmp_path, "a")
    (tmp_path / "notes.txt").write_text("no recording")
    assert read_recordings(tmp_path) == [("look left", bytes(3200)), ("Nod twice.", bytes(3200))]


def test_what_is_wrong_with_a_recording_is_named(tmp_path):
    for folder in (tmp_path, tmp_path / "absent"):
        with pytest.raises(InvalidParameter) as failed:
            read_recordings(folder)
        assert str(folder) in failed.value.message and "look_left.txt" in failed.value.hint
    for name, content, match in (
        ("silent", {"text": None}, "words of silent.wav"),
        ("empty", {"text": " ?"}, "no words in empty.txt"),
        ("broken", {"sound": b"RIFF"}, "broken.wav can't be read"),
    ):
        recorded(tmp_path, name, **content)
        with pytest.raises(InvalidParameter, match=match):
            read_recordings(tmp_path)
        (tmp_path / f"{name}.wav").unlink()


async def test_a_benchmark_that_hears_nothing_takes_no_recordings(tmp_path):
    with pytest.raises(InvalidParameter, match="bench gate hears no recordings"):
        await run("gate", load(environ={"REACHY_MIND_HOME": str(tmp_path)}), recordings=tmp_path)


def test_a_measured_room_is_heard_where_it_was_pulled(tmp_path):
    store = Store(tmp_path)
    assert measured_room(store) is None and list(conditions(store)) == list(CONDITIONS)
    place = tmp_path / "measured-room"
    place.mkdir()
    click = np.zeros(16_000, np.float32)
    click[[1000, 1400]] = 0.5, 0.25
    (place / "living_room_1.wav").write_bytes(wav.write(audio_format.to_pcm(click)))
    Manifest(store.asset("measured-room").edition, {}).write(place)
    sound = np.zeros(8000, np.float32)
    sound[0] = 0.1
    heard = conditions(store)["measured_room"](sound, 1)
    first = int(np.abs(heard).argmax())
    assert 0.3 < heard[first + 400] / heard[first] < 0.6, "the echo comes 25 ms later"
    assert {"measured_room", "measured_room_10db"} == set(conditions(store)) - set(CONDITIONS)


@pytest.mark.process
async def test_own_recordings_are_heard_by_all_in_every_condition(tmp_path):
    recorded(tmp_path, "beckett", RECORDINGS["beckett.wav"], (library_folder() / "assets" / "beckett.wav").read_bytes())
    outcome = await run("speech", load(environ={"REACHY_MIND_HOME": str(tmp_path)}), recordings=tmp_path)
    assert outcome["ours"]["recordings_clips"] == len(CONDITIONS)
    assert outcome["ours"]["recordings_wer_clean_percent"] == 0
    assert outcome["ours"]["recordings_memory_mb"] > 10
    assert 0 <= outcome["reference"]["recordings_wer_clean_percent"] < 50
    assert "models pull whisper-base" in outcome["notes"]["whisper"]
