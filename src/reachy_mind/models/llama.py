"""`Llama`: a small language model on this machine, run by llama.cpp (xllamacpp) in a process of its own.

    async with Llama.of(configuration) as llama:
        async for piece in llama.stream([{"role": "user", "content": "hello"}]):
            ...

The process serves the model on a loopback port, behind a key that only we know, as llama.cpp does it anyway: so words
stream, and whoever stops listening ends the work at once. Prompts that begin alike are read once: beginnings are kept
in memory, several of them, so that agents with prompts of their own do not push each other out.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
import json
import math
import os
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import httpx

from reachy_mind import log
from reachy_mind.errors import BadAnswer, MissingExtra, TimedOut, WorkerError
from reachy_mind.models.beginnings import Beginnings
from reachy_mind.models.engine import Engine
from reachy_mind.models.store import Store

if TYPE_CHECKING:
    from reachy_mind.config import Configuration
    from reachy_mind.models.completion import Message
    from reachy_mind.models.worker import WorkerStatus

ASSET = "chat"
CONTEXT = 6144
"""Tokens that a prompt and its answer may have together."""
KEPT_MIB = 512
"""Memory for beginnings of prompts: some 28 kB a token."""
TIMEOUT_S = 300.0
"""A first prompt of thousands of tokens takes minutes on one core."""
SLOT_S = 60.0
BEGINNINGS = "read"
FAILED = "try again; reachy-mind models verify chat checks its file"

_log = log.get(__name__)


@dataclass(frozen=True)
class Usage:
    """The last thing of an answer: why it ended and what it took."""

    cut: bool
    """Whether it was longer than allowed."""
    tokens_in: int
    tokens_out: int
    cached: int
    """How many of the tokens in had been read before."""


@dataclass(frozen=True)
class Answer:
    """A whole answer."""

    text: str
    usage: Usage


class Hosted:
    """The model itself, in the worker's process."""

    def __init__(self, path: str, threads: int, key: str, idle_s: int, slots: str) -> None:
        llama = importlib.import_module("xllamacpp")
        settings = llama.CommonParams()
        settings.model.path = path
        settings.n_ctx, settings.n_parallel, settings.cache_ram_mib = CONTEXT, 1, KEPT_MIB
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
        settings.api_keys, settings.ui, settings.hostnames = [key], False, ["127.0.0.1"]
        settings.sleep_idle_seconds = idle_s or -1  # it then gives back its memory, and loads itself when asked
        settings.verbosity, settings.warmup = 1, False
        if slots:
            settings.slot_save_path = f"{slots}/"
        self._server = llama.Server(settings)

    def address(self) -> str:
        return str(self._server.listening_address)


class Llama:
    """The model. Loaded by `start` or the first question; belongs to one event loop, and must be closed."""

    def __init__(
        self, path: Path, *, threads: int | None = None, idle_s: float = 0.0, beginnings: Path | None = None
    ) -> None:
        """`beginnings`: the folder for what it has read of how prompts begin; without, it reads them at each start."""
        self.name = path.stem
        self.load_s: float | None = None
        """How long loading it took the last time; None until then."""
        self._key = secrets.token_hex(32)
        # llama.cpp's threads wait for each other without rest: with one on every core, any other work stalls them all.
        cores = threads or max(1, (os.cpu_count() or 1) - 1)
        what = f"{self.name} {CONTEXT} {_version()}"
        self._beginnings = Beginnings(beginnings, what) if beginnings is not None else None
        self._known: set[str] = set()
        """Beginnings that its process has in memory."""
        self._idle_s, self._asked_at = idle_s or math.inf, 0.0
        arguments = {"path": str(path), "threads": cores, "key": self._key, "idle_s": round(idle_s)}
        arguments["slots"] = str(beginnings or "")
        self._engine = Engine("chat", f"{__name__}:Hosted", arguments, FAILED)
        self._pid: int | None = None
        self._address = ""

    @classmethod
    def of(cls, configuration: Configuration) -> Llama:
        """Raises MissingExtra without xllamacpp and AssetError when the model has to be pulled first."""
        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingExtra("a language model on this machine", "agents")
        (file,) = Store(configuration.models_folder).path(ASSET).glob("*.gguf")
        idle_s = configuration.settings.models.chat_idle_s
        return cls(file, idle_s=idle_s, beginnings=configuration.models_folder / BEGINNINGS)

    async def __aenter__(self) -> Llama:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.aclose()

    async def start(self) -> None:
        """Load it, unless it is there. Raises WorkerError when it can't be."""
        if self._pid is not None and self._engine.status().pid == self._pid:
            return
        began = time.monotonic()
        self._known.clear()
        if self._beginnings is not None:
            await asyncio.to_thread(self._beginnings.make_room)
        await self._engine.start()
        self._address = str(await self._engine.call("address", timeout=10))
        status = self._engine.status()
        self._pid, self.load_s = status.pid, time.monotonic() - began
        _log.info("language model loaded", model=self.name, load_s=round(self.load_s, 1), rss=status.rss)

    def status(self) -> WorkerStatus:
        """Its process, and the memory that holds."""
        return self._engine.status()

    async def aclose(self) -> None:
        """End the process; a later question starts it again."""
        await self._engine.aclose()

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        most_tokens: int = 256,
        timeout_s: float = TIMEOUT_S,
    ) -> AsyncGenerator[str | Usage, None]:
        """Pieces of the answer as they come, the most likely word each time, then the `Usage`.

        With a `schema` they are JSON that fits it, as far as it goes. Closing the generator ends the model's work.
        Raises WorkerError, BadAnswer and TimedOut; the time to load comes on top of `timeout_s`.
        """
        await self.start()
        self._asked_at = time.monotonic()
        body: dict[str, Any] = {
            "messages": list(messages),
            "max_tokens": most_tokens,
            "temperature": 0,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if schema is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
        cut = False
        try:
            async with self._posted(body, timeout_s) as lines:
                async for line in lines:
                    if (event := _event(line)) is None:
                        continue
                    for choice in event.get("choices", ()):
                        cut = cut or choice.get("finish_reason") == "length"
                        if piece := choice.get("delta", {}).get("content"):
                            yield str(piece)
                    if usage := event.get("usage"):
                        yield _usage(usage, cut=cut)
        except (TimeoutError, httpx.TimeoutException):
            raise TimedOut(f"{self.name} took longer than {timeout_s:g} s", hint="ask for something shorter") from None
        except httpx.HTTPError as error:
            raise WorkerError(f"{self.name} went away while it answered ({error})", hint=FAILED) from None

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        most_tokens: int = 256,
        timeout_s: float = TIMEOUT_S,
    ) -> Answer:
        """The whole answer at once; raises as `stream` does."""
        said, usage = list[str](), None
        pieces = self.stream(messages, schema=schema, most_tokens=most_tokens, timeout_s=timeout_s)
        async with contextlib.aclosing(pieces):
            async for piece in pieces:
                if isinstance(piece, Usage):
                    usage = piece
                else:
                    said.append(piece)
        if usage is None:
            raise BadAnswer(f"{self.name} did not finish its answer", hint=FAILED)
        return Answer("".join(said), usage)

    async def read(self, messages: Sequence[Message]) -> None:
        """Load it, and have it know how prompts begin: from disk if it ever read that, else it reads it now.

        Costs nothing when it knows already. Raises as `stream` does.
        """
        await self.start()
        if self._beginnings is None:
            return
        if time.monotonic() - self._asked_at > self._idle_s:
            self._known.clear()  # it gave its memory back
        name = self._beginnings.name(messages)
        if name in self._known:
            return
        if not (self._beginnings.has(name) and await self._slot("restore", name)):
            await self.complete([*messages, {"role": "user", "content": "hello"}], most_tokens=1)
            await asyncio.to_thread(self._beginnings.make_room)
            if not await self._slot("save", name):
                self._beginnings.remove(name)
        self._known.add(name)

    async def _slot(self, action: Literal["save", "restore"], name: str) -> bool:
        """Whether what it has in memory could be written to a file, or read from one: a disk may be full."""
        self._asked_at = time.monotonic()
        headers = {"Authorization": f"Bearer {self._key}"}
        try:
            async with httpx.AsyncClient(base_url=self._address, headers=headers, trust_env=False) as client:
                told = await client.post(f"/slots/0?action={action}", json={"filename": name}, timeout=SLOT_S)
        except httpx.HTTPError as error:
            _log.warning(f"could not {action} what the language model has read", reason=str(error))
            return False
        if told.status_code != httpx.codes.OK:
            _log.warning(f"could not {action} what the language model has read", reason=_complaint(told.content))
        return told.status_code == httpx.codes.OK

    @contextlib.asynccontextmanager
    async def _posted(self, body: dict[str, Any], timeout_s: float) -> AsyncIterator[AsyncIterator[str]]:
        """The lines of an answer, the last of them within the time."""
        headers, deadline = {"Authorization": f"Bearer {self._key}"}, asyncio.get_running_loop().time() + timeout_s
        async with (
            httpx.AsyncClient(base_url=self._address, headers=headers, timeout=timeout_s, trust_env=False) as client,
            client.stream("POST", "/v1/chat/completions", json=body) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise BadAnswer(f"{self.name} refused: {_complaint(await response.aread())}", hint=FAILED)
            yield _until(deadline, response.aiter_lines())


async def _until(deadline: float, lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """Each line is waited for apart: who reads them slowly must not be cut short in the middle of its own work."""
    while True:
        async with asyncio.timeout_at(deadline):
            line = await anext(lines, None)
        if line is None:
            return
        yield line


def _version() -> str:
    """What it is run by: another one may write other files."""
    try:
        return metadata.version("xllamacpp")
    except metadata.PackageNotFoundError:
        return ""


def _event(line: str) -> dict[str, Any] | None:
    """One event of the stream; None for a line that is none."""
    name, _, data = line.partition(":")
    if name not in ("data", "error") or data.strip() in ("", "[DONE]"):
        return None
    event: dict[str, Any] = json.loads(data)
    if name == "error" or "error" in event:
        raise BadAnswer(f"the language model stopped: {_complaint(data.encode())}", hint=FAILED)
    return event


def _usage(told: Mapping[str, Any], *, cut: bool) -> Usage:
    cached = (told.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    return Usage(cut, int(told.get("prompt_tokens", 0)), int(told.get("completion_tokens", 0)), int(cached))


def _complaint(content: bytes) -> str:
    try:
        told = json.loads(content)
        return str(told.get("error", told).get("message", told))[:300]
    except (ValueError, AttributeError):
        return content[:300].decode("utf-8", "replace")
