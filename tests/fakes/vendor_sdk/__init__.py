"""An environment of the vendor's, as it were: our Python, which there finds the fake `reachy_mini` in this folder."""

from __future__ import annotations

import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def python(folder: Path) -> Path:
    """The Python of that environment, put into `folder`."""
    program = folder / "python"
    program.write_text(f'#!/bin/sh\nexport PYTHONPATH="{FOLDER}"\nexec "{sys.executable}" "$@"\n')
    program.chmod(0o755)
    return program
