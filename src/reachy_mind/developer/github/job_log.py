"""`read_job_log`: finds in the log of a job what went wrong, and says it in a sentence, by rules.

A log has one line per line of output, each with its time, colours, `##[group]` ... `##[endgroup]` around what pages
fold, and `##[error]` before what failed. It is text by others: escape sequences are gone, sizes are bounded.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from reachy_mind.developer.github.models import WorkflowJob, WorkflowStep
from reachy_mind.developer.github.printable_text import lines, one_line
from reachy_mind.errors import BadAnswer

MAX_LOG_CHARS = 16_000_000
MAX_LINE_CHARS = 400
MAX_READ_LINES, MAX_LINES = 500_000, 50_000
"""Of a log, and of its failed step."""
MAX_EXCERPT_LINES, MAX_EXCERPT_CHARS = 60, 6000
BEFORE, AFTER = 6, 24
"""Lines of the excerpt before and after the first error."""
MAX_SAID_CHARS = 220
_LINE = re.compile(r"\ufeff?(?P<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?Z ?(?P<text>.*)")
_EXIT = re.compile(
    r"##\[error\]Process completed with exit code \d+|##\[error\]The operation was canceled", re.IGNORECASE
)
_NO_ERROR = re.compile(r"\b(?:0|no) (?:errors?|failed|failures?)\b", re.IGNORECASE)
_TRACEBACK = "Traceback (most recent call last):"
_ERRORS = (
    re.compile(
        r"(?:FAILED|ERROR) \S+::\S+|_{3,} (?:ERROR at |test)\S.*_{3,}|E {2,}\S|=+ (?:FAILURES|ERRORS) =+"
    ),  # pytest
    re.compile(r"\S+:\d+(?::\d+)?: (?:error|fatal error|[A-Z]{1,4}\d{3,4}\b)"),  # compilers, mypy, ruff
    re.compile(r"Traceback \(most recent call last\):|(?:[\w.]+\.)?\w*(?:Error|Exception): "),
    re.compile(r"--- FAIL: |error(?:\[E\d+\])?: |error TS\d+|npm (?:ERR!|error) |panic: |fatal: |● "),
    re.compile(r"would reformat |##\[error\](?!Process completed)"),
)
"""What the first line of an error looks like, the more telling ones first."""
_GENERIC = re.compile(r"\b(?:error|errors|failed|failure|fatal|exception|not found|denied)\b", re.IGNORECASE)
_TOTALS = (
    re.compile(r"= (?P<total>\d+ (?:failed|errors?)\b[^=]{0,120}?)(?: in [\d.:ms ()]+)? ="),
    re.compile(r"(?P<total>Found \d+ errors?\b[^.]{0,60})"),
    re.compile(r"(?P<total>\d+ files? would be reformatted)"),
    re.compile(r"Tests: +(?P<total>\d+ failed[^.]{0,80})"),
    re.compile(r"test result: FAILED\. (?P<total>\d+ passed; \d+ failed)"),
)
_FAILED_TEST = re.compile(r"(?:FAILED|ERROR) (?P<test>\S+::\S+)(?: - (?P<why>.+))?")
_RAISED = re.compile(r"(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt|Exit)(?:: .*)?")


@dataclass(frozen=True)
class JobFailure:
    """What went wrong in a job."""

    job: str
    step: str
    summary: str
    """A sentence."""
    excerpt: str
    """The lines around the first error, without times, colours and folded groups."""
    lines: int
    """How many lines the step has."""
    url: str = ""


@dataclass(frozen=True)
class _LogLine:
    at: str
    text: str


def read_job_log(content: bytes, job: WorkflowJob) -> JobFailure:
    """Read a log, plain or as a zip file. May take a second: call it in a thread. Raises BadAnswer."""
    step = failed_step(job)
    every = _lines(_text(content, job))
    own = [_shown(line.text) for line in _of_step(every, step)[-MAX_LINES:]]
    shown = _folded(own)
    first = _first_error(shown)
    excerpt = _excerpt(shown, first)
    name = one_line(step.name, 100) if step is not None else ""
    summary = _summary(name, shown, first)
    return JobFailure(one_line(job.name, 100), name, summary, excerpt, len(own), one_line(job.html_url, 300))


def failed_step(job: WorkflowJob) -> WorkflowStep | None:
    """The first step that failed; None when the log has to tell."""
    return next((step for step in job.steps if step.conclusion in ("failure", "timed_out", "cancelled")), None)


def _text(content: bytes, job: WorkflowJob) -> str:
    if not content.startswith(b"PK\x03\x04"):
        return content[-MAX_LOG_CHARS:].decode("utf-8", "replace")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            # `2_tests.txt` is the whole log of a job, `tests/3_Run pytest.txt` that of one step.
            names = [name for name in packed.namelist() if name.casefold().endswith(".txt")]
            plain = re.sub(r"[/\\:*?\"<>|]", "", job.name)
            whole = [name for name in names if re.fullmatch(rf"-?\d+_{re.escape(plain)}\.txt", name)]
            steps = sorted((name for name in names if name.startswith(f"{plain}/")), key=_step_number)
            text = ""
            for name in (whole or steps or names[:1])[:200]:
                with packed.open(name) as file:
                    text += file.read(MAX_LOG_CHARS - len(text)).decode("utf-8", "replace")
                if len(text) >= MAX_LOG_CHARS:
                    break
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise BadAnswer(f"the log of {one_line(job.name, 100)} is damaged: {error}", hint="ask again") from None
    return text


def _step_number(name: str) -> int:
    found = re.search(r"/(\d{1,6})_", name)
    return int(found[1]) if found else 0


def _lines(text: str) -> list[_LogLine]:
    """The lines with their times, still as they are."""
    found = []
    at = ""
    for line in text.rsplit("\n", MAX_READ_LINES)[-MAX_READ_LINES:]:
        stamped = _LINE.match(line[: MAX_LINE_CHARS * 4])
        at = stamped["at"] if stamped else at
        found.append(_LogLine(at, stamped["text"] if stamped else line[: MAX_LINE_CHARS * 4].removeprefix("\ufeff")))
    while found and not found[-1].text:
        found.pop()
    return found


def _shown(text: str) -> str:
    """A line as a terminal shows it: with its spaces, and of a progress bar the last state."""
    return lines(text.rstrip("\r").rpartition("\r")[2], MAX_LINE_CHARS).replace("\t", "    ").rstrip()


def _of_step(every: list[_LogLine], step: WorkflowStep | None) -> list[_LogLine]:
    """The lines of a step, by the times; those of the whole job when that finds none."""
    if step is None or not step.started_at or not step.completed_at:
        return every
    begin, end = _second(step.started_at), _second(step.completed_at)
    if not begin or not end:
        return every
    return [line for line in every if begin <= line.at <= end] or every


def _second(moment: str) -> str:
    """A time as the log has it: 2026-03-03T10:00:00, in UTC."""
    try:
        found = datetime.fromisoformat(moment)
    except ValueError:
        return ""
    offset = found.utcoffset()
    return (found.replace(tzinfo=None) - offset if offset else found).strftime("%Y-%m-%dT%H:%M:%S")


def _folded(texts: Sequence[str]) -> list[str]:
    """The texts, where a group without an error is a single line."""
    shown: list[str] = []
    group: list[str] | None = None
    for line in texts:
        if line.startswith("##[group]"):
            shown += group or []
            group = [line]
        elif line.startswith("##[endgroup]"):
            shown += _fold(group) if group else []
            group = None
        elif not line.startswith("##[debug]"):
            (shown if group is None else group).append(line)
    return shown + (group or [])


def _fold(group: list[str]) -> list[str]:
    if any(pattern.match(line.lstrip()) for line in group[1:] for pattern in _ERRORS):
        return group
    many = len(group) - 1
    return [f"{group[0]} ({many} line{'s' if many != 1 else ''})"]


def _first_error(texts: Sequence[str]) -> int | None:
    """Where the first error begins."""
    candidates = [
        (index, line)
        for index, line in enumerate(texts)
        if not _NO_ERROR.search(line) and not line.startswith("##[group]")
    ]
    for patterns in (_ERRORS[:4], _ERRORS[4:], (_GENERIC,)):
        for index, line in candidates:
            bare = line.lstrip()
            if not _EXIT.match(bare) and any(
                pattern.search(bare) if pattern is _GENERIC else pattern.match(bare) for pattern in patterns
            ):
                return index
    return next((index for index, line in candidates if _EXIT.match(line)), None)


def _excerpt(texts: Sequence[str], first: int | None) -> str:
    if first is None:
        chosen = list(texts[-MAX_EXCERPT_LINES:])
    else:
        chosen = list(texts[max(first - BEFORE, 0) : first + AFTER])
        # What it comes to is at the end, which a long output does not reach.
        rest = [line for line in texts[first + AFTER :] if _is_conclusion(line)]
        chosen += ["…", *rest[: MAX_EXCERPT_LINES - len(chosen) - 1]] if rest else []
    text = "\n".join(chosen)
    return text if len(text) <= MAX_EXCERPT_CHARS else f"{text[:MAX_EXCERPT_CHARS]}\n…"


def _is_conclusion(line: str) -> bool:
    return bool(_FAILED_TEST.match(line) or _EXIT.match(line) or any(total.search(line) for total in _TOTALS))


def _summary(step: str, texts: Sequence[str], first: int | None) -> str:
    where = f"{step} failed" if step else "It failed"
    total = next((found["total"] for line in texts for each in _TOTALS if (found := each.search(line))), "")
    test = next((found for line in texts if (found := _FAILED_TEST.match(line))), None)
    if test is not None:
        why = f": {test['why']}" if test["why"] else ""
        told = f"{total}, the first is {test['test']}{why}" if total else f"{test['test']}{why}"
    else:
        cause = _cause(texts, first)
        told = f"{cause} ({total})" if total and cause and total not in cause else cause or total
    return (
        one_line(f"{where}: {told}" if told else f"{where}; its log does not say why", MAX_SAID_CHARS).rstrip(".") + "."
    )


def _cause(texts: Sequence[str], first: int | None) -> str:
    if first is None:
        return ""
    line = texts[first].strip()
    if line.startswith(_TRACEBACK):
        raised = next((each for each in texts[first + 1 :] if _RAISED.fullmatch(each)), "")
        return raised or line
    if re.match(r"=+ (?:FAILURES|ERRORS) =+|_{3,} ", line):
        raised = next((each for each in texts[first + 1 : first + 200] if each.startswith("E  ")), "")
        return raised.removeprefix("E").strip() or line
    return line.removeprefix("##[error]").removeprefix("E ").strip()
