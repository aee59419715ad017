"""`History`: what the log of a tool says about its versions: their states, approvals, faults, and the active one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from reachy_mind.workshop.shelf.journal import HINT, Entry
from reachy_mind.workshop.shelf.versions import NoSuchVersion, TamperedVersion, VersionState, canonical

SHORTEST_PREFIX = 8
"""Characters of a hash that name a version."""
Which = int | str


@dataclass(frozen=True)
class VersionRecord:
    """One version, as the log tells."""

    sha256: str
    number: int
    about: str
    """Hash of `about.json`."""
    created_at: float
    signer: str = ""
    results: str = ""
    """Hash of the verdict of its last trial; empty without one."""
    passed: bool = False
    approved_by: str = ""
    approved_at: float | None = None
    approved: bool = False
    was_active: bool = False
    rejected: bool = False
    quarantined: bool = False
    reason: str = ""
    faults: tuple[tuple[float, str], ...] = ()
    noticed: tuple[str, ...] = ()
    """Calls of its runs that no case of its trial made."""

    @property
    def usable(self) -> bool:
        return self.approved and not self.rejected and not self.quarantined

    @property
    def state(self) -> VersionState:
        """Its state, unless it is the active one."""
        if self.quarantined:
            return VersionState.QUARANTINED
        if self.rejected:
            return VersionState.REJECTED
        if self.approved:
            return VersionState.RETIRED if self.was_active else VersionState.APPROVED
        return VersionState.TESTED if self.passed else VersionState.DRAFT


@dataclass
class History:
    """The versions of one tool by their hash, in order of their numbers."""

    name: str
    records: dict[str, VersionRecord] = field(default_factory=dict)
    active: str | None = None
    activations: list[str] = field(default_factory=list)
    """Every activation, the latest last."""

    def state(self, record: VersionRecord) -> VersionState:
        return VersionState.ACTIVE if record.sha256 == self.active else record.state

    def previous(self) -> VersionRecord | None:
        """The version that was active before the present one, and may be again; None without one."""
        for sha256 in reversed(self.activations):
            if sha256 != self.active and self.records[sha256].usable:
                return self.records[sha256]
        return None

    def find(self, which: Which) -> VersionRecord:
        """A version by its number (2, "v2") or the start of its hash. Raises NoSuchVersion."""
        wanted = str(which).lower().removeprefix("v")
        number = int(wanted) if wanted.isdecimal() and len(wanted) < SHORTEST_PREFIX else 0
        found = [
            record
            for record in self.records.values()
            if record.number == number or (len(wanted) >= SHORTEST_PREFIX and record.sha256.startswith(wanted))
        ]
        if len(found) != 1:
            there = f"it has 1 to {len(self.records)}" if self.records else "reachy-mind workshop list"
            raise NoSuchVersion(f"there is no version {str(which)[:64]} of {self.name!r}", hint=there)
        return found[0]

    def reference(self, target: VersionRecord) -> VersionRecord | None:
        """What a person compares a version with: the one in use, else the last one that was approved before it."""
        if self.active is not None and self.active != target.sha256:
            return self.records[self.active]
        earlier = [each for each in self.records.values() if each.approved and each.number < target.number]
        return earlier[-1] if earlier else None


def approval_text(name: str, sha256: str, capabilities: Iterable[str], by: str) -> bytes:
    """What an approval signs: this content with these capabilities, and nothing else."""
    approval = {"approved": name, "sha256": sha256, "capabilities": sorted(capabilities), "by": by}
    return b"reachy-mind approval 1\n" + canonical(approval)


def replay(name: str, entries: Iterable[Entry], signed: Callable[[bytes, object], bool]) -> History:
    """Read a log. An approval that this shelf did not sign does not count. Raises TamperedVersion."""
    history = History(name)
    for entry in entries:
        try:
            _apply(name, history, entry, signed)
        except (KeyError, TypeError, ValueError, AttributeError):
            at = f"line {entry.get('seq', -1) + 1}"
            raise TamperedVersion(f"the log of {name} can't be understood at {at}", hint=HINT) from None
    return history


def _apply(  # noqa: PLR0912 -- one per event
    name: str, history: History, entry: Entry, signed: Callable[[bytes, object], bool]
) -> None:
    sha256, event = entry["sha256"], entry["event"]
    if event == "added":
        record = VersionRecord(sha256, entry["number"], entry["about"], entry["at"], entry["signer"])
        history.records[sha256] = replace(record, results=entry["results"], passed=entry["passed"])
        return
    record = history.records[sha256]
    match event:
        case "tried":
            record = replace(record, results=entry["results"], passed=entry["passed"])
        case "approved":
            valid = signed(approval_text(name, sha256, entry["capabilities"], entry["by"]), entry["signature"])
            if valid:
                record = _approved(record, entry)
        case "activated":
            if record.usable:
                record = replace(record, was_active=True)
                history.active = sha256
                history.activations.append(sha256)
        case "rejected":
            record = replace(record, rejected=True, reason=entry["reason"])
        case "fault":
            record = replace(record, faults=(*record.faults, (entry["at"], entry["reason"])))
        case "noticed":
            record = replace(record, noticed=(*record.noticed, *map(str, entry["calls"])))
        case "quarantined":
            record = replace(record, quarantined=True, reason=entry["reason"])
        case "deactivated":
            pass
        case _:
            raise ValueError(event)
    history.records[sha256] = record
    if event in ("rejected", "quarantined", "deactivated") and history.active == sha256:
        history.active = None


def _approved(record: VersionRecord, entry: dict[str, Any]) -> VersionRecord:
    return replace(
        record,
        approved=True,
        approved_by=entry["by"],
        approved_at=entry["at"],
        was_active=False,
        rejected=False,
        quarantined=False,
        reason="",
        faults=(),
    )
