"""The report of the path: a table in Markdown, and pictures small enough to keep."""

from __future__ import annotations

import io
import platform
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

LARGEST = 150_000
TEXT = """# The stranger's path

What a newcomer does first, from the wheel to a fleet, done by a script (`make stranger`) in an empty home and a new
environment for Python, on {machine}. The seconds are those of that run, downloads included. A browser
(Chromium, without a graphics card) uses the page; spoken words are WAV files that flite made. The robot is simulated.

Version {version}. {summary}

| step | what was done | seconds | result | picture |
|---|---|---|---|---|
{rows}

{notes}
"""


@dataclass(frozen=True)
class Walked:
    """A step that was taken. `seconds` is None for one that was left out."""

    name: str
    done: str
    seconds: float | None
    result: str
    picture: str = ""
    failed: bool = False


def keep(picture: bytes, path: Path) -> None:
    """As a JPEG below `LARGEST` bytes."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    for quality in (82, 70, 55, 40):
        packed = io.BytesIO()
        image.save(packed, "JPEG", quality=quality, optimize=True)
        if packed.tell() < LARGEST:
            break
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed.getvalue())


def write(path: Path, walked: list[Walked], version: str, notes: str) -> None:
    rows = []
    for number, step in enumerate(walked, 1):
        seconds = "left out" if step.seconds is None else f"{step.seconds:.0f}"
        picture = f"[picture](images/{step.picture})" if step.picture else ""
        result = f"**failed**: {step.result}" if step.failed else step.result
        cells = (f"{number}. {step.name}", step.done, seconds, result, picture)
        rows.append(f"| {' | '.join(' '.join(cell.split()).replace('|', '/') for cell in cells)} |")
    taken = [step for step in walked if step.seconds is not None]
    minutes = sum(step.seconds or 0 for step in taken) / 60
    failed = sum(step.failed for step in taken)
    summary = f"{len(taken)} of {len(walked)} steps in {minutes:.0f} minutes, {failed or 'none'} failed."
    machine = f"{platform.system()} on {platform.machine()} with Python {platform.python_version()}"
    text = TEXT.format(machine=machine, version=version, summary=summary, rows="\n".join(rows), notes=notes)
    path.write_text(text.rstrip() + "\n")
