"""Structured logging on stderr and in files, with secrets redacted.

The command line calls `configure` once. All log records, including those of libraries (uvicorn, websockets, zeroconf),
go through the same chain: level, time, redaction, then text or JSON.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import sys
from collections.abc import Iterable, MutableMapping
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
FILE_BYTES, FILES = 5 << 20, 5
"""A log file is rotated at this size, and so many are kept."""
MASK = "[hidden]"
_listeners: list[tuple[QueueListener, logging.Handler]] = []
_SECRET_NAME = re.compile(r"(?i)(token|secret|passw|api_?key|authorization|cookie)")
_SECRET_TEXT = re.compile(r"(?i)\b(bearer\s+|sk-|hf_|ghp_|github_pat_|rm_[0-9a-f]{8}_)[A-Za-z0-9._~+/=-]{8,}")


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


def configure(level: str = "info", form: str = "text", secrets: Iterable[str] = (), folder: Path | None = None) -> None:
    """Send all logs to stderr at `level`, as `text` or `json`, with the given secret values masked.

    With a `folder` also to rotated files in it, as JSON: `mind.log`, and `access.log` for the requests.
    """
    redact = Redactor(secrets)
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    as_json = structlog.processors.JSONRenderer()
    as_text = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0)

    def formatter(render: Any) -> logging.Formatter:
        chain: list[Any] = [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
        ]
        return structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[*chain, redact, render])

    handler = _Stderr()
    handler.setFormatter(formatter(as_json if form == "json" else as_text))
    root, access = logging.getLogger(), logging.getLogger(ACCESS)
    close_files()
    root.handlers[:], access.handlers[:] = [handler], []
    root.setLevel(level.upper())
    access.propagate = level == "debug"
    access.setLevel("INFO" if folder is not None or level == "debug" else "CRITICAL")
    if folder is not None:
        _add_files(folder, root, access, formatter(as_json))
    for name in VERBOSE_LOGGERS:
        logging.getLogger(name).setLevel("WARNING" if level != "debug" else "DEBUG")
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )


class _Unformatted(QueueHandler):
    """Leaves formatting and writing to the thread of the listener: the event loop does not wait for a disk."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        return record


class _LogFile(RotatingFileHandler):
    """A rotated file, readable by its owner only. On a full disk lines are missing here; stderr has them."""

    def _open(self) -> Any:
        def private(path: str, flags: int) -> int:
            return os.open(path, flags, 0o600)

        return open(self.baseFilename, self.mode, encoding=self.encoding, opener=private)

    def handleError(self, record: logging.LogRecord) -> None: ...  # noqa: N802 -- its name in logging


def _add_files(folder: Path, root: logging.Logger, access: logging.Logger, formatter: logging.Formatter) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for logger, name in ((root, "mind.log"), (access, "access.log")):
            file = _LogFile(folder / name, maxBytes=FILE_BYTES, backupCount=FILES - 1, encoding="utf-8")
            file.setFormatter(formatter)
            lines: SimpleQueue[Any] = SimpleQueue()
            listener = QueueListener(lines, file)
            listener.start()
            _listeners.append((listener, file))
            logger.addHandler(_Unformatted(lines))
    except OSError as error:
        root.warning("no log files: %s", error)


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
