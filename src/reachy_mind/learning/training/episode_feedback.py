"""`EpisodeFeedbackFile`: what people say about the episodes of a training run, as JSON lines in its folder.

The page, REST and the terminal append; the process that trains reads. An episode's id is `RUN:NUMBER`, as in
`look-at:12`. A line is on disk when `append` returns; a line that a killed process left in part is ignored.
"""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import Field, FiniteFloat, NonNegativeInt, TypeAdapter, ValidationError

from reachy_mind.errors import AssetError, InvalidParameter
from reachy_mind.storage.faults import classify
from reachy_mind.system.open_files import BYTES, read_at

FILE = "feedback.jsonl"
_ID = re.compile(r"([a-z0-9][a-z0-9_-]{0,63}):(\d{1,9})")


@dataclass(frozen=True)
class EpisodeFeedback:
    """`episode` is None where the time tells which one is meant; `at` is a Unix time."""

    reward: Annotated[FiniteFloat, Field(ge=-1, le=1)]
    episode: NonNegativeInt | None = None
    at: FiniteFloat = field(default_factory=time.time)
    text: Annotated[str, Field(max_length=4000)] = ""


_FEEDBACK = TypeAdapter(EpisodeFeedback)


def episode_id(run: str, number: int) -> str:
    return f"{run}:{number}"


def parse_episode_id(text: str) -> tuple[str, int] | None:
    """Run and number of an id; None for what is no id of a training's episode."""
    found = _ID.fullmatch(text)
    return (found[1], int(found[2])) if found else None


class EpisodeFeedbackFile:
    """The feedback on the run in a folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._read = 0
        """Bytes that `new` has given already."""

    def append(self, feedback: EpisodeFeedback) -> None:
        """Raises InvalidParameter for a run that there is not, AssetError when it can't be written."""
        if not self._path.parent.is_dir():
            raise InvalidParameter(f"no training run called {self._path.parent.name!r}", hint="learn status lists them")
        line = json.dumps(asdict(feedback)).encode() + b"\n"
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | BYTES, 0o600)
            try:
                end = os.fstat(descriptor).st_size
                torn = end > 0 and read_at(descriptor, 1, end - 1) != b"\n"
                os.write(descriptor, (b"\n" if torn else b"") + line)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            fault = classify(error, self._path)
            raise AssetError(f"{self._path} can't be written: {fault.cause}", hint=fault.hint) from error

    def skip(self) -> None:
        """Leave out what is there already: it was said to an earlier process."""
        self.new()

    def new(self) -> list[EpisodeFeedback]:
        """What was appended since the last call; lines that are no feedback are left out."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._read)
                content = file.read()
        except FileNotFoundError:
            return []
        whole = content[: content.rfind(b"\n") + 1]
        self._read += len(whole)
        found = []
        for line in whole.splitlines():
            try:
                found.append(_FEEDBACK.validate_json(line))
            except ValidationError:
                continue
        return found
