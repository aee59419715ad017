"""`Journal`: the append-only log of one tool, and `HEAD`.

Each line of `log.jsonl` is a JSON object with its sequence number and the hash of the line before it. A line counts
once its newline is on disk, so the log is valid after a kill at any moment: a piece of a line at the end is dropped.
`HEAD` is written after the log and names the latest line and the active version. The log decides; a log that lacks
the line that `HEAD` names was cut short, and is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder, write_atomically
from reachy_mind.system.durable_files import sync_folder
from reachy_mind.system.open_files import BYTES, NO_LINK, read_at, write_at
from reachy_mind.workshop.shelf.versions import ShelfError, TamperedVersion, canonical

LOG, HEAD = "log.jsonl", "HEAD"
MAX_LOG_BYTES = 8 << 20
START = "0" * 64
HINT = "put the folder back from a backup, or remove it and make the tool again"

Entry = dict[str, Any]


class Journal:
    """Blocking. Only one process may append at a time (`Shelf` holds the lock)."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._log, self._head = folder, folder / LOG, folder / HEAD
        self._known: tuple[tuple[int, ...], tuple[Entry, ...], str] | None = None

    def entries(self) -> tuple[Entry, ...]:
        """Every event so far. Raises TamperedVersion, ShelfError."""
        return self._read()[0]

    def append(self, events: Iterable[Mapping[str, Any]], active: str | None) -> None:
        """Write events in one go: after a kill all of them are there, or none. `active`: the active version then.

        Raises TamperedVersion, ShelfError.
        """
        entries, last = self._read()
        lines: list[bytes] = []
        for event in events:
            entry = {"seq": len(entries) + len(lines), "at": round(time.time(), 3), "previous": last, **event}
            lines.append(canonical(entry))
            last = hashlib.sha256(lines[-1]).hexdigest()
        head = {"seq": len(entries) + len(lines) - 1, "digest": last, "active": active}
        try:
            self._write(b"".join(line + b"\n" for line in lines))
            write_atomically(self._head, canonical(head))
        except OSError as error:
            fault = classify(error, self._log)
            raise ShelfError(f"the log of {self._folder.name} can't be written: {fault.cause}", hint=fault.hint) from (
                error
            )

    def _write(self, data: bytes) -> None:
        make_folder(self._folder)
        new = not self._log.exists()
        descriptor = os.open(self._log, os.O_RDWR | os.O_CREAT | NO_LINK | BYTES, 0o600)
        try:
            whole = _whole(read_at(descriptor, MAX_LOG_BYTES, 0))
            os.ftruncate(descriptor, len(whole))  # a piece of a line that a kill left
            try:
                if write_at(descriptor, data, len(whole)) < len(data):
                    raise OSError("the log could only be written in part")
                os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, len(whole))
                raise
        finally:
            os.close(descriptor)
        if new:
            sync_folder(self._folder)

    def _read(self) -> tuple[tuple[Entry, ...], str]:
        try:
            # HEAD first: it never names a line that is not in the log yet.
            head = self._head.read_bytes() if self._head.exists() else b""
            if not self._log.exists():
                if head:
                    raise TamperedVersion(f"the log of {self._folder.name} is gone", hint=HINT)
                return (), START
            about = self._log.stat()
            stamp = (about.st_ino, about.st_size, about.st_mtime_ns)
            if self._known is None or self._known[0] != stamp:
                if about.st_size > MAX_LOG_BYTES:
                    raise TamperedVersion(f"the log of {self._folder.name} is too large", hint=HINT)
                data = self._log.read_bytes()
                entries, last = self._parse(data)
                self._known = ((about.st_ino, len(data), about.st_mtime_ns), entries, last)
            _, entries, last = self._known
        except OSError as error:
            fault = classify(error, self._log)
            raise ShelfError(f"{self._log} can't be read: {fault.cause}", hint=fault.hint) from error
        self._require_complete(entries, last, head)
        return entries, last

    def _parse(self, data: bytes) -> tuple[tuple[Entry, ...], str]:
        entries: list[Entry] = []
        last = START
        for number, line in enumerate(_whole(data).splitlines()):
            try:
                entry = json.loads(line)
            except ValueError:
                entry = None
            if not isinstance(entry, dict) or entry.get("seq") != number or entry.get("previous") != last:
                raise TamperedVersion(f"the log of {self._folder.name} was changed at line {number + 1}", hint=HINT)
            entries.append(entry)
            last = hashlib.sha256(line).hexdigest()
        return tuple(entries), last

    def _require_complete(self, entries: tuple[Entry, ...], last: str, head: bytes) -> None:
        """Raises TamperedVersion when lines that HEAD knows are missing."""
        if not head:
            return
        try:
            named = json.loads(head)
            seq, digest = int(named["seq"]), str(named["digest"])
        except (ValueError, TypeError, KeyError):
            raise TamperedVersion(f"HEAD of {self._folder.name} was changed", hint=HINT) from None
        found = last if seq == len(entries) - 1 else entries[seq + 1]["previous"] if 0 <= seq < len(entries) else ""
        if found != digest:
            raise TamperedVersion(f"the log of {self._folder.name} was cut short or changed", hint=HINT)


def _whole(data: bytes) -> bytes:
    """The complete lines."""
    return data[: data.rfind(b"\n") + 1]
