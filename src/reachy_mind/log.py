"""Structured logging on stderr, with secrets redacted.

The command line calls `configure` once. All log records, including those of libraries (uvicorn, websockets, zeroconf),
go through the same chain: level, time, redaction, then text or JSON.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable, MutableMapping
from typing import Any, TextIO

import structlog

VERBOSE_LOGGERS = (
    "OpenGL", "asyncio", "filelock", "httpcore", "httpcore2", "httpx", "httpx2", "mcp", "openai", "uvicorn.access",
    "uvicorn.error", "websockets",
)  # fmt: skip
MASK = "[hidden]"
_SECRET_NAME = re.compile(r"(?i)(token|secret|passw|api_?key|authorization|cookie)")
_SECRET_TEXT = re.compile(r"(?i)\b(bearer\s+|sk-|hf_|ghp_|github_pat_|rm_[0-9a-f]{8}_)[A-Za-z0-9._~+/=-]{8,}")


class _Stderr(logging.StreamHandler[TextIO]):
    """Writes to the current stderr: a live display replaces it for a while, to print lines above itself."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


class Redactor:
    """Masks secrets: values with a secret name, text that looks like a key or token, and the `known` values."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known = sorted((k for k in known if len(k) >= 4), key=len, reverse=True)

    def text(self, text: str) -> str:
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


def configure(level: str = "info", form: str = "text", secrets: Iterable[str] = ()) -> None:
    """Send all logs to stderr at `level`, as `text` or `json`, with the given secret values masked."""
    redact = Redactor(secrets)
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    render: Any = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0)
    )
    handler = _Stderr()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                redact,
                render,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in VERBOSE_LOGGERS:
        logging.getLogger(name).setLevel("WARNING" if level != "debug" else "DEBUG")
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def get(name: str) -> structlog.stdlib.BoundLogger:
    """The logger of a module: `log = get(__name__)`."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger
