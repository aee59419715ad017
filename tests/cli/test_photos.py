"""`reachy-mind photos`, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reachy_mind.cli import app
from reachy_mind.errors import MindError
from reachy_mind.eyes.photos import Photos
from tests.eyes.pictures import plain


def run(*words: str) -> str:
    result = CliRunner().invoke(app, ["photos", *words])
    if isinstance(result.exception, MindError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_photos_are_listed_and_erased(home: Path) -> None:
    assert run("list") == "no photos are kept\n"
    photos = Photos(home / "photos", days=30, most=10)
    names = [photos.save(plain((200, 0, 0))).name for _ in range(3)]
    assert all(name in run("list") for name in names)
    assert len(json.loads(run("list", "--json"))["photos"]) == 3
    assert run("erase", names[0]) == "erased 1 photo\n"
    assert names[0] not in run("list")
    assert json.loads(run("erase", "--all", "--json")) == {"erased": 2}
    with pytest.raises(MindError, match="no photo"):
        run("erase", names[0])


@pytest.mark.parametrize("words", [("erase",), ("erase", "one.jpg", "--all")])
def test_erasing_says_what(words: tuple[str, ...]) -> None:
    assert CliRunner().invoke(app, ["photos", *words]).exit_code == 2
