"""`bench corrections` counts what ours learns beside what the references do."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind import bench
from reachy_mind.config.configuration import load
from reachy_mind.errors import InvalidParameter


async def test_the_figures_of_ours_and_of_the_references(tmp_path: Path) -> None:
    configuration = load(environ={"REACHY_MIND_HOME": str(tmp_path)})
    report = await bench.run("corrections", configuration, seeds=2)
    assert report["ours"]["reached_in_60"] == 2 and report["ours"]["success"] >= 0.95
    assert report["reference"]["untaught_success"] < 0.5 and report["reference"]["reward_reached_in_60"] == 0
    with pytest.raises(InvalidParameter, match="has no seeds"):
        await bench.run("stop", configuration, seeds=2)
    with pytest.raises(InvalidParameter, match="no set 'marble'"):
        await bench.run("corrections", configuration, collection="marble")
