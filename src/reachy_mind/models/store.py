"""The models folder of this machine: what is there, getting what is not, checking that it is still the same.

<folder>/<asset>/             an unpacked asset with its manifest; it appears whole, by one rename
<folder>/incoming/            files a person put there, taken as they are if their hash is right
<folder>/downloads/<asset>/   what has been fetched so far; gone once the asset is unpacked
"""

from __future__ import annotations

import asyncio
import difflib
import errno
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import filelock

from reachy_mind import log
from reachy_mind.errors import AssetError, HashMismatch, InvalidParameter
from reachy_mind.models import sources, unpack
from reachy_mind.models.assets import Asset, LocalFile, Part
from reachy_mind.models.catalogue import CATALOGUE
from reachy_mind.models.digest import Stop, off_loop
from reachy_mind.models.unpack import Manifest, Verification

logger = log.get(__name__)
State = Literal["absent", "partial", "ready"]
Stage = Literal["waiting", "checking", "downloading", "unpacking"]


@dataclass(frozen=True)
class Progress:
    """Where a pull is: `done` of `total` bytes of the asset, counted over all its parts."""

    asset: Asset
    stage: Stage
    done: int
    total: int


@dataclass(frozen=True)
class Status:
    """What is on disk: nothing, something that is not (all of) what the catalogue names, or the unpacked asset."""

    asset: Asset
    state: State
    bytes: int
    path: Path


def ignore(progress: Progress) -> None:
    """For callers who don't want to see progress."""


class Store:
    """The assets in one folder. Cheap to make; the folder is created by the first pull."""

    def __init__(self, folder: Path, catalogue: Mapping[str, Asset] = CATALOGUE) -> None:
        self.folder = folder
        self.catalogue = catalogue

    @property
    def incoming(self) -> Path:
        """Where a person can put downloads by hand."""
        return self.folder / "incoming"

    def asset(self, name: str) -> Asset:
        """The catalogue's entry, or InvalidParameter with the nearest name."""
        if name in self.catalogue:
            return self.catalogue[name]
        near = difflib.get_close_matches(name, self.catalogue, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(self.catalogue)}"
        raise InvalidParameter(f"there is no model or asset called {name}", hint=hint)

    def path(self, name: str) -> Path:
        """The folder of an unpacked asset; AssetError when it has to be pulled first."""
        asset = self.asset(name)
        if not self._is_unpacked(asset):
            size = f"{asset.size / 1e6:.1f} MB"
            raise AssetError(
                f"{name} is not on this machine ({size} to download)", hint=f"reachy-mind models pull {name}"
            )
        return self.folder / name

    def status(self, name: str) -> Status:
        """What is there of an asset, without hashing anything."""
        asset = self.asset(name)
        final = self.folder / name
        stored = _bytes_in(final) + _bytes_in(self._downloads(asset))
        state: State = "ready" if self._is_unpacked(asset) else "partial" if stored else "absent"
        return Status(asset, state, stored, final)

    async def pull(self, name: str, progress: Callable[[Progress], None] = ignore) -> Path:
        """Make an asset ready and return its folder; one that is there and intact is left alone, a damaged one is
        fetched again. May be cancelled or killed at any time: the next pull goes on from what was fetched.

        Raises HashMismatch or AssetError, saying what each source answered, or what is wrong with the disk.
        """
        asset = self.asset(name)
        with self._disk_trouble(asset):
            if await self._is_intact(asset, progress) and not self._downloads(asset).exists():
                return self.folder / name
            async with self._lock(asset, progress):
                if not await self._is_intact(asset, progress):
                    await self._fetch_and_unpack(asset, progress)
                await off_loop(_remove, self._downloads(asset))
        return self.folder / name

    async def verify(self, name: str) -> Verification:
        """Hash an unpacked asset again; the result names each file that changed, is missing or does not belong."""
        folder = self.path(name)
        manifest = Manifest.read(folder)
        assert manifest is not None, "path() has read it"
        with self._disk_trouble(self.asset(name)):
            return await off_loop(unpack.verify, name, folder, manifest)

    def _downloads(self, asset: Asset) -> Path:
        return self.folder / "downloads" / asset.name

    def _is_unpacked(self, asset: Asset) -> bool:
        manifest = Manifest.read(self.folder / asset.name)
        return manifest is not None and manifest.edition == asset.edition

    async def _is_intact(self, asset: Asset, progress: Callable[[Progress], None]) -> bool:
        if not self._is_unpacked(asset):
            return False
        progress(Progress(asset, "checking", 0, asset.unpacked_size))
        result = await self.verify(asset.name)
        if not result.intact:
            logger.warning("asset is damaged and will be fetched again", asset=asset.name, what=result.differences())
        return result.intact

    @asynccontextmanager
    async def _lock(self, asset: Asset, progress: Callable[[Progress], None]) -> AsyncIterator[None]:
        """One pull of an asset at a time, over all processes; the others wait and then find it done."""
        folder = self.folder / "downloads"
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        lock = filelock.AsyncFileLock(folder / f"{asset.name}.lock")
        try:
            await lock.acquire(blocking=False)
        except filelock.Timeout:
            progress(Progress(asset, "waiting", 0, asset.size))
            await lock.acquire()
        try:
            yield
        finally:
            await lock.release()

    async def _fetch_and_unpack(self, asset: Asset, progress: Callable[[Progress], None]) -> None:
        downloads = self._downloads(asset)
        fresh, old = downloads / "unpacked", downloads / "old"
        await off_loop(_remove, fresh, old)  # what a pull that was killed has left
        downloads.mkdir(exist_ok=True)
        parts: list[Path] = []
        for part in asset.parts:
            done = sum(before.size for before in asset.parts[: len(parts)])
            parts.append(await self._fetch(asset, part, done, progress))
        self._check_room(asset, asset.unpacked_size)
        progress(Progress(asset, "unpacking", 0, asset.unpacked_size))
        await off_loop(unpack.unpack, asset, parts, fresh)
        final = self.folder / asset.name
        if final.exists():
            final.rename(old)
        fresh.rename(final)
        progress(Progress(asset, "unpacking", asset.unpacked_size, asset.unpacked_size))

    async def _fetch(self, asset: Asset, part: Part, done: int, progress: Callable[[Progress], None]) -> Path:
        """One part, from the first source that delivers it."""
        downloads = self._downloads(asset)
        finished = downloads / part.filename
        if finished.exists():
            try:
                await off_loop(sources.check, part, finished)
            except HashMismatch:
                finished.unlink()
            else:
                return finished

        def report(here: int) -> None:
            progress(Progress(asset, "downloading", done + here, asset.size))

        report(0)
        answers: list[tuple[str, AssetError]] = []
        for source in part.sources:
            if not isinstance(source, LocalFile):
                self._check_room(asset, asset.size + asset.unpacked_size - _bytes_in(downloads))
            try:
                path = await sources.fetch(part, source, downloads, self.incoming, report)
            except AssetError as error:
                tell = logger.warning if isinstance(error, HashMismatch) else logger.debug
                tell("source failed", asset=asset.name, source=str(source), reason=error.message)
                answers.append((str(source), error))
            else:
                report(part.size)
                return path
        raise self._no_source(asset, part, answers)

    def _no_source(self, asset: Asset, part: Part, answers: list[tuple[str, AssetError]]) -> AssetError:
        said = "; ".join(f"{source}: {error.message}" for source, error in answers)
        kind = HashMismatch if any(isinstance(error, HashMismatch) for _, error in answers) else AssetError
        hints = [error.hint for _, error in answers if error.hint]
        hint = f"check the network and pull again, or put {part.filename} into {self.incoming}"
        return kind(f"no source delivers {part.filename} of {asset.name}: {said}", hint=hints[-1] if hints else hint)

    def _check_room(self, asset: Asset, needed: int) -> None:
        free = shutil.disk_usage(self.folder).free
        if needed > free:
            raise AssetError(
                f"{asset.name} needs {needed / 1e6:.0f} MB in {self.folder}, where {free / 1e6:.0f} MB are free",
                hint="free some space, or set models.folder to a folder on another disk",
            )

    @contextmanager
    def _disk_trouble(self, asset: Asset) -> Iterator[None]:
        """An OSError of our own disk, in words."""
        try:
            yield
        except OSError as error:
            place = error.filename or self.folder
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                message, hint = "there is no room left", "free some space, or set models.folder to another disk"
            elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
                message, hint = "we may not write there", "change its permissions, or set models.folder"
            else:
                message, hint = error.strerror or str(error), "check models.folder"
            raise AssetError(f"{asset.name} can't be stored in {place}: {message}", hint=hint) from error


def _bytes_in(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def _remove(stop: Stop, *folders: Path) -> None:
    for folder in folders:
        stop.check()
        shutil.rmtree(folder, ignore_errors=True)
