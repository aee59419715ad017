"""Language models on this machine that answer what a test wants: see llama/xllamacpp.py."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.models.llama import Llama

Scripted = Callable[..., Llama]


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """Makes one for a list of answers; whoever takes it closes it."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).with_name("llama")))

    def made(*answers: str | dict[str, Any], **options: Any) -> Llama:
        file = tmp_path / "model.json"
        file.write_text(json.dumps(list(answers)))
        return Llama(file, **options)

    return made


def log(llama_folder: Path) -> Sequence[dict[str, Any]]:
    """What was asked of it, and who hung up."""
    file = llama_folder / "model.log"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
