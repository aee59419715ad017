"""Changing one setting in a YAML file: everything else in the file stays."""

from __future__ import annotations

import pytest
import yaml

from reachy_mind.config.preferences import changed
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


def test_a_file_that_can_not_be_read_is_left_alone() -> None:
    for text in ("robot: [", "- a list"):
        with pytest.raises(MindError):
            changed(text, "robot.idle", value=False, source="f")
