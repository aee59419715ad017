"""`DemonstrationStore`: the datasets of demonstrations in `$REACHY_MIND_HOME/datasets`.

A change writes the dataset anew beside the old one (unchanged files are linked) and then exchanges them: a crash leaves
the dataset as it was before or as it is after. Several processes may use the store at once.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import filelock

from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.learning.demonstrations import video
from reachy_mind.learning.demonstrations.demonstration import Demonstration, UnknownDemonstration
from reachy_mind.learning.demonstrations.lerobot_format import arrow, require_alike, write_dataset
from reachy_mind.learning.demonstrations.lerobot_reader import (
    MAX_DEMONSTRATIONS,
    StoredEpisode,
    read_demonstrations,
    read_episodes,
)
from reachy_mind.motion.move_format import printable
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder
from reachy_mind.system.durable_files import sync_folder
from reachy_mind.system.file_names import is_device

DEFAULT_DATASET = "demonstrations"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
LOCK_TIMEOUT_S = 30.0

Change = Callable[[list[Demonstration]], list[Demonstration]]


@dataclass(frozen=True)
class DemonstrationSummary:
    """A stored demonstration without its rows."""

    dataset: str
    episode: StoredEpisode

    @property
    def id(self) -> str:
        return self.episode.about.id

    def as_dict(self) -> dict[str, Any]:
        one, about = self.episode, self.episode.about
        return {
            "demo_id": about.id,
            "dataset": self.dataset,
            "task_description": one.task,
            "source": about.source,
            "person": about.person,
            "created_at": about.created_at,
            "frames": one.length,
            "fps": one.fps,
            "duration_s": round(one.duration, 2),
            "video": one.video is not None,
            "actions": [{"name": call.name, "args": call.args, "status": call.status} for call in about.tool_calls],
        }


@dataclass
class Listing:
    """Stored demonstrations, newest last, and the datasets that can't be read with the reason."""

    demonstrations: list[DemonstrationSummary] = field(default_factory=list)
    broken: dict[str, MindError] = field(default_factory=dict)


class DemonstrationStore:
    """Its methods block: call them in a thread. They raise DatasetInvalid for a broken dataset, UnknownDemonstration,
    MissingExtra without the extra, NotReady while another process changes the dataset."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self) -> list[str]:
        """The datasets, also those that can't be read."""
        if not self.folder.is_dir():
            return []
        shown = {path.name for path in self.folder.iterdir() if path.is_dir() and NAME.fullmatch(path.name)}
        interrupted = {name for path in self.folder.glob(".*.old") if NAME.fullmatch(name := path.name[1:-4])}
        return sorted(shown | interrupted)

    def listing(self, dataset: str | None = None) -> Listing:
        """All demonstrations, or those of one dataset."""
        found = Listing()
        for name in [self.require(dataset)] if dataset is not None else self.names():
            try:
                with self.locked(name) as place:
                    found.demonstrations += [DemonstrationSummary(name, one) for one in read_episodes(place)]
            except MindError as error:
                if dataset is not None:
                    raise
                found.broken[name] = error
        return found

    def load(self, dataset: str) -> list[Demonstration]:
        """The demonstrations of a dataset, with their rows."""
        with self.locked(self.require(dataset)) as place:
            return read_demonstrations(place)

    def summary(self, demo_id: str) -> DemonstrationSummary:
        listed = self.listing()
        for one in listed.demonstrations:
            if one.id == demo_id:
                return one
        broken = f"; {', '.join(listed.broken)} can't be read" if listed.broken else ""
        raise UnknownDemonstration(
            f"there is no demonstration {printable(demo_id[:40])}{broken}", hint="reachy-mind demonstrations list"
        )

    def get(self, demo_id: str) -> Demonstration:
        dataset = self.summary(demo_id).dataset
        return next(one for one in self.load(dataset) if one.id == demo_id)

    def add(
        self, demonstrations: Sequence[Demonstration], dataset: str = DEFAULT_DATASET
    ) -> list[DemonstrationSummary]:
        """Append to a dataset, which is made if need be. Raises InvalidParameter when they don't fit together."""
        checked_name(dataset)
        known = {one.id for one in self.listing().demonstrations}
        added = [replace(one, id=uuid4().hex[:12]) if one.id in known else one for one in demonstrations]
        self._change(dataset, lambda before: [*before, *added])
        ids = {one.id for one in added}
        return [one for one in self.listing(dataset).demonstrations if one.id in ids]

    def require_fitting(self, dataset: str, fps: int, *, filmed: bool) -> None:
        """Raises InvalidParameter when a demonstration like this can't be added, so that nobody records it in vain;
        DatasetInvalid for a dataset that can't be read."""
        arrow()
        if dataset in self.names():
            there = (one.episode for one in self.listing(dataset).demonstrations)
            require_alike({(fps, filmed), *((one.fps, one.video is not None) for one in there)})

    def remove(self, demo_id: str) -> DemonstrationSummary:
        """Delete a demonstration; a dataset without any goes too."""
        removed = self.summary(demo_id)
        self._change(removed.dataset, lambda before: [one for one in before if one.id != demo_id])
        return removed

    def trim(self, demo_id: str, start: float, end: float | None = None) -> DemonstrationSummary:
        """Keep the part from `start` to `end` seconds. Raises InvalidParameter."""

        def cut(one: Demonstration) -> Demonstration:
            if one.id != demo_id:
                return one
            if one.video is not None:
                one = replace(one, images=video.encoded(video.read_video(one.video, one.video_start, len(one.states))))
            return one.trimmed(start, end)

        self._change(self.summary(demo_id).dataset, lambda before: [cut(one) for one in before])
        return self.summary(demo_id)

    def remove_dataset(self, dataset: str) -> None:
        """Delete a dataset, also one that can't be read."""
        with self.locked(self.require(dataset)) as place:
            self._replace(place, None)

    def require(self, dataset: str) -> str:
        """The name itself. Raises UnknownDemonstration without such a dataset, InvalidParameter."""
        if checked_name(dataset) not in self.names():
            raise UnknownDemonstration(f"there is no dataset {dataset}", hint="reachy-mind demonstrations list")
        return dataset

    def _change(self, dataset: str, change: Change) -> None:
        with self.locked(dataset) as place:
            there = place.exists()
            after = change(read_demonstrations(place) if there else [])
            if len(after) > MAX_DEMONSTRATIONS:
                raise InvalidParameter(f"a dataset has at most {MAX_DEMONSTRATIONS} demonstrations", hint="another one")
            require_alike({(one.fps, one.filmed) for one in after})
            draft = self.folder / f".{dataset}.{uuid4().hex}.new"
            try:
                if after:
                    draft.mkdir(mode=0o700)
                    write_dataset(draft, after, place if there else None)
                self._replace(place, draft if after else None)
            except OSError as error:
                fault = classify(error, place)
                raise MindError(f"the dataset {dataset} can't be written: {fault.cause}", hint=fault.hint) from error
            finally:
                shutil.rmtree(draft, ignore_errors=True)

    def _replace(self, place: Path, draft: Path | None) -> None:
        """Put `draft`, which is complete and on disk, in the place of a dataset."""
        old = self._old(place.name)
        if draft is None:
            # Under a name that no reader takes up again: gone from this moment on.
            old = self.folder / f".{place.name}.{uuid4().hex}.new"
        if place.exists():
            place.rename(old)
        if draft is not None:
            draft.rename(place)
        sync_folder(self.folder)
        shutil.rmtree(old, ignore_errors=True)

    @contextlib.contextmanager
    def locked(self, dataset: str) -> Iterator[Path]:
        """The folder of a dataset, which nobody else changes meanwhile; undoes an interrupted change."""
        make_folder(self.folder)
        try:
            with filelock.FileLock(self.folder / f".{dataset}.lock", timeout=LOCK_TIMEOUT_S):
                place, old = self.folder / dataset, self._old(dataset)
                if old.exists():
                    if place.exists():
                        shutil.rmtree(old, ignore_errors=True)
                    else:
                        os.rename(old, place)  # noqa: PTH104 -- fails, as it must, where a file is in the way
                for draft in self.folder.glob(f".{dataset}.*.new"):
                    shutil.rmtree(draft, ignore_errors=True)
                yield place
        except filelock.Timeout:
            raise NotReady(f"another process is changing the dataset {dataset}", hint="try again later") from None

    def _old(self, dataset: str) -> Path:
        return self.folder / f".{dataset}.old"


def checked_name(text: str) -> str:
    """`text` itself, if it can be the name of a dataset. Raises InvalidParameter."""
    if not NAME.fullmatch(text) or is_device(text):
        raise InvalidParameter(
            f"a dataset can't be called '{printable(text[:80])}'", hint="1 to 64 letters, digits, - and _"
        )
    return text
