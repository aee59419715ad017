"""docs/concepts.md: its pictures are what the code says now."""

from __future__ import annotations

import importlib.util
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "concepts.md"
COMMAND = ".venv/bin/python script/draw-concepts"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    loader = SourceFileLoader("draw_concepts", str(ROOT / "script" / "draw-concepts"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_the_pictures_are_up_to_date(script: ModuleType) -> None:
    page = PAGE.read_text()
    assert script.page(page) == page, f"the code has changed; run: {COMMAND}"


def test_a_changed_gate_is_noticed(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = dict(script.GATE_STEPS)
    del steps["_require_scope"]
    monkeypatch.setattr(script, "GATE_STEPS", steps)
    with pytest.raises(script.Outdated, match="_require_scope"):
        script.gate()


def test_a_process_that_is_not_drawn_is_noticed(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "PROCESSES", {"main": "main"})
    with pytest.raises(script.Outdated, match="which the picture does not name"):
        script.processes()
