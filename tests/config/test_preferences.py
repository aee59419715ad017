"""Changing one setting in a YAML file: everything else in the file stays."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from reachy_mind.config.configuration import load
from reachy_mind.config.preferences import Preferences, changed
from reachy_mind.errors import MindError


@pytest.mark.parametrize(
    "text", ["", "# only a word", "robot:\n", "robot: {}\n", "robot: {scene: table}", "log:\n  level: info"]
)
def test_a_setting_is_written_into_any_file(text: str) -> None:
    after = changed(changed(text, "robot.idle", value=False, source="f"), "robot.address", "my-robot:8000", "f")
    tree, before = yaml.safe_load(after), yaml.safe_load(text) or {}
    assert tree["robot"]["idle"] is False and tree["robot"]["address"] == "my-robot:8000"
    for section, values in before.items():
        assert (values or {}).items() <= tree[section].items()
    assert text.partition("#")[2] in after


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("robot:\n  idle: false  # a word\n  scene: table\n", "robot:\n  scene: table\n"),
        ("# mine\nrobot:\n  idle: false", "# mine\nrobot:\n"),
        ("robot: {idle: false, scene: table}\n", "robot: {scene: table}\n"),
        ("robot: {scene: table, idle: false}\n", "robot: {scene: table}\n"),
        ("robot: {idle: false}\nlog: {}\n", "robot: {}\nlog: {}\n"),
        ("robot: {scene: table}\n", "robot: {scene: table}\n"),
    ],
)
def test_a_setting_is_taken_out_of_a_file(text: str, left: str) -> None:
    assert changed(text, "robot.idle", None, "f") == left


def test_a_file_that_can_not_be_read_is_left_alone() -> None:
    for text in ("robot: [", "- a list"):
        with pytest.raises(MindError):
            changed(text, "robot.idle", value=False, source="f")


def written(home: Path) -> Path:
    home.mkdir(exist_ok=True)
    file = home / "config.yaml"
    file.write_text("server: {require_token: true}\n")
    return file


async def test_settings_of_a_file_that_vanished_are_not_replaced_by_a_new_one(home: Path) -> None:
    """A change would write a file without the other settings: the next start would not require a token."""
    file = written(home)
    preferences = Preferences(load(), {}, changed=lambda new: None)
    assert preferences.trouble() == ""
    file.unlink()
    assert "is gone" in preferences.trouble()
    with pytest.raises(MindError, match="is gone"):
        await preferences.change("robot.idle", value=False)
    assert not file.exists()
    written(home)
    await preferences.change("robot.idle", value=False)
    assert load().settings.server.require_token
