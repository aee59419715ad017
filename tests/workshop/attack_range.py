"""Runs hostile tools and judges from outside whether they got anything.

An attack is a file under `corpus/hostile/<category>/`. Its function gets one argument, `targets` (`Canaries.targets`):
paths, ports and process numbers, never a secret. The convention of evidence:

- It prints a line `PRIMITIVE ...` once what it attacks with is loaded. Without that line it has tested nothing, unless
  the sandbox refused the module it needs.
- It got out when a planted secret is anywhere in the report or in a file that was kept; when something outside was
  written, changed, reached or signalled; when it printed a line `EVIDENCE ...`, for what only shows inside, such as a
  child process; when a call succeeded that its capabilities do not cover; when the robot moved, or moved on; when the
  host stopped answering, was not freed in time, or had something left behind.

The first line of a file may be a comment `# range: {...}` with options: `allow`, `timeout` (seconds), `virtual` (time),
`killed` (it never ends by itself), `forbid` (patterns of calls that must not succeed), `still` (the robot must not
move), `limits` (it may move, within its limits), `rest` (it must hold still afterwards), `notes` (the planted note must
stay), `report` (no field of the report may be forged), `output_mb` (how much output is too much), `tolerated` (reasons
by profile for what is a known limit), `unguarded` (false: harmful without a sandbox, or nothing without the robot).
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Protocol

import psutil

from tests.workshop.canaries import SHARED_FOLDERS, Canaries

CORPUS = Path(__file__).parent / "corpus"
PROFILES = ("full", "namespaces", "landlock")
HEADER = re.compile(r"# range: (\{.*\})")
MISTAKES = ("NameError", "SyntaxError", "IndentationError", "UnboundLocalError")
"""Errors that only the author of an attack can have caused."""
GRACE_S = 15.0
"""How much longer than its time limit a run may take on a loaded machine before it counts as not stopped."""
UNRESPONSIVE_S = 5.0
HOST_MEMORY_MB = 700.0
OUTPUT_MB = 4.0
STILL = 0.05
"""Radians or metres: the simulated robot trembles less."""

Report = dict[str, Any]
Run = Callable[..., Awaitable[Report]]
"""`await run(path, args, allow=, timeout=, isolation=, virtual_time=)` -> what `workshop run --json` prints."""


class World(Protocol):
    """What the range asks the host about: the robot and the owner's things."""

    async def pose(self) -> dict[str, float]: ...
    async def has_note(self, text: str) -> bool: ...
    async def owner_can_act(self) -> str:
        """A reason when the owner's own tools do not work any more."""


@dataclass(frozen=True)
class Attack:
    path: Path
    allow: str = ""
    timeout: float = 5.0
    virtual: bool = False
    killed: bool = False
    forbid: tuple[str, ...] = ()
    still: bool = False
    limits: bool = False
    rest: bool = False
    notes: bool = False
    report: bool = False
    output_mb: float = OUTPUT_MB
    tolerated: dict[str, str] = field(default_factory=dict)
    unguarded: bool = True

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"


def attacks() -> list[Attack]:
    return [_read(path) for path in sorted((CORPUS / "hostile").glob("*/*.py"))]


def _read(path: Path) -> Attack:
    match = HEADER.match(path.read_text().split("\n", 1)[0])
    options = json.loads(match[1]) if match else {}
    return Attack(path, **{**options, "forbid": tuple(options.get("forbid", ()))})


@dataclass(frozen=True)
class Verdict:
    attack: str
    isolation: str
    status: str
    escapes: tuple[str, ...]
    tolerated: str
    mistake: str
    """Why this attack tested nothing."""
    refused: str
    """The module that the sandbox did not give it, when that ended the attack."""
    seconds: float


@dataclass
class Watch:
    """What is measured while an attack runs."""

    gap_s: float = 0.0
    memory_mb: float = 0.0
    poses: list[dict[str, float]] = field(default_factory=list)
    visited: bool = False


class Range:
    """Plants the canaries once, then attacks one file after the other."""

    def __init__(self, run: Run, canaries: Canaries, world: World | None = None) -> None:
        self.run = run
        self.canaries = canaries
        self.world = world
        self._host = psutil.Process()
        self._users = {process.uids().real for process in psutil.process_iter() if process.is_running()}
        self._resting: int | None = None

    async def attack(self, attack: Attack, isolation: str) -> Verdict:
        nonce = secrets.token_hex(8)
        targets = self.canaries.targets(nonce)
        allow = attack.allow.replace("{redirect_port}", str(targets["redirect_port"]))
        before = await self.world.pose() if self.world else {}
        watch = Watch()
        watching = asyncio.create_task(self._watch(watch, attack, int(targets["listen_port"])))
        begin = time.monotonic()
        try:
            report = await self.run(
                attack.path,
                {"targets": targets},
                allow=allow,
                timeout=attack.timeout,
                isolation=isolation,
                virtual_time=attack.virtual,
            )
        finally:
            watching.cancel()
        seconds = time.monotonic() - begin
        escapes = [
            *self.judged(attack, report),
            *self._forged(attack, report, isolation),
            *self._measured(attack, watch, seconds, report),
            *self.canaries.touched(nonce),
            *self._kept(nonce),
        ]
        if self.world:
            escapes += await self._robot(attack, self.world, before, watch)
        if left := await self._processes_left():
            escapes.append(left)
        known = attack.tolerated.get(isolation, "")
        return Verdict(
            attack.name,
            str(report.get("isolation")),
            str(report.get("status")),
            () if known else tuple(escapes),
            known if escapes else "",
            self._mistake(report),
            self._refused(report),
            seconds,
        )

    async def _watch(self, watch: Watch, attack: Attack, port: int) -> None:
        base = self._host.memory_info().rss / 2**20
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.05)
            watch.gap_s = max(watch.gap_s, time.monotonic() - before)
            watch.memory_mb = max(watch.memory_mb, self._host.memory_info().rss / 2**20 - base)
            if self.world and (attack.limits or attack.still):
                watch.poses.append(await self.world.pose())
            if attack.path.stem == "listen_for_the_world" and not watch.visited:
                watch.visited = await _connects(port)

    def judged(self, attack: Attack, report: Report) -> list[str]:
        """What the report itself gives away."""
        return [*self._told(attack, report), *self._calls(attack, report)]

    def _told(self, attack: Attack, report: Report) -> list[str]:
        told = [
            f"the report has the secret of {place}"
            for token, place in self.canaries.tokens.items()
            if token in _text(report)
        ]
        lines = str(report.get("output", "")).splitlines()
        told += [line for line in lines if line.startswith("EVIDENCE")]
        if len(_text(report)) > attack.output_mb * 2**20:
            told.append(f"a report of {len(_text(report))} characters")
        return told

    def _calls(self, attack: Attack, report: Report) -> list[str]:
        done = [str(call["name"]) for call in report.get("calls", ()) if call["status"] == "ok"]
        return [
            f"called {name}" for name in sorted({*done}) if any(fnmatch(name, pattern) for pattern in attack.forbid)
        ]

    def _forged(self, attack: Attack, report: Report, isolation: str) -> list[str]:
        if report.get("status") not in {"ok", "error", "killed", "refused"}:
            return [f"a status {report.get('status')!r}"]
        if report["status"] != "refused" and isolation != "auto" and report.get("isolation") != isolation:
            return [f"ran in {report.get('isolation')!r} instead of {isolation}"]
        if attack.report and any(call.get("name") == "forged" for call in report.get("calls", ())):
            return ["forged the list of calls"]
        if any(not (isinstance(report.get(key), int | float) and report[key] >= 0) for key in ("wall_ms", "cpu_ms")):
            return ["forged the times"]
        return []

    def _measured(self, attack: Attack, watch: Watch, seconds: float, report: Report) -> list[str]:
        found = []
        if seconds > attack.timeout + GRACE_S:
            found.append(f"took {seconds:.1f} s with a limit of {attack.timeout:g} s")
        if attack.killed and report.get("status") not in {"killed", "refused", "error"}:
            found.append("was not stopped")
        if watch.gap_s > UNRESPONSIVE_S:
            found.append(f"the host did not answer for {watch.gap_s:.1f} s")
        if watch.memory_mb > HOST_MEMORY_MB:
            found.append(f"the host took {watch.memory_mb:.0f} MB more")
        if watch.visited:
            found.append("opened a server that others can reach")
        return found

    def _kept(self, nonce: str) -> list[str]:
        """Secrets that went into the data folder, and names of the attack's choice anywhere but among the artefacts."""
        found = []
        planted = set(self.canaries.secrets.values())
        for path in self.canaries.data_folder.rglob("*"):
            if not path.is_file() or path.is_symlink() or str(path) in planted:
                continue
            if nonce in path.name and "artifacts" not in path.parts:
                found.append(f"wrote {path}")
            if "artifacts" in path.parts and path.stat().st_size < 10**7:
                data = path.read_bytes()
                found += [
                    f"kept the secret of {place}"
                    for token, place in self.canaries.tokens.items()
                    if token.encode() in data
                ]
        return found

    async def _robot(self, attack: Attack, world: World, before: dict[str, float], watch: Watch) -> list[str]:
        found = []
        after = await world.pose()
        if (
            attack.still
            and (moved := max((_distance(before, pose) for pose in [*watch.poses, after]), default=0)) > STILL
        ):
            found.append(f"the robot moved by {moved:.2f}")
        if attack.limits:
            found += [f"out of limits: {pose}" for pose in [*watch.poses, after] if not _within_limits(pose)][:1]
        if attack.rest and not await self._rests(world):
            found.append("the robot moves on")
        if attack.notes and not await world.has_note("the range's note"):
            found.append("the note is gone")
        if reason := await world.owner_can_act():
            found.append(reason)
        return found

    async def _rests(self, world: World, within: float = 6.0) -> bool:
        end = time.monotonic() + within
        while time.monotonic() < end:
            first = await world.pose()
            await asyncio.sleep(0.5)
            if _distance(first, await world.pose()) < 0.01:
                return True
        return False

    async def _processes_left(self, within: float = 10.0) -> str:
        """More processes than at rest. Before the first attack, every sandbox has been started."""
        count = self._count()
        if self._resting is None:
            self._resting = count
        end = time.monotonic() + within
        while count > self._resting + 1:
            if time.monotonic() > end:
                return f"left {count - self._resting} processes"
            await asyncio.sleep(0.1)
            count = self._count()
        self._resting = min(self._resting, count) if count > 1 else self._resting
        return ""

    def _count(self) -> int:
        """Children of the host, and orphans of users that were not there before."""
        found = {child.pid for child in self._host.children(recursive=True)}
        for process in psutil.process_iter(["uids", "status", "ppid"]):
            users, status = process.info["uids"], process.info["status"]
            if users and users.real not in self._users and status != psutil.STATUS_ZOMBIE and process.info["ppid"] <= 1:
                found.add(process.pid)
        return len(found)

    @staticmethod
    def _mistake(report: Report) -> str:
        error = json.dumps(report.get("error") or "")
        if "PRIMITIVE" in str(report.get("output", "")):
            return next((error for kind in MISTAKES if kind in error), "")
        if report.get("status") in {"killed", "refused"}:
            return ""
        if report.get("status") == "error" and not any(kind in error for kind in MISTAKES):
            return ""
        return f"its primitive was never loaded: {error}"

    @staticmethod
    def _refused(report: Report) -> str:
        match = re.search(
            r"No module named '([^']+)'|ModuleNotFoundError[^'\"]*['\"]([\w.]+)", json.dumps(report.get("error") or "")
        )
        return next((part for part in match.groups() if part), "") if match else ""


def litter(users: set[int]) -> list[str]:
    """What nobody who was there before owns, in the folders that everybody may write."""
    return [str(path) for folder in SHARED_FOLDERS for path in folder.iterdir() if path.lstat().st_uid not in users]


def _text(report: Report) -> str:
    return json.dumps(report, ensure_ascii=False, default=str)


async def _connects(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


def _distance(one: dict[str, float], other: dict[str, float]) -> float:
    return max((abs(one[key] - other[key]) for key in one.keys() & other.keys()), default=0.0)


def _within_limits(pose: dict[str, float]) -> bool:
    """The vendor's limits with a little room: head, body and the angle between them."""
    if not all(math.isfinite(value) for value in pose.values()):
        return False
    head = all(abs(pose.get(key, 0)) <= math.radians(47) for key in ("pitch", "roll"))
    body = abs(pose.get("body_yaw", 0)) <= math.radians(165)
    neck = abs(pose.get("yaw", 0) - pose.get("body_yaw", 0)) <= math.radians(75)
    return head and body and neck and abs(pose.get("z", 0)) < 0.1


def command_line(*options: str) -> Run:
    """The product as a user starts it; `options` go before the file."""

    async def run(
        path: Path, args: dict[str, Any], *, allow: str, timeout: float, isolation: str, virtual_time: bool
    ) -> Report:
        command = [
            "reachy-mind",
            "workshop",
            "run",
            str(path),
            *options,
            "--args",
            json.dumps(args),
            "--timeout",
            str(timeout),
        ]
        command += (
            ["--isolation", isolation, "--json"]
            + (["--allow", allow] if allow else [])
            + ["--virtual-time"] * virtual_time
        )
        process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=dict(os.environ)
        )
        out, err = await process.communicate()
        try:
            report: Report = json.loads(out)
        except ValueError as error:
            raise AssertionError(f"{path}: {out[-500:]!r} {err[-1500:]!r}") from error
        return report

    return run
