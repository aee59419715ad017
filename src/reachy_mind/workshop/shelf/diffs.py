"""`VersionDiff`: what changes from one version of a tool to another, the added capabilities first."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

from reachy_mind.workshop.shelf.versions import ToolVersion


@dataclass(frozen=True)
class VersionDiff:
    """From one version (None: there was none) to another."""

    name: str
    old: int | None
    new: int
    added_capabilities: tuple[str, ...]
    removed_capabilities: tuple[str, ...]
    changed: tuple[str, ...]
    """Other differences, in words."""
    code: str
    """A unified diff; empty when the code is the same."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "from": self.old,
            "to": self.new,
            "added_capabilities": list(self.added_capabilities),
            "removed_capabilities": list(self.removed_capabilities),
            "changed": list(self.changed),
            "code": self.code,
        }


def compare(old: ToolVersion | None, new: ToolVersion) -> VersionDiff:
    """What changes. Without an old version everything is new."""
    before = set(old.capabilities) if old else set()
    changed = []
    if old is not None:
        texts = (("description", "the description"), ("explanation", "the explanation"), ("author", "the author"))
        changed += [f"{words}: {getattr(new, key)}" for key, words in texts if getattr(old, key) != getattr(new, key)]
        if old.parameters != new.parameters:
            changed.append(f"the parameters: {_signature(new)}, before: {_signature(old)}")
        if old.timeout_s != new.timeout_s:
            changed.append(f"the time limit: {new.timeout_s:g} s, before: {old.timeout_s:g} s")
        if old.cases != new.cases:
            changed.append(f"the cases: {len(new.cases)}, before: {len(old.cases)}")
    lines = difflib.unified_diff(
        old.code.splitlines() if old else [],
        new.code.splitlines(),
        f"{new.name} v{old.number}" if old else "nothing",
        f"{new.name} v{new.number}",
        lineterm="",
    )
    return VersionDiff(
        new.name,
        old.number if old else None,
        new.number,
        tuple(sorted(set(new.capabilities) - before)),
        tuple(sorted(before - set(new.capabilities))),
        tuple(changed),
        "\n".join(lines),
    )


def _signature(version: ToolVersion) -> str:
    shown = [
        f"{each['name']}: {each['type']}" + ("" if each["required"] else f" = {each.get('default', '...')}")
        for each in version.parameters
    ]
    return f"({', '.join(shown)})"
