"""The figures of `bench thinking` can be had, and the written requests come to whom they are for."""

from __future__ import annotations

from pathlib import Path

from reachy_mind.bench import thinking
from reachy_mind.brains.agents.roles import DEVELOPER, ROLES
from reachy_mind.config.configuration import load


async def test_requests_are_handed_to_whom_they_are_for(tmp_path: Path) -> None:
    written = thinking.requests()
    assert len(written) == len({request["text"] for request in written}) == 60
    offered = {role.name for role in ROLES} - {DEVELOPER}  # whose tools only some profiles have
    assert {request["agent"] for request in written} == offered
    figures = await thinking.measure(load(flags={"models.folder": tmp_path}), 0.2)  # no real model
    assert figures.ours["handoff_accuracy"] >= 0.95
    assert figures.ours["handoff_p50_ms"] < figures.ours["call_p50_ms"] < figures.ours["word_p50_ms"]
    assert figures.reference["p50_ms"] > 0
