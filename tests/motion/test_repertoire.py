"""Moves by name: ours, recorded ones, sequences, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.errors import InvalidParameter, MoveInvalid
from reachy_mind.motion.clips import Clip, write
from reachy_mind.motion.moves import Frames
from reachy_mind.motion.repertoire import Repertoire

STILL = Frames([(0.0,) * 9] * 51)


@pytest.fixture
def repertoire(tmp_path: Path) -> Repertoire:
    folder = tmp_path / "moves"
    folder.mkdir()
    write(Clip("mine", STILL, "stands still"), folder / "mine.json")
    for dataset in ("vendor-dances", "other"):
        (folder / dataset).mkdir()
        write(Clip("yeah_nod", STILL), folder / dataset / "yeah_nod.json")
    write(Clip("only_here", STILL), folder / "other" / "only_here.json")
    return Repertoire(folder)


def test_it_lists_ours_and_the_files(repertoire: Repertoire) -> None:
    kinds = {entry.name: entry.kind for entry in repertoire.entries()}
    assert kinds["happy"] == "emotion" and kinds["two_step"] == "dance" and kinds["nod"] == "gesture"
    assert {name for name, kind in kinds.items() if kind == "recorded"} == {
        "mine",
        "other/only_here",
        "other/yeah_nod",
        "vendor-dances/yeah_nod",
    }
    assert all(entry.description for entry in repertoire.entries() if entry.kind != "recorded")


def test_without_a_folder_there_are_still_ours(tmp_path: Path) -> None:
    assert "happy" in {entry.name for entry in Repertoire(tmp_path / "nowhere").entries()}


def test_a_recorded_move_is_found_by_its_name_or_with_its_dataset(repertoire: Repertoire) -> None:
    assert repertoire.clip("mine").description == "stands still"
    assert repertoire.clip("only_here").name == "only_here"
    assert repertoire.clip("other/yeah_nod").duration == pytest.approx(0.5)
    with pytest.raises(InvalidParameter, match="several") as error:
        repertoire.clip("yeah_nod")
    assert "vendor-dances/yeah_nod" in error.value.hint


def test_a_sequence_is_one_after_the_other(repertoire: Repertoire) -> None:
    nod, happy = repertoire.clip("nod", seed=1), repertoire.clip("happy", seed=1)
    both = repertoire.clip("nod + happy", seed=1)
    assert both.duration == pytest.approx(nod.duration + happy.duration, abs=0.02)
    assert both.frames.anchored
    assert not repertoire.clip("nod+mine").frames.anchored


def test_parameters_go_to_those_that_take_them(repertoire: Repertoire) -> None:
    alone = repertoire.clip("nod", times=5, seed=1).duration + repertoire.clip("happy", seed=1).duration
    assert repertoire.clip("nod+happy", times=5, seed=1).duration == pytest.approx(alone, abs=0.02)
    with pytest.raises(InvalidParameter, match="happy has no times"):
        repertoire.clip("happy", times=5)


@pytest.mark.parametrize("name", ["", "../mine", "/etc/passwd", "other/../mine", "mine.json", "+", "nod+", "\0"])
def test_names_that_are_none_are_refused(repertoire: Repertoire, name: str) -> None:
    with pytest.raises(InvalidParameter):
        repertoire.clip(name)


def test_a_synonym_is_understood_and_a_slip_is_named(repertoire: Repertoire) -> None:
    assert repertoire.clip("joyful").name == "happy"
    assert repertoire.clip("Two Step").name == "two_step"
    assert repertoire.clip("random").duration > 5
    with pytest.raises(InvalidParameter) as error:
        repertoire.clip("two_stp")
    assert "two_step" in error.value.hint


def test_keeping_a_move(repertoire: Repertoire) -> None:
    file = repertoire.save(Clip("new_one", STILL, "new"))
    assert repertoire.clip("new_one").description == "new"
    with pytest.raises(InvalidParameter, match="already"):
        repertoire.save(Clip("new_one", STILL))
    repertoire.save(Clip("new_one", STILL, "newer"), overwrite=True)
    assert repertoire.clip("new_one").description == "newer"
    assert file.parent == repertoire.folder


@pytest.mark.parametrize("name", ["happy", "Nod", "two-step", "../x", "a/b", ".hidden", ""])
def test_a_name_that_is_ours_or_no_name_is_not_taken(repertoire: Repertoire, name: str) -> None:
    before = sorted(repertoire.folder.rglob("*"))
    with pytest.raises(InvalidParameter):
        repertoire.save(Clip(name, STILL), overwrite=True)
    assert sorted(repertoire.folder.rglob("*")) == before


def test_a_broken_file_is_listed_and_named_when_played(repertoire: Repertoire) -> None:
    (repertoire.folder / "broken.json").write_text('{"time": [0, NaN]}')
    assert "broken" in {entry.name for entry in repertoire.entries()}
    with pytest.raises(MoveInvalid, match=r"broken\.json"):
        repertoire.clip("broken")
