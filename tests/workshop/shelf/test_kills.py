"""A shelf survives kill -9 at any file operation of any change, and a log that ends in a piece of a line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from reachy_mind.workshop.shelf.shelf import Shelf
from tests.workshop.shelf.versions import WAVE, new_version

ROOT = Path(__file__).parents[3]


@pytest.mark.process
def test_a_kill_at_any_step_of_any_change_leaves_the_state_before_or_after_it(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "tests.workshop.shelf.kill_points", str(tmp_path / "shelves"))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(reports) == 12
    for report in reports:
        assert report["wrong"] == [], report["change"]
        assert report["points"] >= (3 if report["change"] == "erase a request" else 10), report
        assert 0 < report["before"] <= report["points"], report  # kills both before and after the change counted


def test_a_log_that_ends_in_a_piece_of_a_line_is_read_without_it_and_mended_by_the_next_change(tmp_path: Path) -> None:
    folder = tmp_path / "shelf"
    shelf = Shelf(folder)
    shelf.approve("wave_twice", shelf.add(new_version()).sha256, "test", activate=True)
    log, head = folder / "wave_twice" / "log.jsonl", folder / "wave_twice" / "HEAD"
    whole, named = log.read_bytes(), head.read_bytes()
    shelf.add(new_version(code=WAVE + "\n"))
    shelf.approve("wave_twice", 2, "test", activate=True)
    more = log.read_bytes()
    ends = [at for at in range(len(whole), len(more)) if more[at : at + 1] == b"\n"]
    for cut in (*range(len(whole), len(more), 37), *(end - 1 for end in ends), *ends):
        log.write_bytes(more[:cut])
        head.write_bytes(named)
        found = Shelf(folder)
        active = found.active("wave_twice")
        assert active is not None
        assert active.number == 1
        found.record_kill("wave_twice", 1)
        assert len(Shelf(folder).get("wave_twice", 1).faults) == 1
