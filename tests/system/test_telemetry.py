"""Libraries that would report their use are told not to, before they are imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process
pytest.importorskip("onnxruntime")


def test_onnxruntime_reports_nothing_and_leaves_no_file(tmp_path: Path) -> None:
    names = {name: str(tmp_path / name) for name in ("HOME", "XDG_CACHE_HOME", "TMPDIR")}
    for folder in names.values():
        Path(folder).mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"} | names
    code = "import reachy_mind; import onnxruntime; print(onnxruntime.__version__)"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip()
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []
