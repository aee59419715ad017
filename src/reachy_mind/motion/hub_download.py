"""Downloads datasets of moves from the Hugging Face Hub into a folder.

Each file is validated as a move before it is installed under a checked name: no remote path becomes a local path. An
invalid file does not stop the download, and an interrupted download leaves no partial move.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import filelock
import httpx

from reachy_mind.errors import AssetError, InvalidParameter, MindError, NotReady
from reachy_mind.models.file_hashing import CancelFlag, run_in_thread
from reachy_mind.motion import clips
from reachy_mind.motion.datasets import (
    DATA_FOLDER,
    OFFLINE_HINT,
    DatasetEntry,
    DatasetSource,
    HubCache,
    HuggingFaceHub,
    check_dataset,
)
from reachy_mind.motion.move_format import MAX_BYTES, printable

ENDPOINT = "https://huggingface.co"
EMOTIONS = "pollen-robotics/reachy-mini-emotions-library"
"""The vendor's emotions, with sounds."""
MAX_MOVES = 2000
MAX_DATASET_BYTES = 1 << 30
MAX_UNANSWERED_FILES = 3
"""After this many files in a row without an answer the download stops."""

ProgressReport = Callable[[str, int, int], None]
"""Called with the name of a move, the number done and the total."""


@dataclass
class DownloadedDataset:
    """The moves now in the folder, those of them that were unchanged, and refused files with the reason."""

    names: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    from_cache: bool = False


async def pull_dataset(
    dataset: str,
    folder: Path,
    *,
    endpoint: str = ENDPOINT,
    token: str = "",
    cache: Path | None = None,
    report: ProgressReport | None = None,
) -> DownloadedDataset:
    """Download the moves of `dataset` (ORG/NAME) into `folder`, which belongs to this dataset alone.

    `cache` is a Hugging Face cache folder ($HF_HOME): a cached dataset is copied from there, without a network. Raises
    InvalidParameter for an invalid name, AssetError when the Hub can't be reached or has no such dataset, NotReady
    while another download into the same folder is running.
    """
    check_dataset(dataset)
    drafts = folder / ".pull"
    try:
        await run_in_thread(lambda _: folder.mkdir(parents=True, exist_ok=True))
        async with filelock.AsyncFileLock(folder / ".pull.lock", timeout=0):
            try:
                shutil.rmtree(drafts, ignore_errors=True)  # left by a killed download
                await run_in_thread(lambda _: drafts.mkdir())
                if cache is not None and (entries := await (cached := HubCache(cache, dataset)).entries()):
                    pulled = await _Pull(cached, folder, drafts, report).run(entries)
                    if pulled.names:
                        pulled.from_cache = True
                        return pulled
                async with HuggingFaceHub(endpoint, dataset, token) as hub:
                    return await _Pull(hub, folder, drafts, report).run(await hub.entries())
            finally:
                shutil.rmtree(drafts, ignore_errors=True)
    except filelock.Timeout:
        raise NotReady(f"{dataset} is already being downloaded", hint="wait until it has finished") from None
    except OSError as error:
        raise AssetError(f"{folder} can't be written: {error.strerror or error}", hint="see its permissions") from error


def default_cache() -> Path:
    """The Hugging Face cache folder when $HF_HOME is not set."""
    return Path.home() / ".cache" / "huggingface"


@dataclass
class _PlannedMove:
    move: DatasetEntry
    sound: DatasetEntry | None = None

    @property
    def sound_suffix(self) -> str:
        return "" if self.sound is None else "." + self.sound.path.rpartition(".")[2]


class _Pull:
    """The download of one dataset from one source into one folder."""

    def __init__(self, source: DatasetSource, folder: Path, drafts: Path, report: ProgressReport | None) -> None:
        self._source, self._folder, self._drafts, self._report = source, folder, drafts, report
        self._pulled = DownloadedDataset()
        self._unanswered = 0
        self._bytes_left = MAX_DATASET_BYTES

    async def run(self, entries: Iterable[DatasetEntry]) -> DownloadedDataset:
        wanted = self._plan(entries)
        for number, (name, want) in enumerate(wanted.items()):
            await self._take(name, want)
            if self._report is not None:
                self._report(name, number + 1, len(wanted))
        return self._pulled

    def _plan(self, entries: Iterable[DatasetEntry]) -> dict[str, _PlannedMove]:
        """What to download, by name: the moves in the root and in data/, each with its sound."""
        wanted: dict[str, _PlannedMove] = {}
        sounds: dict[tuple[str, str], DatasetEntry] = {}
        for entry in entries:
            folder, _, file = entry.path.rpartition("/")
            stem, dot, suffix = file.rpartition(".")
            if folder not in ("", DATA_FOLDER):
                if dot + suffix == clips.SUFFIX and ".." in folder.split("/"):
                    self._refuse(entry.path, "its path leads out of the dataset")
            elif dot + suffix in clips.SOUND_SUFFIXES:
                known = sounds.get((folder, stem))
                if known is None or _preference(entry) < _preference(known):
                    sounds[folder, stem] = entry
            elif dot + suffix == clips.SUFFIX:
                try:
                    clips.checked_name(stem)
                except InvalidParameter as error:
                    self._refuse(entry.path, error.message)
                    continue
                if stem in wanted:
                    self._refuse(entry.path, "another move of the dataset has this name")
                elif len(wanted) >= MAX_MOVES:
                    self._refuse(entry.path, f"the dataset has more than {MAX_MOVES} moves")
                else:
                    wanted[stem] = _PlannedMove(entry)
        for name, want in wanted.items():
            want.sound = sounds.get((want.move.path.rpartition("/")[0], name))
        return wanted

    async def _take(self, name: str, want: _PlannedMove) -> None:
        target = self._folder / f"{name}{clips.SUFFIX}"
        if await run_in_thread(_is_current, target, want):
            self._pulled.names.append(name)
            self._pulled.unchanged.append(name)
            return
        draft = self._drafts / target.name
        ready = [draft]
        if not await self._fetch(name, want.move, draft, MAX_BYTES):
            return
        try:
            await run_in_thread(lambda _: clips.read(draft))
        except MindError as error:
            self._refuse(name, error.message.removeprefix(f"{draft}: "))
            return
        if want.sound is not None:
            sound = draft.with_suffix(want.sound_suffix)
            if await self._fetch(sound.name, want.sound, sound, clips.MAX_SOUND_BYTES):
                ready.append(sound)
        await run_in_thread(lambda _: clips.install(ready, target, overwrite=True))
        self._pulled.names.append(name)

    async def _fetch(self, name: str, entry: DatasetEntry, target: Path, most: int) -> bool:
        if entry.size > most:
            self._refuse(name, f"has {entry.size >> 20} MiB, more than {most >> 20}")
            return False
        if entry.size > self._bytes_left:
            self._refuse(name, f"the dataset has more than {MAX_DATASET_BYTES >> 20} MiB")
            return False
        self._bytes_left -= entry.size
        try:
            await self._source.fetch(entry, target)
        except httpx.TransportError as error:
            self._unanswered += 1
            if self._unanswered >= MAX_UNANSWERED_FILES:
                done = len(self._pulled.names)
                raise AssetError(f"the Hub stopped answering; {done} moves are here", hint=OFFLINE_HINT) from error
            self._refuse(name, f"the Hub did not send it: {str(error) or type(error).__name__}")
            return False
        except MindError as error:
            self._refuse(name, error.message)
            return False
        self._unanswered = 0
        return True

    def _refuse(self, name: str, reason: str) -> None:
        self._pulled.refused.append((printable(name[:200]), printable(reason)))


def _is_current(_: CancelFlag, target: Path, want: _PlannedMove) -> bool:
    there = [suffix for suffix in clips.SOUND_SUFFIXES if target.with_suffix(suffix).exists()]
    if there != ([want.sound_suffix] if want.sound is not None else []) or not want.move.matches(target):
        return False
    return want.sound is None or want.sound.matches(target.with_suffix(want.sound_suffix))


def _preference(entry: DatasetEntry) -> int:
    return clips.SOUND_SUFFIXES.index("." + entry.path.rpartition(".")[2])
