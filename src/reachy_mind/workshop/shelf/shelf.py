"""`Shelf`: immutable versions of generated tools, their states, approvals and the one that is in use.

    <folder>/<name>/log.jsonl      what happened to the tool's versions; the log decides
    <folder>/<name>/HEAD           the latest line of the log and the active version
    <folder>/<name>/<sha256>/      one version, see `files`
    <folder>/signing.key           signs approvals and bundles

A person approves one hash with its capabilities; nothing else can be activated. Every load checks the hash. A version
whose files were changed is refused and put in quarantine, as is one whose runs are killed or denied repeatedly. All
methods block and are atomic: after a kill at any step a change has happened or it has not.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import threading
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from reachy_mind.errors import InvalidParameter
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder
from reachy_mind.tools.builtin.workshop import MAX_REASON
from reachy_mind.tools.definition import NAME
from reachy_mind.workshop.shelf import diffs
from reachy_mind.workshop.shelf.diffs import VersionDiff
from reachy_mind.workshop.shelf.files import VersionFiles, remove_partial_files
from reachy_mind.workshop.shelf.history import History, VersionRecord, Which, approval_text, replay
from reachy_mind.workshop.shelf.journal import LOG, Entry, Journal
from reachy_mind.workshop.shelf.signing import SigningKey, fingerprint
from reachy_mind.workshop.shelf.versions import (
    NewVersion,
    NoSuchVersion,
    NotApproved,
    NotTested,
    ShelfError,
    TamperedVersion,
    ToolVersion,
    VersionState,
    content_of,
)

MAX_TOOLS, MAX_VERSIONS = 500, 500
FAULTS, WITHIN_S = 3, 86_400.0
"""So many killed or denied runs within this time put a version in quarantine."""
MAX_NOTICED = 100
LOCK_TIMEOUT_S = 20.0
HASH = re.compile("[0-9a-f]{64}")


class Shelf:
    """The versions in one folder. Several processes may use it; changes exclude one another."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.key = SigningKey(folder / "signing.key")
        self._journals: dict[str, Journal] = {}
        self._histories: dict[str, tuple[tuple[Entry, ...], History]] = {}
        self._thread = threading.RLock()
        self._file_lock = FileLock(folder / ".lock", mode=0o600, thread_local=False)

    # Reading

    def names(self) -> list[str]:
        """Every tool with a version, by name. Raises ShelfError."""
        try:
            if not self._folder.is_dir():
                return []
            found = [each.name for each in self._folder.iterdir() if (each / LOG).is_file()]
        except OSError as error:
            raise self._unreadable(error) from error
        return sorted(name for name in found if NAME.fullmatch(name) and self._has_entries(name))

    def _has_entries(self, name: str) -> bool:
        try:
            return bool(self._journal(name).entries())
        except TamperedVersion:
            return True  # whoever asks for its versions is told

    def versions(self, name: str) -> list[ToolVersion]:
        """Every version of a tool, the oldest first; one that can't be trusted says so in `trouble`.

        Raises NoSuchVersion, TamperedVersion for a changed log, ShelfError.
        """
        history = self._history(name)
        if not history.records:
            raise NoSuchVersion(f"no tool called {name[:80]!r} is on the shelf", hint="reachy-mind workshop list")
        return [self._shown(name, sha256) for sha256 in history.records]

    def active(self, name: str) -> ToolVersion | None:
        """The version in use, checked; None without one. Raises TamperedVersion, ShelfError."""
        history = self._history(name)
        return None if history.active is None else self._load(name, history, history.records[history.active])

    def get(self, name: str, which: Which) -> ToolVersion:
        """A version by its number (2, "v2") or its hash, checked. Raises NoSuchVersion, TamperedVersion, ShelfError."""
        history = self._history(name)
        return self._load(name, history, history.find(which))

    def diff(self, name: str, old: Which | None, new: Which) -> VersionDiff:
        """What changes from one version to another. `old` None: from the one in use, else the last approved one."""
        history = self._history(name)
        target = history.find(new)
        reference = history.find(old) if old is not None else history.reference(target)
        before = self._load(name, history, reference) if reference else None
        return diffs.compare(before, self._load(name, history, target))

    def replay(self, name: str, which: Which) -> bytes | None:
        """The replay of a version's last trial; None without one. Raises NoSuchVersion, TamperedVersion, ShelfError."""
        version = self.get(name, which)
        try:
            return self._files(name).read_replay(version.sha256, digest) if (digest := _replay_of(version)) else None
        except OSError as error:
            raise self._unreadable(error) from error

    # Changes

    def add(self, new: NewVersion) -> ToolVersion:
        """Put a version on the shelf: a draft, or tested when it passed its trial. The same content is one version.

        Raises ShelfError.
        """
        with self._changing(new.name) as (history, journal):
            record = history.records.get(new.sha256)
            if record is not None:
                if new.results is not None and not record.passed:
                    self.record_trial(new.name, new.sha256, new.results)
                return self.get(new.name, new.sha256)
            if len(history.records) >= MAX_VERSIONS or (not history.records and len(self.names()) >= MAX_TOOLS):
                raise ShelfError("the shelf is full", hint=f"remove folders of old tools in {self._folder}")
            about, results = self._files(new.name).write(new)
            event = {"event": "added", "sha256": new.sha256, "number": len(history.records) + 1, "signer": new.signer}
            journal.append([event | {"about": about, "results": results, "passed": new.passed}], history.active)
        return self.get(new.name, new.sha256)

    def record_trial(self, name: str, which: Which, results: dict[str, Any]) -> ToolVersion:
        """Store the verdict of a trial here. Raises NoSuchVersion, TamperedVersion, InvalidParameter, ShelfError."""
        with self._changing(name) as (history, journal):
            version = self.get(name, which)
            checked = NewVersion(**(content_of(version) | {"results": results}))
            stored = self._files(name).write_results(version.sha256, results)
            event = {"event": "tried", "sha256": version.sha256, "results": stored, "passed": checked.passed}
            journal.append([event], history.active)
        return self.get(name, version.sha256)

    def keep_replay(self, name: str, which: Which, data: bytes) -> None:
        """Store the replay of a version's last trial, if its verdict names it. Raises as `record_trial`."""
        with self._changing(name):
            version = self.get(name, which)
            if _replay_of(version) == hashlib.sha256(data).hexdigest():
                self._files(name).write_replay(version.sha256, data)

    def approve(
        self, name: str, which: Which, by: str, *, capabilities: Collection[str] | None = None, activate: bool = False
    ) -> ToolVersion:
        """A person approves this very content. `by`: how the yes came, such as the id of the confirmed call.

        `capabilities`: what the person was shown; a version with others is refused. Raises NotTested,
        NoSuchVersion, TamperedVersion, InvalidParameter, ShelfError.
        """
        with self._changing(name) as (history, journal):
            version = self.get(name, which)
            if capabilities is not None and sorted(capabilities) != list(version.capabilities):
                shown = ", ".join(version.capabilities) or "none"
                raise InvalidParameter(f"version {version.number} has other capabilities: {shown}", hint="look again")
            if not version.passed:
                hint = "try it first: reachy-mind workshop trial"
                raise NotTested(f"version {version.number} of {name} passed no trial here", hint=hint)
            self.key.create()
            approval = approval_text(name, version.sha256, version.capabilities, by)
            event: dict[str, Any] = {
                "event": "approved",
                "sha256": version.sha256,
                "capabilities": list(version.capabilities),
                "by": by,
                "signature": self.key.sign(approval),
            }
            also = [{"event": "activated", "sha256": version.sha256}] if activate else []
            journal.append([event, *also], version.sha256 if activate else history.active)
        return self.get(name, version.sha256)

    def reject(self, name: str, which: Which, reason: str = "") -> ToolVersion:
        """A person says no; a version in use is no longer. Raises NoSuchVersion, TamperedVersion, ShelfError."""
        with self._changing(name) as (history, journal):
            sha256 = history.find(which).sha256
            event = {"event": "rejected", "sha256": sha256, "reason": reason[:MAX_REASON]}
            journal.append([event], None if history.active == sha256 else history.active)
        return self._shown(name, sha256)

    def activate(self, name: str, which: Which) -> ToolVersion:
        """Put an approved version in use. Raises NotApproved, NoSuchVersion, TamperedVersion, ShelfError."""
        with self._changing(name) as (history, journal):
            version = self.get(name, which)
            record = history.records[version.sha256]
            if not record.usable:
                why = f"it is {record.state}" + (f": {record.reason}" if record.reason else "")
                raise NotApproved(f"version {version.number} of {name} can't be used: {why}", hint="approve it first")
            journal.append([{"event": "activated", "sha256": version.sha256}], version.sha256)
        return self.get(name, version.sha256)

    def rollback(self, name: str, number: int | None = None) -> ToolVersion:
        """Go back to an approved version; without a number, to the one that was in use before.

        Raises NotApproved, NoSuchVersion, TamperedVersion, ShelfError.
        """
        with self._changing(name) as (history, _):
            target = history.previous() if number is None else history.find(number)
            if target is None:
                what = "there is no earlier version that was in use" if history.records else "there is no such tool"
                raise NoSuchVersion(f"{name[:80]}: {what}", hint=f"reachy-mind workshop show {name[:80]}")
            return self.activate(name, target.sha256)

    def deactivate(self, name: str) -> ToolVersion:
        """Take a tool out of use. Raises NoSuchVersion when it is not in use, TamperedVersion, ShelfError."""
        with self._changing(name) as (history, journal):
            sha256 = history.active
            if sha256 is None:
                raise NoSuchVersion(f"{name[:80]} is not in use", hint="reachy-mind workshop list")
            journal.append([{"event": "deactivated", "sha256": sha256}], None)
        return self._shown(name, sha256)

    def record_kill(self, name: str, which: Which, reason: str = "it was killed") -> bool:
        """A run of it was killed. Returns whether it is in quarantine now. Raises NoSuchVersion, ShelfError."""
        return self._record_fault(name, which, f"killed: {reason}")

    def record_denial(self, name: str, which: Which, reason: str) -> bool:
        """A run of it asked for what it may not do. Returns whether it is in quarantine now."""
        return self._record_fault(name, which, f"denied: {reason}")

    def _record_fault(self, name: str, which: Which, reason: str) -> bool:
        with self._changing(name) as (history, journal):
            record = history.find(which)
            if not record.usable:
                return record.quarantined
            events = [{"event": "fault", "sha256": record.sha256, "reason": reason[:MAX_REASON]}]
            recent = sum(at > time.time() - WITHIN_S for at, _ in record.faults) + 1
            active = history.active
            if recent >= FAULTS:
                why = f"{recent} of its runs within a day went wrong, the last was {reason}"[:MAX_REASON]
                events.append({"event": "quarantined", "sha256": record.sha256, "reason": why})
                active = None if active == record.sha256 else active
            journal.append(events, active)
            return recent >= FAULTS

    def record_untried(self, name: str, which: Which, calls: Collection[str]) -> list[str]:
        """A run made calls that no case of its trial made. Returns those that were not known yet, and are now.

        Raises NoSuchVersion, ShelfError.
        """
        with self._changing(name) as (history, journal):
            record = history.find(which)
            new = sorted(set(calls) - set(record.noticed))[: MAX_NOTICED - len(record.noticed)]
            if new:
                journal.append([{"event": "noticed", "sha256": record.sha256, "calls": new}], history.active)
            return new

    def erase_request(self, name: str, which: Which) -> None:
        """Erase the person's words that a version was made for. Raises NoSuchVersion, ShelfError."""
        with self._changing(name) as (history, _):
            self._files(name).erase_request(history.find(which).sha256)

    def recover(self) -> None:
        """Remove what killed processes left. Raises ShelfError; a tool whose log was changed is left as it is."""
        with self._locked():
            remove_partial_files(self._folder)
        for name in self._all_folders():
            with contextlib.suppress(TamperedVersion), self._changing(name) as (history, _):
                self._files(name).clean(history.records.keys())

    # Parts

    def _history(self, name: str) -> History:
        if not NAME.fullmatch(name):
            raise NoSuchVersion(f"no tool called {name[:80]!r} is on the shelf", hint="reachy-mind workshop list")
        entries = self._journal(name).entries()
        known = self._histories.get(name)
        if known is None or known[0] is not entries:
            known = self._histories[name] = (entries, replay(name, entries, self.key.signed))
        return known[1]

    def _journal(self, name: str) -> Journal:
        with self._thread:
            return self._journals.setdefault(name, Journal(self._folder / name))

    def _files(self, name: str) -> VersionFiles:
        return VersionFiles(self._folder / name)

    def _load(self, name: str, history: History, record: VersionRecord) -> ToolVersion:
        try:
            new = self._files(name).read(record.sha256, record.about, record.results)
            if new.name != name:
                raise TamperedVersion(f"this is a version of {new.name}, not of {name}", hint="put its folder back")
        except TamperedVersion as error:
            if not record.quarantined:
                self._quarantine(name, record.sha256, error.message)
            raise
        except OSError as error:
            raise self._unreadable(error) from error
        own = fingerprint(self.key.public) if record.signer else ""
        return ToolVersion(
            **content_of(new),
            number=record.number,
            hash=record.sha256,
            state=history.state(record),
            created_at=record.created_at,
            approved_by=record.approved_by,
            approved_at=record.approved_at,
            reason=record.reason,
            faults=tuple(reason for _, reason in record.faults),
            noticed=record.noticed,
            known_signer=not record.signer or record.signer == own or self.knows_signer(record.signer),
        )

    def _shown(self, name: str, sha256: str) -> ToolVersion:
        """A version as it is now; nothing of its content when that can't be trusted."""
        history = self._history(name)
        try:
            return self._load(name, history, history.records[sha256])
        except TamperedVersion as error:
            return _untrusted(name, self._history(name).records[sha256], error.message)

    def knows_signer(self, signer: str) -> bool:
        """Whether a person has approved a tool that this key signed."""
        for name in self.names():
            with contextlib.suppress(TamperedVersion):
                if any(each.approved and each.signer == signer for each in self._history(name).records.values()):
                    return True
        return False

    def _quarantine(self, name: str, sha256: str, reason: str) -> None:
        with self._changing(name) as (history, journal):
            if not history.records[sha256].quarantined:
                event = {"event": "quarantined", "sha256": sha256, "reason": reason[:MAX_REASON]}
                journal.append([event], None if history.active == sha256 else history.active)

    @contextlib.contextmanager
    def _changing(self, name: str) -> Iterator[tuple[History, Journal]]:
        """The tool as it is, while no other change happens. Raises ShelfError."""
        with self._locked():
            yield self._history(name), self._journal(name)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with self._thread:
            try:
                make_folder(self._folder)
                self._file_lock.acquire(timeout=LOCK_TIMEOUT_S)
            except Timeout:
                raise ShelfError("another process changes the shelf", hint="try again in a moment") from None
            except OSError as error:
                raise self._unreadable(error) from error
            try:
                yield
            except OSError as error:
                fault = classify(error, self._folder)
                raise ShelfError(f"the shelf can't be written: {fault.cause}", hint=fault.hint) from error
            finally:
                self._file_lock.release()

    def _all_folders(self) -> list[str]:
        try:
            found = list(self._folder.iterdir()) if self._folder.is_dir() else []
        except OSError as error:
            raise self._unreadable(error) from error
        return sorted(each.name for each in found if each.is_dir() and NAME.fullmatch(each.name))

    def _unreadable(self, error: OSError) -> ShelfError:
        fault = classify(error, self._folder)
        return ShelfError(f"the shelf can't be read: {fault.cause}", hint=fault.hint)


def _replay_of(version: ToolVersion) -> str:
    """The hash of the replay of its trial; empty without one."""
    digest = (version.results or {}).get("replay")
    return digest if isinstance(digest, str) and HASH.fullmatch(digest) else ""


def _untrusted(name: str, record: VersionRecord, trouble: str) -> ToolVersion:
    """A version whose files can't be trusted: nothing of them is shown."""
    return ToolVersion(
        name=name,
        code="",
        description="",
        number=record.number,
        hash=record.sha256,
        state=VersionState.QUARANTINED,
        created_at=record.created_at,
        author="",
        signer=record.signer,
        known_signer=False,
        reason=record.reason,
        trouble=trouble,
    )
