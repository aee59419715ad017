"""Moves of other people, fetched from the Hugging Face Hub into a folder.

Each is checked as a move before it gets its name there, and gets one only if it may: nothing of a remote path becomes a
local path. One bad file does not spoil the rest, and a pull that is cut short leaves whole moves or none.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import filelock
import httpx

from reachy_mind.errors import AssetError, InvalidParameter, MindError, NotReady
from reachy_mind.models.digest import Stop, off_loop
from reachy_mind.motion import clips
from reachy_mind.motion.datasets import DATA, OFFLINE, Cache, Entry, Hub, Source, check_dataset
from reachy_mind.motion.recording import LARGEST_BYTES, printable

ENDPOINT = "https://huggingface.co"
EMOTIONS = "pollen-robotics/reachy-mini-emotions-library"
"""The vendor's emotions, with sounds."""
MOST_MOVES = 2000
LARGEST_DATASET = 1 << 30
PATIENCE = 3
"""So many files in a row without an answer, and the Hub counts as gone."""

Report = Callable[[str, int, int], None]
"""Told the name of a move, how many have been dealt with, and how many there are."""


@dataclass
class Pulled:
    """The moves that are in the folder now, those of them that were there before, and what was refused, with why."""

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
    report: Report | None = None,
) -> Pulled:
    """Fetch the moves of `dataset` (ORG/NAME) into `folder`, which is for this dataset alone.

    `cache` is a Hugging Face cache folder ($HF_HOME): a dataset that is in there is taken from there, without a
    network. Raises InvalidParameter for a name that is none, AssetError when the Hub can't be reached or has no such
    dataset, NotReady while another pull fills the same folder.
    """
    check_dataset(dataset)
    drafts = folder / ".pull"
    try:
        await off_loop(lambda _: folder.mkdir(parents=True, exist_ok=True))
        async with filelock.AsyncFileLock(folder / ".pull.lock", timeout=0):
            try:
                shutil.rmtree(drafts, ignore_errors=True)  # of a pull that was killed
                await off_loop(lambda _: drafts.mkdir())
                if cache is not None and (entries := await (cached := Cache(cache, dataset)).entries()):
                    pulled = await _Pull(cached, folder, drafts, report).run(entries)
                    if pulled.names:
                        pulled.from_cache = True
                        return pulled
                async with Hub(endpoint, dataset, token) as hub:
                    return await _Pull(hub, folder, drafts, report).run(await hub.entries())
            finally:
                shutil.rmtree(drafts, ignore_errors=True)
    except filelock.Timeout:
        raise NotReady(f"{dataset} is being fetched already", hint="wait until that has ended") from None
    except OSError as error:
        raise AssetError(f"{folder} can't be written: {error.strerror or error}", hint="see its permissions") from error


def default_cache() -> Path:
    """Where Hugging Face programs keep what they fetched when $HF_HOME does not say otherwise."""
    return Path.home() / ".cache" / "huggingface"


@dataclass
class _Wanted:
    move: Entry
    sound: Entry | None = None

    @property
    def sound_suffix(self) -> str:
        return "" if self.sound is None else "." + self.sound.path.rpartition(".")[2]


class _Pull:
    """One dataset, from one source, into one folder."""

    def __init__(self, source: Source, folder: Path, drafts: Path, report: Report | None) -> None:
        self._source, self._folder, self._drafts, self._report = source, folder, drafts, report
        self._pulled = Pulled()
        self._unanswered = 0
        self._room = LARGEST_DATASET

    async def run(self, entries: Iterable[Entry]) -> Pulled:
        wanted = self._plan(entries)
        for number, (name, want) in enumerate(wanted.items()):
            await self._take(name, want)
            if self._report is not None:
                self._report(name, number + 1, len(wanted))
        return self._pulled

    def _plan(self, entries: Iterable[Entry]) -> dict[str, _Wanted]:
        """What to fetch, by name: the moves at the top and in data/, each with its sound."""
        wanted: dict[str, _Wanted] = {}
        sounds: dict[tuple[str, str], Entry] = {}
        for entry in entries:
            folder, _, file = entry.path.rpartition("/")
            stem, dot, suffix = file.rpartition(".")
            if folder not in ("", DATA):
                if dot + suffix == clips.SUFFIX and ".." in folder.split("/"):
                    self._refuse(entry.path, "its path leads out of the dataset")
            elif dot + suffix in clips.SOUND_SUFFIXES:
                known = sounds.get((folder, stem))
                if known is None or _preference(entry) < _preference(known):
                    sounds[folder, stem] = entry
            elif dot + suffix == clips.SUFFIX:
                try:
                    clips.clean_name(stem)
                except InvalidParameter as error:
                    self._refuse(entry.path, error.message)
                    continue
                if stem in wanted:
                    self._refuse(entry.path, "another move of the dataset has this name")
                elif len(wanted) >= MOST_MOVES:
                    self._refuse(entry.path, f"the dataset has more than {MOST_MOVES} moves")
                else:
                    wanted[stem] = _Wanted(entry)
        for name, want in wanted.items():
            want.sound = sounds.get((want.move.path.rpartition("/")[0], name))
        return wanted

    async def _take(self, name: str, want: _Wanted) -> None:
        target = self._folder / f"{name}{clips.SUFFIX}"
        if await off_loop(_is_there, target, want):
            self._pulled.names.append(name)
            self._pulled.unchanged.append(name)
            return
        draft = self._drafts / target.name
        ready = [draft]
        if not await self._fetched(name, want.move, draft, LARGEST_BYTES):
            return
        try:
            await off_loop(lambda _: clips.read(draft))
        except MindError as error:
            self._refuse(name, error.message.removeprefix(f"{draft}: "))
            return
        if want.sound is not None:
            sound = draft.with_suffix(want.sound_suffix)
            if await self._fetched(sound.name, want.sound, sound, clips.LARGEST_SOUND_BYTES):
                ready.append(sound)
        await off_loop(lambda _: clips.place(ready, target, overwrite=True))
        self._pulled.names.append(name)

    async def _fetched(self, name: str, entry: Entry, target: Path, most: int) -> bool:
        if entry.size > most:
            self._refuse(name, f"has {entry.size >> 20} MiB, more than {most >> 20}")
            return False
        if entry.size > self._room:
            self._refuse(name, f"the dataset has more than {LARGEST_DATASET >> 20} MiB")
            return False
        self._room -= entry.size
        try:
            await self._source.fetch(entry, target)
        except httpx.TransportError as error:
            self._unanswered += 1
            if self._unanswered >= PATIENCE:
                done = len(self._pulled.names)
                raise AssetError(f"the Hub stopped answering; {done} moves are here", hint=OFFLINE) from error
            self._refuse(name, f"the Hub did not send it: {str(error) or type(error).__name__}")
            return False
        except MindError as error:
            self._refuse(name, error.message)
            return False
        self._unanswered = 0
        return True

    def _refuse(self, name: str, reason: str) -> None:
        self._pulled.refused.append((printable(name[:200]), printable(reason)))


def _is_there(_: Stop, target: Path, want: _Wanted) -> bool:
    there = [suffix for suffix in clips.SOUND_SUFFIXES if target.with_suffix(suffix).exists()]
    if there != ([want.sound_suffix] if want.sound is not None else []) or not want.move.same_as(target):
        return False
    return want.sound is None or want.sound.same_as(target.with_suffix(want.sound_suffix))


def _preference(entry: Entry) -> int:
    return clips.SOUND_SUFFIXES.index("." + entry.path.rpartition(".")[2])
