"""What must be there after an endurance test: everything that was acknowledged, once; and nothing left over."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psutil

from reachy_mind.bench.endurance.rig import EnduranceRig
from reachy_mind.client import RemoteError
from reachy_mind.tools.audit_verification import verify_file
from reachy_mind.workshop.trial.folder import PREFIX

LEFT_IN_RUN: Final = frozenset({"mind.lock", "tokens.lock"})
"""Lock files stay; nobody holds them."""
PAGE: Final = 200


@dataclass
class Findings:
    """`checked`: how many things of a kind were looked for. Each list names what is wrong."""

    checked: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    left_over: list[str] = field(default_factory=list)
    audit: str = ""
    audit_intact: bool = True

    @property
    def clean(self) -> bool:
        return not (self.lost or self.twice or self.left_over) and self.audit_intact

    def expect(self, kind: str, wanted: set[Any], there: set[Any]) -> None:
        self.checked[kind] += len(wanted)
        self.lost += [f"{kind} {each}" for each in sorted(wanted - there, key=str)]


async def missing_from_mind(rig: EnduranceRig, findings: Findings) -> None:
    """Asks the running mind for everything it has acknowledged."""
    known, ask = rig.known, rig.api.ask
    there = set()
    for memory, content in known.memories.items():
        with contextlib.suppress(RemoteError):
            if (await ask("GET", f"memory/{memory}"))["content"] == content:
                there.add(memory)
    findings.expect("memory", set(known.memories), there)
    waiting = {timer["id"] for timer in await _all(rig, "timers")}
    findings.expect("timer", set(known.timers) - known.unclear_timers, waiting)
    announced = [entry["text"].lower() for entry in await _all(rig, "announcements")]
    for label in known.rung:
        times = sum(f"{label} " in f"{text.rstrip('.!')} " for text in announced)
        findings.checked["announcement"] += 1
        if times != 1:
            (findings.lost if not times else findings.twice).append(f"announcement of {label}: {times} times")
    tiers = (await ask("GET", "permissions"))["tools"]
    wanted = {name: tier for name, tier in known.permissions.items() if name not in known.unclear_permissions}
    findings.expect("permission", set(wanted.items()), set(tiers.items()))
    findings.expect("feedback", known.feedback, {entry["id"] for entry in await _all(rig, "feedback")})
    if rig.node is not None and rig.fleet is not None:
        await _missing_from_fleet(rig, findings)


async def _missing_from_fleet(rig: EnduranceRig, findings: Findings) -> None:
    assert rig.node is not None and rig.fleet is not None
    await rig.fleet.stop_pressing()
    await rig.fleet.until_quiet()
    events = [each["payload"]["press"] for each in await rig.node.pages("events", type="button.pressed")]
    pressed = rig.fleet.counters.accepted - rig.fleet.counters.commands
    findings.checked["fleet event"] += pressed
    if len(set(events)) < pressed:
        findings.lost.append(f"{pressed - len(set(events))} fleet events of {pressed}")
    findings.twice += [f"fleet event {press}" for press, times in Counter(events).items() if times > 1]
    emergencies = {each["id"] for each in await rig.node.pages("emergencies")}
    findings.expect("emergency", rig.known.emergencies, emergencies)
    commands = set()
    for device in rig.devices:
        commands |= {each["id"] for each in await rig.node.pages(f"devices/{device}/commands")}
    findings.expect("fleet command", rig.known.commands, commands)


async def _all(rig: EnduranceRig, what: str) -> list[dict[str, Any]]:
    """Every page of a list."""
    found: list[dict[str, Any]] = []
    while True:
        told = await rig.api.ask("GET", what, offset=len(found), limit=PAGE)
        found += told[what]
        if len(found) >= told["total"] or not told[what]:
            return found


def missing_from_disk(rig: EnduranceRig, findings: Findings) -> None:
    """Looks at the files, after the mind has ended."""
    known = rig.known
    findings.expect("photo", known.photos, {file.name for file in (rig.home / "photos").glob("*")})
    noted = Counter(int(line) for line in rig.effects.read_text().split()) if rig.effects.exists() else Counter[int]()
    findings.expect("effect", known.effects, set(noted))
    findings.twice += [f"effect {number}: {times} times" for number, times in noted.items() if times > 1]
    verified = verify_file(rig.home / "mind.db")
    findings.audit, findings.audit_intact = verified.line, verified.ok
    with contextlib.closing(sqlite3.connect(rig.home / "mind.db")) as db:
        findings.expect("turn", known.turns, {row[0] for row in db.execute("SELECT id FROM turns")})
        ends = Counter(row[0] for row in db.execute("SELECT call_id FROM audit WHERE step = 'ended'"))
        findings.expect("audit entry", known.calls, set(ends))
        decided = Counter(row[0] for row in db.execute("SELECT call_id FROM audit WHERE step = 'decided'"))
    findings.twice += [f"call {call}: decided {times} times" for call, times in decided.items() if times > 1]


def left_over(rig: EnduranceRig, seen: dict[int, float], findings: Findings) -> None:
    """Processes, files in run/, temporary files and folders in shared memory that outlived everything."""
    for pid, created in seen.items():
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            if process.create_time() == created and process.status() != psutil.STATUS_ZOMBIE:
                findings.left_over.append(f"process {' '.join(process.cmdline())[:120]}")
    own = {process.pid for process in psutil.Process().children(recursive=True)} | {os.getpid()}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            ours = process.environ().get("REACHY_MIND_HOME") == str(rig.home)
            if ours and process.pid not in seen and process.pid not in own:
                findings.left_over.append(f"process {' '.join(process.cmdline())[:120]}")
    findings.left_over += [f"run/{file.name}" for file in (rig.home / "run").iterdir() if file.name not in LEFT_IN_RUN]
    findings.left_over += [f"temporary file {file.name}" for file in (rig.folder / "temp").iterdir()]
    findings.left_over += [
        f"{file.relative_to(rig.home)}"
        for file in rig.home.rglob("*")
        if file.name.startswith(".") and file.name != ".lock" and file.is_file()
    ]
    findings.left_over += [f"shared memory {name}" for name in shared_memory(set(seen))]


def shared_memory(pids: set[int]) -> list[str]:
    """Folders of trials in shared memory, which have the process in their name: those of these processes."""
    folder = Path("/dev/shm")  # noqa: S108 -- where trials are, where there is one
    if not folder.is_dir():
        return []
    named = ((file.name, re.match(rf"{PREFIX}(\d+)-", file.name)) for file in folder.iterdir())
    return sorted(name for name, found in named if found and int(found[1]) in pids)
