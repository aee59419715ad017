"""`reachy-mind workshop list|show|diff|approve|...`, as a user types it, with a mind for the length of each command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from reachy_mind.cli import app
from reachy_mind.errors import MindError
from reachy_mind.workshop.shelf.bundles import export_bundle
from reachy_mind.workshop.shelf.shelf import Shelf
from tests.workshop.shelf.versions import WAVE, new_version

pytestmark = pytest.mark.process


def run(*words: str) -> str:
    result = CliRunner().invoke(app, ["workshop", *words])
    if isinstance(result.exception, MindError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def told(*words: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run(*words, "--json"))
    return answer


@pytest.fixture
def shelf(home: Path) -> Shelf:
    """Version 1 in use; version 2 may do more, and tries to hide a line from whoever reads it."""
    shelf = Shelf(home / "workshop" / "shelf")
    shelf.approve("wave_twice", shelf.add(new_version()).sha256, "test", activate=True)
    code = WAVE.replace("waved", "moved") + "# \x1b[2K\u202eharmless\n"
    shelf.add(new_version(code=code, capabilities=("motion", "http:example.org")))
    return shelf


def test_a_person_sees_what_a_version_adds_approves_it_and_goes_back(shelf: Shelf) -> None:
    shown = run("diff", "wave_twice")
    assert shown.index("may now use http:example.org") < shown.index("moved")
    assert "\x1b" not in shown
    assert r"\x1b[2K\u202eharmless" in shown
    with pytest.raises(MindError, match="nobody to ask"):
        run("approve", "wave_twice")
    assert shelf.get("wave_twice", 1).state == "active"
    assert "I can use wave twice now" in run("approve", "wave_twice", "v2", "--yes")
    assert [each["state"] for each in told("list")["tools"][0]["versions"]] == ["retired", "active"]
    assert told("rollback", "wave_twice", "--yes")["version"] == 1
    assert told("deactivate", "wave_twice")["state"] == "retired"
    assert told("reject", "wave_twice", "2", "--reason", "too curious")["reason"] == "too curious"


def test_a_tool_travels_in_a_signed_bundle(shelf: Shelf, tmp_path: Path) -> None:
    file = tmp_path / "wave.json"
    assert "written" in run("export", "wave_twice", "1", "--to", str(file))
    with pytest.raises(MindError, match="exists"):
        run("export", "wave_twice", "1", "--to", str(file))
    other = Shelf(tmp_path / "other")
    other.add(new_version(name="nod_twice"))
    file.write_text(export_bundle(other, "nod_twice", 1))
    assert "an unknown signer, ed25519:" in run("import", str(file))
    assert "(unknown signer)" in run("show", "nod_twice")
    assert told("show", "nod_twice")["state"] == "draft"
    file.write_text(file.read_text().replace("waved", "moved"))
    with pytest.raises(MindError, match="it was changed"):
        run("import", str(file))


def test_an_unknown_tool_or_version_is_an_error(shelf: Shelf) -> None:
    for words in (("show", "nothing"), ("show", "wave_twice", "9"), ("diff", "../etc"), ("deactivate", "nothing")):
        with pytest.raises(MindError):
            run(*words)
    assert CliRunner().invoke(app, ["workshop", "show", "wave_twice", "latest"]).exit_code == 2
