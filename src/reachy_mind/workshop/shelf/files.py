"""`VersionFiles`: the files of a version, `<sha256>/{tool.py, about.json, request.json}`, checked at every load.

A version is written into a folder of another name, which is then renamed: it is there as a whole or not at all. Only
the request is ever changed afterwards, to erase it. A verdict is a file of its own, named by its hash.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Collection
from pathlib import Path
from typing import Any
from uuid import uuid4

from reachy_mind.errors import InvalidParameter
from reachy_mind.storage.files import make_folder, write_atomically
from reachy_mind.system.durable_files import sync_folder
from reachy_mind.system.open_files import BYTES, NO_LINK, NO_WAIT, read_at, write_at
from reachy_mind.workshop.shelf.versions import NewVersion, TamperedVersion, canonical

CODE, ABOUT, REQUEST = "tool.py", "about.json", "request.json"
PARTIAL = ".new-"
_EXTRA = ("author", "explanation", "language", "signer")
MAX_FILE = 2 << 20
HINT = "make or import the tool again; a version whose files were changed is never run"


class VersionFiles:
    """The folder of one tool. Blocking; raises OSError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, new: NewVersion) -> tuple[str, str]:
        """Store a version. Returns the hashes of its `about.json` and of its verdict, empty without one."""
        make_folder(self._folder)
        partial = self._folder / f"{PARTIAL}{uuid4().hex}"
        manifest = new.manifest
        code = manifest.pop("code")
        about = canonical(manifest | {key: getattr(new, key) for key in _EXTRA} | {"sentences": list(new.sentences)})
        write_atomically(partial / CODE, code.encode())
        write_atomically(partial / ABOUT, about)
        write_atomically(partial / REQUEST, canonical({"text": new.request, "person": new.person}))
        results = "" if new.results is None else self._write_results(partial, new.results)
        final = self._folder / new.sha256
        if final.exists():  # no line of the log names it: a kill left it
            shutil.rmtree(final)
        partial.rename(final)
        sync_folder(self._folder)
        return hashlib.sha256(about).hexdigest(), results

    def write_results(self, sha256: str, results: dict[str, Any]) -> str:
        """Store the verdict of a trial. Returns its hash."""
        return self._write_results(self._folder / sha256, results)

    @staticmethod
    def _write_results(folder: Path, results: dict[str, Any]) -> str:
        data = canonical(results)
        name = hashlib.sha256(data).hexdigest()
        write_atomically(folder / f"results-{name}.json", data)
        return name

    def write_replay(self, sha256: str, data: bytes) -> None:
        """Store the replay of the last trial, in place of the one before."""
        folder = self._folder / sha256
        name = f"replay-{hashlib.sha256(data).hexdigest()}.json"
        write_atomically(folder / name, data)
        for old in folder.glob("replay-*.json"):
            if old.name != name:
                old.unlink(missing_ok=True)

    def read_replay(self, sha256: str, digest: str) -> bytes | None:
        """The replay with this hash; None when it is not there, or is not what was written."""
        try:
            data = _read(self._folder / sha256 / f"replay-{digest}.json")
        except (FileNotFoundError, ValueError):
            return None
        return data if hashlib.sha256(data).hexdigest() == digest else None

    def read(self, sha256: str, about: str, results: str) -> NewVersion:
        """A stored version. Raises TamperedVersion when it is not what was written."""
        folder = self._folder / sha256
        try:
            data = _read(folder / ABOUT)
            if hashlib.sha256(data).hexdigest() != about:
                raise ValueError(f"{ABOUT} was changed")
            manifest = json.loads(data)
            extra = {key: manifest.pop(key) for key in _EXTRA} | {"sentences": tuple(manifest.pop("sentences"))}
            verdict = self._read_results(folder, results) if results else None
            manifest["code"] = _read(folder / CODE).decode()
            new = NewVersion.from_manifest(manifest, results=verdict, **extra, **self._request(folder))
            if new.sha256 != sha256:
                raise ValueError(f"{CODE} was changed")
        except FileNotFoundError as error:
            raise TamperedVersion(_changed(folder, f"{Path(str(error.filename)).name} is gone"), hint=HINT) from None
        except InvalidParameter as error:
            raise TamperedVersion(_changed(folder, error.message), hint=HINT) from None
        except (ValueError, KeyError, TypeError) as error:
            raise TamperedVersion(_changed(folder, str(error)), hint=HINT) from None
        return new

    @staticmethod
    def _read_results(folder: Path, results: str) -> dict[str, Any]:
        data = _read(folder / f"results-{results}.json")
        if hashlib.sha256(data).hexdigest() != results:
            raise ValueError("the verdict of its trial was changed")
        verdict: dict[str, Any] = json.loads(data)
        return verdict

    @staticmethod
    def _request(folder: Path) -> dict[str, str]:
        """The request and whose it is; empty when it was erased."""
        try:
            request = json.loads(_read(folder / REQUEST))
            return {"request": str(request["text"]), "person": str(request["person"])}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def erase_request(self, sha256: str) -> None:
        """Erase the person's words, also from the blocks of the disk."""
        with (self._folder / sha256 / REQUEST).open("r+b") as file:
            length = os.fstat(file.fileno()).st_size
            write_at(file.fileno(), b"{}" + b" " * max(length - 2, 0), 0)
            os.fsync(file.fileno())

    def clean(self, known: Collection[str]) -> None:
        """Remove what a kill left: partial folders, and versions that no line of the log names."""
        if not self._folder.is_dir():
            return
        for each in self._folder.iterdir():
            if each.is_dir() and not each.is_symlink() and each.name not in known:
                shutil.rmtree(each)
        remove_partial_files(self._folder)
        for name in known:
            remove_partial_files(self._folder / name)


def remove_partial_files(folder: Path) -> None:
    """Remove what a killed `write_atomically` left in a folder."""
    for each in folder.glob(".*.*") if folder.is_dir() else ():
        if each.is_file():
            each.unlink(missing_ok=True)


def _read(path: Path) -> bytes:
    """The content of a regular file. Raises ValueError for anything else that is there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | NO_LINK | NO_WAIT | BYTES)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):
            raise ValueError(f"{path.name} is no file") from None
        raise
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode) or about.st_size > MAX_FILE:
            raise ValueError(f"{path.name} is no file, or too large")
        return read_at(descriptor, MAX_FILE, 0)
    finally:
        os.close(descriptor)


def _changed(folder: Path, why: str) -> str:
    return f"version {folder.name[:12]} of {folder.parent.name} is not what was written: {why}"
