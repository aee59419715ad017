"""Structured logging on stderr and in files, with secrets redacted.

The command line calls `configure` once, and each process that it starts `configure_child`. All log records, including
those of libraries (uvicorn, websockets), go through the same chain: level, time, redaction, then text or JSON.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import re
import sys
from collections.abc import Iterable, MutableMapping
from dataclasses import asdict, dataclass, replace
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TextIO

import structlog

VERBOSE_LOGGERS = (
    "OpenGL", "asyncio", "filelock", "httpcore", "httpcore2", "httpx", "httpx2", "mcp", "openai", "uvicorn.access",
    "uvicorn.error", "websockets",
)  # fmt: skip
ACCESS = "access_log"
"""The logger of the requests, in a file of its own and on stderr only at level debug. No name of a package: its
settings would be those of the modules in it."""
OF_PARENT = "_REACHY_MIND_LOG"
"""The variable in which the processes that this one starts find where and how it logs."""
MASK = "[hidden]"
_FIRST = ("timestamp", "level", "process", "logger", "event", "turn")
_listeners: list[tuple[QueueListener, logging.Handler]] = []
_SECRET_NAME = re.compile(r"(?i)(token|secret|passw|api_?key|authorization|cookie)")
_SECRET_TEXT = re.compile(r"(?i)\b(bearer\s+|sk-|hf_|ghp_|github_pat_|rm_[0-9a-f]{8}_)[A-Za-z0-9._~+/=-]{8,}")


@dataclass(frozen=True)
class LogFiles:
    """Where log files are. Each is rotated at `max_bytes`, and `count` of them are kept."""

    folder: str
    max_bytes: int = 5 << 20
    count: int = 5


@dataclass(frozen=True)
class LogForm:
    """How a process logs: `form` is text or json, for stderr; files always have JSON."""

    level: str = "info"
    form: str = "text"
    files: LogFiles | None = None


class _Stderr(logging.StreamHandler[TextIO]):
    """Writes to the current stderr: a live display replaces it for a while, to print lines above itself."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


class Redactor:
    """Masks secrets: values with a secret name, text that looks like a key or token, and the `known` values. What is no
    Unicode (half of a surrogate pair) is escaped: a file would refuse the line."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known = sorted((k for k in known if len(k) >= 4), key=len, reverse=True)

    def text(self, text: str) -> str:
        text = text.encode("utf-8", "backslashreplace").decode()
        for secret in self._known:
            text = text.replace(secret, MASK)
        return _SECRET_TEXT.sub(lambda m: m.group(1) + MASK, text)

    def value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {k: MASK if v and _SECRET_NAME.search(str(k)) else self.value(v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(v) for v in value]
        if isinstance(value, bool | int | float) or value is None:
            return value
        return self.text(str(value))

    def __call__(self, _logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        kept = {k: v for k, v in line.items() if k.startswith("_") or k == "exc_info"}
        clean = self.value({k: v for k, v in line.items() if k not in kept})
        return {**clean, **kept}


def configure(
    level: str = "info",
    form: str = "text",
    secrets: Iterable[str] = (),
    files: LogFiles | None = None,
    *,
    process: str = "mind",
) -> None:
    """Send all logs to stderr at `level`, as `text` or `json`, with the given secret values masked.

    With `files` also to rotated files, as JSON, named after the process: `mind.log`, and `access.log` for the requests.
    """
    shown = LogForm(level, form, files)
    os.environ[OF_PARENT] = json.dumps(asdict(shown))
    _configure(shown, secrets, process)


def configure_child(process: str, *, level: str | None = None, secrets: Iterable[str] = ()) -> None:
    """Log as the process that started this one does, in a file of its own, with another `level` if one is given."""
    try:
        told = json.loads(os.environ.get(OF_PARENT, "{}"))
        shown = LogForm(**(told | {"files": LogFiles(**told["files"]) if told.get("files") else None}))
    except (ValueError, TypeError):
        shown = LogForm()
    _configure(replace(shown, level=level or shown.level), secrets, re.sub(r"[^\w-]", "-", process))


def change_level(level: str) -> None:
    """Show lines from this level on, from now on, in this process."""
    root, access = logging.getLogger(), logging.getLogger(ACCESS)
    root.setLevel(level.upper())
    access.propagate = level == "debug"
    access.setLevel("INFO" if access.handlers or level == "debug" else "CRITICAL")
    for name in VERBOSE_LOGGERS:
        logging.getLogger(name).setLevel("WARNING" if level != "debug" else "DEBUG")


def _configure(shown: LogForm, secrets: Iterable[str], process: str) -> None:
    redact = Redactor(secrets)
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]

    def ordered(_logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        line["process"] = process
        return {**{key: line[key] for key in _FIRST if key in line}, **line}

    as_json = [ordered, structlog.processors.JSONRenderer()]
    as_text = [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0)]

    def formatter(render: list[Any]) -> logging.Formatter:
        chain: list[Any] = [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
        ]
        return structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, _add_context], processors=[*chain, redact, *render]
        )

    handler = _Stderr()
    handler.setFormatter(formatter(as_json if shown.form == "json" else as_text))
    root, access = logging.getLogger(), logging.getLogger(ACCESS)
    close_files()
    root.handlers[:], access.handlers[:] = [handler], []
    root.setLevel(shown.level.upper())
    if shown.files is not None:
        requests = "access" if process == "mind" else f"{process}-access"
        _add_files(shown.files, {root: f"{process}.log", access: f"{requests}.log"}, formatter(as_json))
    change_level(shown.level)
    structlog.configure(
        processors=[*shared, _with_exception, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )


class _Unformatted(QueueHandler):
    """Leaves formatting and writing to the thread of the listener: the event loop does not wait for a disk."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        record.context = structlog.contextvars.get_contextvars()  # it is unknown in that thread
        return record


def _with_exception(_logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The exception that is being handled where a line is logged: a thread that writes it handles none."""
    if line.get("exc_info") is True:
        line["exc_info"] = sys.exc_info()
    return line


def _add_context(_logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """For records of libraries: what was bound where they were logged, such as the turn."""
    return {**getattr(line["_record"], "context", {}), **line}


class _LogFile(RotatingFileHandler):
    """A rotated file, readable by its owner only, opened at its first line.

    What can't be written is missing here; stderr has it, and says once why, and once that it goes on. A handler of the
    logging package would never write again after an error in the middle of a rotation.
    """

    _failed = False

    def _open(self) -> Any:
        def private(path: str, flags: int) -> int:
            return os.open(path, flags, 0o600)

        file = open(self.baseFilename, self.mode, encoding=self.encoding, opener=private)  # noqa: SIM115 -- the handler's
        if _ends_within_a_line(Path(self.baseFilename)):
            file.write("\n")
        return file

    def emit(self, record: logging.LogRecord) -> None:
        before = self._failed
        self._failed = False
        super().emit(record)
        if before and not self._failed:
            get(__name__).warning("a log file is written again", file=self.baseFilename)
        elif self._failed and not before:
            get(__name__).error(
                "a log file can't be written; its lines are missing there", file=self.baseFilename, reason=self._reason
            )

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 -- its name in logging
        self._failed, self._reason = True, str(sys.exc_info()[1])
        file, self.stream = self.stream, None  # the next line opens it again
        if file is not None:
            with contextlib.suppress(OSError, ValueError):
                file.close()

    def close(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            super().close()


def _ends_within_a_line(file: Path) -> bool:
    """Whether the last line was cut off: by a full disk, or with the process."""
    with contextlib.suppress(OSError), file.open("rb") as opened:
        opened.seek(-1, os.SEEK_END)
        return opened.read(1) != b"\n"
    return False


def _add_files(files: LogFiles, names: dict[logging.Logger, str], formatter: logging.Formatter) -> None:
    folder = Path(files.folder)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        logging.getLogger().warning("no log files: %s", error)
        return
    for logger, name in names.items():
        file = _LogFile(
            folder / name, maxBytes=files.max_bytes, backupCount=files.count - 1, encoding="utf-8", delay=True
        )
        file.setFormatter(formatter)
        lines: SimpleQueue[Any] = SimpleQueue()
        listener = QueueListener(lines, file)
        listener.start()
        _listeners.append((listener, file))
        logger.addHandler(_Unformatted(lines))


def close_files() -> None:
    """Write what is queued, and close the log files."""
    while _listeners:
        listener, file = _listeners.pop()
        listener.stop()
        file.close()


atexit.register(close_files)


def get(name: str) -> structlog.stdlib.BoundLogger:
    """The logger of a module: `log = get(__name__)`."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger
