"""Making and changing personalities: texts only, never over something, never outside of the data folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.profiles.editing import Editor
from reachy_mind.profiles.loading import SHIPPED
from reachy_mind.profiles.profile import Profile, UnknownProfile
from tests.profiles.folders import OWN_TOOL, folder, profiles, put


def create(name: str, like: str = "", **content: Any) -> Profile:
    return Editor(profiles()).create(name, content, like=like)


def files(name: str) -> set[str]:
    return {file.name for file in folder(name).iterdir()}


def test_a_new_one_has_the_default_tools() -> None:
    made = create("captain", instructions="You sail.", greeting="Ahoy!")
    assert (made.source, made.instructions, made.hello()) == ("user", "You sail.", "Ahoy!")
    assert (folder("captain") / "tools.txt").read_text() == (SHIPPED / "default" / "tools.txt").read_text()
    assert files("captain") == {"instructions.txt", "tools.txt", "greeting.txt"}


def test_one_like_another_begins_with_its_texts_and_never_with_its_code() -> None:
    made = create("guide", like="example", about="Mine.")
    assert made.about == "Mine." and made.manner == profiles().load("example").manner
    assert not [file for file in files("guide") if file.endswith(".py")]
    put("hummer", instructions_txt="You hum.", tools_txt="hum", hum_py=OWN_TOOL)
    create("other", like="hummer")
    assert files("other") == {"instructions.txt", "tools.txt"}


def test_nothing_is_overwritten() -> None:
    create("captain", instructions="You sail.")
    with pytest.raises(InvalidParameter, match="already"):
        create("captain", instructions="You fly.")
    put("half", notes_txt="mine")
    with pytest.raises(InvalidParameter, match="already"):
        create("half", instructions="You are.")
    assert (folder("half") / "notes.txt").read_text() == "mine" and files("half") == {"notes.txt"}
    assert profiles().load("captain").instructions == "You sail."


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../up", "a/b", "Captain", "a b", "é", "prompts", "user_personalities", "x" * 65, "-a", ".a"],
)
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(InvalidParameter, match="can't be called"):
        create(name, instructions="You are.")


@pytest.mark.parametrize(
    "content",
    [
        {"sweep_look.py": "import os"},
        {"code": "x"},
        {"instructions": ""},
        {"instructions": "x" * 70_000},
        {"instructions": "a\0b"},
        {"instructions": 3},
        {"instructions": "ok", "tools": [1]},
        {"instructions": "ok", "manner": {"en": {"greet": ["{x}"]}}},
        {"instructions": "ok", "manner": {"klingon": {"greet": ["x"]}}},
        {},
    ],
)
def test_what_cant_be_written_leaves_nothing_behind(content: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        create("captain", **content)
    assert not folder("captain").exists()
    assert not folder("").exists() or not list(folder("").iterdir())


def test_only_what_is_given_changes_and_an_empty_text_goes() -> None:
    create("captain", instructions="You sail.", greeting="Ahoy!", tools=["nod", "play_emotion"])
    editor = Editor(profiles())
    made = editor.change(
        "captain", {"manner": {"en": {"greet": ["Ahoy {there}".replace("{there}", "there")]}}, "greeting": ""}
    )
    assert (made.greeting, made.instructions, made.tools) == ("", "You sail.", ("nod", "express_emotion"))
    assert made.manner["en"]["greet"] == ["Ahoy there"] and "greeting.txt" not in files("captain")
    with pytest.raises(InvalidParameter, match="needs instructions"):
        editor.change("captain", {"instructions": " "})


def test_shipped_ones_stay_as_they_are() -> None:
    editor = Editor(profiles())
    with pytest.raises(InvalidParameter, match="can't be changed"):
        editor.change("poet", {"greeting": "x"})
    with pytest.raises(InvalidParameter, match="can't be changed"):
        editor.remove("poet")
    with pytest.raises(UnknownProfile):
        editor.change("nobody", {"greeting": "x"})


def test_a_removed_one_can_be_taken_back_and_code_is_never_removed() -> None:
    create("captain", instructions="You sail.")
    aside = Path(Editor(profiles()).remove("captain"))
    assert "captain" not in profiles().names() and (aside / "instructions.txt").read_text() == "You sail.\n"
    aside.rename(folder("captain"))
    assert profiles().usable("captain")
    place = put("hummer", instructions_txt="You hum.", hum_py=OWN_TOOL)
    with pytest.raises(InvalidParameter, match=r"hum\.py"):
        Editor(profiles()).remove("hummer")
    assert (place / "hum.py").exists()


def test_a_link_is_never_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "instructions.txt").write_text("You are outside.")
    folder("").mkdir(parents=True)
    folder("linked").symlink_to(outside)
    with pytest.raises(InvalidParameter, match="link"):
        Editor(profiles()).change("linked", {"instructions": "x"})
    create("captain", instructions="You sail.")
    (folder("captain") / "greeting.txt").symlink_to(outside / "instructions.txt")
    assert Editor(profiles()).change("captain", {"greeting": "Ahoy!"}).greeting == "Ahoy!"
    assert (outside / "instructions.txt").read_text() == "You are outside."
