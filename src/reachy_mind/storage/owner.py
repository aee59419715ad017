"""The owner lock: one mind per data folder, and `run/mind.json`, where other commands find the running mind.

`run/mind.json` holds pid, port and token and is readable by the user alone. The lock decides; the file is only a
pointer, and one left behind by a killed mind is ignored because nothing holds the lock.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from reachy_mind.errors import AlreadyRunning, ConfigError, NotReady
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder
from reachy_mind.storage.home import Home
from reachy_mind.storage.home_replacement import settle
from reachy_mind.system.durable_files import replace

START_TIMEOUT_S = 30.0
"""How long `find` waits for a mind that is starting."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A running mind: its process, the port of its server, and the token for it."""

    pid: int
    port: int
    token: str


class Ownership:
    """The lock on a data folder, held for the duration of a `with` block. Raises AlreadyRunning, ConfigError.

    A restore that was interrupted here is carried on first.
    """

    def __init__(self, home: Home) -> None:
        self._folder = home.run_folder
        self._lock = FileLock(self._folder / "mind.lock", mode=0o600)

    def __enter__(self) -> Self:
        try:
            make_folder(self._folder)
            self._lock.acquire(timeout=0.3)  # `find` holds it for an instant
        except Timeout:
            owner = _read(self._folder)
            who = f"process {owner.pid}, port {owner.port}" if owner else "another process"
            raise AlreadyRunning(
                f"a mind is already running ({who})", hint="use it, or stop it with Ctrl-C where it runs"
            ) from None
        except OSError as error:
            fault = classify(error, self._folder)
            raise ConfigError(
                f"the data folder {self._folder.parent} can't be written: {fault.cause}", hint=fault.hint
            ) from error
        (self._folder / "mind.json").unlink(missing_ok=True)
        try:
            settle(self._folder.parent)
        except BaseException:
            self._lock.release()
            raise
        return self

    def announce(self, port: int) -> Owner:
        """Write `run/mind.json`, where other commands of this user find the mind's server."""
        owner = Owner(os.getpid(), port, secrets.token_urlsafe(32))
        partial = self._folder / "mind.json.new"
        partial.unlink(missing_ok=True)
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(owner), file)
        replace(partial, self._folder / "mind.json")
        return owner

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        (self._folder / "mind.json").unlink(missing_ok=True)
        self._lock.release()


def find(home: Home) -> Owner | None:
    """The mind that owns this data folder, if one runs; waits for one that is starting.

    Raises NotReady when it holds the lock but does not announce itself in time.
    """
    lock = FileLock(home.run_folder / "mind.lock", mode=0o600)
    if not home.run_folder.is_dir():
        return None
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            found = _read(home.run_folder)
            if found is not None:
                return found
        except OSError:
            return None
        else:
            lock.release()
            return None
        if time.monotonic() > deadline:
            raise NotReady("a mind is starting, but does not become ready", hint="see the terminal where it runs")
        time.sleep(0.1)


class OwnerRecord:
    """The content of `run/mind.json`, for the mind that wrote it: does not check the lock."""

    def __init__(self, home: Home) -> None:
        self._folder = home.run_folder
        self._known: tuple[tuple[int, int, int], Owner | None] | None = None

    def read(self) -> Owner | None:
        """The owner; the file is read again only when it has changed."""
        try:
            about = (self._folder / "mind.json").stat()
        except OSError:
            return None
        stamp = (about.st_ino, about.st_mtime_ns, about.st_size)
        if self._known is None or self._known[0] != stamp:
            self._known = (stamp, _read(self._folder))
        return self._known[1]


def _read(folder: Path) -> Owner | None:
    try:
        return Owner(**json.loads((folder / "mind.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
