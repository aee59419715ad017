"""`EnduranceRun`: what an endurance test has found, as figures and as tables in Markdown."""

from __future__ import annotations

import os
import platform
import re
import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import psutil

from reachy_mind import __version__
from reachy_mind.bench import Figures
from reachy_mind.bench.endurance.attempts import Attempt, AttemptLog, Availability, availability
from reachy_mind.bench.endurance.fault_schedule import FaultSchedule
from reachy_mind.bench.endurance.losses import Findings
from reachy_mind.bench.endurance.probe import ProbeCounts
from reachy_mind.bench.endurance.resource_use import ResourceUse, grown
from reachy_mind.bench.endurance.rig import EnduranceRig
from reachy_mind.storage.files import write_text_atomically

BEGIN: Final = "<!-- written by bench endurance: begin -->"
END: Final = "<!-- written by bench endurance: end -->"
WANTED_PERCENT: Final = 99.0
MOST_LISTED: Final = 12
_LOGGED_ERROR = re.compile(r"\[(?:error|critical) *\] (.*)")
_VARIABLE = re.compile(r"\b[0-9a-f]{8,}\b|\d+")


@dataclass
class EnduranceRun:
    """One run. Times are of the monotonic clock."""

    seed: int
    began: float
    faults_from: float
    ended: float
    log: AttemptLog
    probe: ProbeCounts
    resources: ResourceUse
    faults: FaultSchedule
    findings: Findings
    exit_code: int | None = None
    unexpected_ends: list[int] = field(default_factory=list)
    tracebacks: int = 0
    logged_errors: Counter[str] = field(default_factory=Counter)
    spoken: bool = True
    own_disk: bool = True
    load: float = field(default_factory=lambda: psutil.getloadavg()[2])

    def take_over_logs(self, rig: EnduranceRig) -> None:
        """Count the errors in what the mind printed, by their first words."""
        text = rig.mind.log.read_text(errors="replace")
        self.tracebacks = text.count("Traceback (most recent call last)")
        for line in text.splitlines():
            if found := _LOGGED_ERROR.search(line):
                self.logged_errors[_VARIABLE.sub("N", found[1].strip())[:150]] += 1

    @property
    def reference(self) -> Availability:
        return availability(each for each in self.log.attempts if each.ended < self.faults_from)

    @property
    def with_faults(self) -> Availability:
        return availability(each for each in self.log.attempts if each.ended >= self.faults_from)

    def recoveries(self) -> dict[str, list[float]]:
        """Seconds to recover, by kind of fault."""
        found: dict[str, list[float]] = defaultdict(list)
        for window in self.log.windows:
            if window.recovery_s is not None:
                found[window.kind].append(window.recovery_s)
        return dict(sorted(found.items()))

    def growing(self) -> list[str]:
        return grown(self.resources.table((self.faults_from + self.ended) / 2))

    def missed(self) -> list[str]:
        """The aims that were not met, in words."""
        aims = {
            f"{WANTED_PERCENT:g} % of the requests not failed": 100 - self.with_faults.failed_percent >= WANTED_PERCENT,
            f"{WANTED_PERCENT:g} % of the seconds answered": self.probe.answered_percent >= WANTED_PERCENT,
            "nothing lost, twice or left over, and the audit intact": self.findings.clean,
            "nothing grows": not self.growing(),
            "everything works again after each fault": not self.faults.stuck,
            "no end that nobody asked for": not self.unexpected_ends and self.exit_code == 0,
        }
        return [aim for aim, met in aims.items() if not met]

    def figures(self) -> Figures:
        ours, reference, findings, grows = self.with_faults, self.reference, self.findings, self.growing()
        told: dict[str, float] = {
            "seconds": round(self.ended - self.began),
            "seed": self.seed,
            "aims_missed": len(self.missed()),
            **_named(ours),
            "not_failed_percent": round(100 - ours.failed_percent, 3),
            "seconds_answered_percent": self.probe.answered_percent,
            "stops_answered_percent": self.probe.stops_percent,
            "stop_p50_ms": round(statistics.median(self.probe.stop_ms or [0.0]), 1),
            "stop_max_ms": round(max(self.probe.stop_ms, default=0.0), 1),
            "faults": len(self.log.windows),
            "not_recovered": len(self.faults.stuck),
            "acknowledged": sum(findings.checked.values()),
            "lost": len(findings.lost),
            "twice": len(findings.twice),
            "left_over": len(findings.left_over),
            "audit_intact": float(findings.audit_intact),
            "growing": len(grows),
            "unexpected_ends": len(self.unexpected_ends),
            "tracebacks": self.tracebacks,
            "exit_code": self.exit_code if self.exit_code is not None else -1,
        }
        for kind, took in self.recoveries().items():
            told[f"recovery_{kind.replace(' ', '_')}_p50_ms"] = round(1000 * statistics.median(took))
            told[f"recovery_{kind.replace(' ', '_')}_max_ms"] = round(1000 * max(took))
        failed = [
            *(f"aim missed: {each}" for each in self.missed()),
            *(f"lost: {each}" for each in findings.lost),
            *(f"twice: {each}" for each in findings.twice),
            *(f"left over: {each}" for each in findings.left_over),
            *(f"grows: {each}" for each in grows),
            *self.faults.stuck,
            *([] if findings.audit_intact else [f"audit: {findings.audit}"]),
            *(f"{times} x {what}" for what, times in self.failures()),
        ]
        ratio = {"p50_ms": round(ours.p50_ms / reference.p50_ms, 2) if reference.p50_ms else 0.0}
        notes = {f"not done: {kind}": reason for kind, reason in self.faults.not_done.items()}
        return Figures(told, _named(reference), ratio, notes, failed)

    def failures(self) -> list[tuple[str, int]]:
        """What failed, the most frequent first: kind, faults that were under way, detail."""
        counted: Counter[str] = Counter()
        for each in self.log.attempts:
            if each.verdict == "failed":
                during = f" during {', '.join(each.faults)}" if each.faults else ""
                counted[f"{each.kind}{during}: {_VARIABLE.sub('N', each.detail)}"] += 1
        return counted.most_common()


def _named(found: Availability) -> dict[str, float]:
    return {
        "requests": found.requests,
        "right_percent": found.right_percent,
        "degraded_percent": found.degraded_percent,
        "failed_percent": found.failed_percent,
        "p50_ms": found.p50_ms,
        "p95_ms": found.p95_ms,
        "max_ms": found.max_ms,
    }


def write_report(file: Path, run: EnduranceRun) -> None:
    """Replace what is between the marks, or add it to the end; what people wrote stays."""
    before = file.read_text(encoding="utf-8") if file.exists() else "# Endurance\n"
    made = f"{BEGIN}\n{markdown(run)}\n{END}"
    if BEGIN in before and END in before:
        head, _, rest = before.partition(BEGIN)
        text = head + made + rest.partition(END)[2]
    else:
        text = f"{before.rstrip()}\n\n{made}\n"
    write_text_atomically(file, text)


def markdown(run: EnduranceRun) -> str:
    """All tables."""
    return "\n\n".join((_about(run), _requests(run), _recovery(run), _integrity(run), _growth(run), _failures(run)))


def _about(run: EnduranceRun) -> str:
    minutes, quiet = (run.ended - run.began) / 60, (run.faults_from - run.began) / 60
    disk = "a file system of its own" if run.own_disk else "a limit on the size of files"
    spoken = "" if run.spoken else " No spoken turns: there is no voice on this machine."
    return (
        f"{datetime.now(UTC):%d %B %Y}, version {__version__}, {minutes:.1f} minutes, of which the first {quiet:.1f}"
        f" without faults, seed {run.seed}; {os.cpu_count()} cores, load {run.load:.1f},"
        f" {platform.platform(terse=True)}, Python {platform.python_version()}. Full disk: {disk}.{spoken}"
        f" Aims missed: {'; '.join(run.missed()) or 'none'}."
    )


def _requests(run: EnduranceRun) -> str:
    lines = [
        "| requests | number | right | degraded | failed | p50 | p95 | max |",
        "|---|---|---|---|---|---|---|---|",
        _row("all, without faults", run.reference),
        _row("**all, with faults**", run.with_faults),
    ]
    kinds: dict[str, list[Attempt]] = defaultdict(list)
    for each in run.log.attempts:
        if each.ended >= run.faults_from:
            kinds[each.kind].append(each)
    lines += [_row(kind, availability(attempts)) for kind, attempts in sorted(kinds.items())]
    probe = run.probe
    told = (
        f"Seconds in which the mind answered: {probe.answered} of {probe.seconds} ({probe.answered_percent:.2f} %)."
        f" Stops: {probe.stops_answered} of {probe.stops} carried out, {probe.stops_explained} answered with the fault"
        f" that prevented it; p50 {statistics.median(probe.stop_ms or [0.0]):.0f} ms, longest"
        f" {max(probe.stop_ms, default=0.0):.0f} ms."
    )
    return "\n".join((*lines, "", told))


def _row(name: str, found: Availability) -> str:
    shares = " | ".join(f"{each:.2f} %" for each in (found.right_percent, found.degraded_percent, found.failed_percent))
    times = " | ".join(f"{each:.0f} ms" for each in (found.p50_ms, found.p95_ms, found.max_ms))
    return f"| {name} | {found.requests} | {shares} | {times} |"


def _recovery(run: EnduranceRun) -> str:
    lines = ["| fault | times | recovered after, p50 | max |", "|---|---|---|---|"]
    for kind, took in run.recoveries().items():
        lines.append(f"| {kind} | {len(took)} | {statistics.median(took):.1f} s | {max(took):.1f} s |")
    lines += [f"| {kind} | not done: {reason} | | |" for kind, reason in run.faults.not_done.items()]
    lines += [f"| {each} | | | |" for each in run.faults.stuck]
    return "\n".join(lines)


def _integrity(run: EnduranceRun) -> str:
    findings = run.findings
    checked = ", ".join(f"{number} {kind}" for kind, number in sorted(findings.checked.items()))
    told = (
        f"Acknowledged and looked for: {checked}. Lost: {len(findings.lost)}. Twice: {len(findings.twice)}. Left over"
        f" (processes, files): {len(findings.left_over)}. Audit: {findings.audit}. The mind ended with exit code"
        f" {run.exit_code}; ends that nobody asked for: {len(run.unexpected_ends)}; tracebacks in its log:"
        f" {run.tracebacks}."
    )
    return "\n".join((told, *(f"- {each}" for each in (*findings.lost, *findings.twice, *findings.left_over))))


def _growth(run: EnduranceRun) -> str:
    rows = run.resources.table((run.faults_from + run.ended) / 2)
    lines = [
        "| second half | process | at first | at last | slope an hour (95 % interval) | grows |",
        "|---|---|---|---|---|---|",
    ]
    for quantity, name, first, last, found in rows:
        interval = f"{found.per_hour:+.2f} ({found.low:+.2f} to {found.high:+.2f})"
        grows = "**yes**" if found.grows(quantity) else "no"
        lines.append(f"| {quantity.replace('_', ' ')} | {name} | {first:g} | {last:g} | {interval} | {grows} |")
    return "\n".join(lines)


def _failures(run: EnduranceRun) -> str:
    return f"{_counted('failed', run.failures())}\n\n{_counted('errors in the log', run.logged_errors.most_common())}"


def _counted(title: str, found: list[tuple[str, int]]) -> str:
    """The most frequent ones."""
    lines = [f"| {title} | times |", "|---|---|"]
    lines += [f"| {what.replace('|', '/')} | {times} |" for what, times in found[:MOST_LISTED]]
    if len(found) > MOST_LISTED:
        lines.append(f"| others | {sum(times for _, times in found[MOST_LISTED:])} |")
    return "\n".join(lines if found else (*lines, "| none | 0 |"))
