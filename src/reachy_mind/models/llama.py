"""`Llama`: a small language model on this machine, run by llama.cpp (xllamacpp) in a process of its own.

    async with Llama.of(configuration) as llama:
        async for piece in llama.stream([{"role": "user", "content": "hello"}]):
            ...

The process runs llama.cpp's HTTP server on a loopback port with a random key: so answers stream, and a closed
connection ends the work at once. Prompt prefixes are cached in memory, several of them, so that agents with different
prompts do not evict each other, and on disk (`PromptCache`).
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
import math
import os
import secrets
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import httpx

from reachy_mind import log
from reachy_mind.errors import BadAnswer, ConfigError, MissingExtra, TimedOut, WorkerError
from reachy_mind.models import chat_stream
from reachy_mind.models.chat_choice import chosen_chat_model, missing_chat_model
from reachy_mind.models.chat_stream import TokenUsage
from reachy_mind.models.prompt_cache import PromptCache
from reachy_mind.models.store import Store
from reachy_mind.models.worker_client import WorkerClient

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.models.completion import Message
    from reachy_mind.models.worker import WorkerStatus

CONTEXT_TOKENS = 6144
"""Maximum tokens of a prompt and its answer together."""
PROMPT_CACHE_MIB = 512
"""Memory for cached prompt prefixes: about 28 kB a token."""
TIMEOUT_S = 300.0
"""A first prompt of thousands of tokens takes minutes on one core."""
SLOT_TIMEOUT_S = 60.0
PROMPT_CACHE_FOLDER = "read"
FAILED_HINT = "try again; reachy-mind models verify checks its file"

_log = log.get(__name__)


@dataclass(frozen=True)
class LlamaAnswer:
    """A whole answer."""

    text: str
    usage: TokenUsage


class LlamaModel:
    """The model in the worker process."""

    def __init__(self, path: str, threads: int, key: str, idle_s: int, slots: str, adapter: str) -> None:
        llama = importlib.import_module("xllamacpp")
        settings = llama.CommonParams()
        settings.model.path = path
        settings.n_ctx, settings.n_parallel, settings.cache_ram_mib = CONTEXT_TOKENS, 1, PROMPT_CACHE_MIB
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
        settings.api_keys, settings.ui, settings.hostnames = [key], False, ["127.0.0.1"]
        settings.sleep_idle_seconds = idle_s or -1  # then it frees its memory, and reloads at the next request
        settings.verbosity, settings.warmup = 1, False
        if slots:
            settings.slot_save_path = f"{slots}/"
        if adapter:
            settings.lora_adapters = [llama.CommonAdapterLoraInfo(adapter, 1.0)]
        self._server = llama.Server(settings)

    def address(self) -> str:
        return str(self._server.listening_address)


class Llama:
    """A local language model. Loaded by `start` or the first request; belongs to one event loop, and must be closed."""

    def __init__(
        self,
        path: Path,
        *,
        threads: int | None = None,
        idle_s: float = 0.0,
        prompt_cache: Path | None = None,
        adapter: Path | None = None,
    ) -> None:
        """`prompt_cache`: folder for saved prompt prefixes; without it they are processed again at each start.
        `adapter`: what `learn lora` has trained for this model. Raises ConfigError when that is not there."""
        self.name = path.stem
        self.load_s: float | None = None
        """Seconds of the last load; None before the first."""
        self._key = secrets.token_hex(32)
        # llama.cpp's threads spin while they wait: with one on every core, any other work stalls them all.
        cores = threads or max(1, (os.cpu_count() or 1) - 1)
        what = f"{self.name} {CONTEXT_TOKENS} {_version()}{_identity(adapter) if adapter is not None else ''}"
        self._prompt_cache = PromptCache(prompt_cache, what) if prompt_cache is not None else None
        self._known: set[str] = set()
        """Prompt prefixes that the process has in memory."""
        self._idle_s, self._last_request_at = idle_s or math.inf, 0.0
        arguments = {"path": str(path), "threads": cores, "key": self._key, "idle_s": round(idle_s)}
        arguments |= {"slots": str(prompt_cache or ""), "adapter": str(adapter or "")}
        self._worker = WorkerClient("chat", f"{__name__}:LlamaModel", arguments, FAILED_HINT)
        self._pid: int | None = None
        self._address = ""

    @classmethod
    def of(cls, configuration: Configuration) -> Llama:
        """Raises MissingExtra without xllamacpp, AssetError when the model has to be pulled first, ConfigError."""
        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingExtra("a language model on this machine", "agents")
        chosen = chosen_chat_model(configuration)
        name = chosen.name if chosen is not None else missing_chat_model(configuration)
        (file,) = Store(configuration.models_folder).path(name).glob("*.gguf")
        cache, models = configuration.models_folder / PROMPT_CACHE_FOLDER, configuration.settings.models
        return cls(file, idle_s=models.chat_idle_s, prompt_cache=cache, adapter=models.lora)

    async def __aenter__(self) -> Llama:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.aclose()

    async def start(self) -> None:
        """Load the model, unless it is loaded. Raises WorkerError."""
        if self._pid is not None and self._worker.status().pid == self._pid:
            return
        began = time.monotonic()
        self._known.clear()
        if self._prompt_cache is not None:
            await asyncio.to_thread(self._prompt_cache.make_room)
        await self._worker.start()
        self._address = str(await self._worker.call("address", timeout=10))
        status = self._worker.status()
        self._pid, self.load_s = status.pid, time.monotonic() - began
        _log.info("language model loaded", model=self.name, load_s=round(self.load_s, 1), rss=status.rss)

    def status(self) -> WorkerStatus:
        """The status of its process, with memory."""
        return self._worker.status()

    async def aclose(self) -> None:
        """End the process; a later request starts it again."""
        await self._worker.aclose()

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 256,
        repeat_penalty: float | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> AsyncGenerator[str | TokenUsage, None]:
        """Stream the answer (greedy decoding), then the `TokenUsage`.

        With a `schema` the answer is JSON that fits it, unless it is cut. `repeat_penalty`: above 1, words that were
        said already become less likely. Closing the generator ends the model's work. Raises WorkerError,
        BadAnswer and TimedOut; `timeout_s` does not include the time to load.
        """
        await self.start()
        self._last_request_at = time.monotonic()
        body: dict[str, Any] = {
            "messages": list(messages),
            "max_tokens": max_tokens,
            "temperature": 0,
        }
        if schema is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
        elif repeat_penalty is not None:
            body["repeat_penalty"] = repeat_penalty
        try:
            pieces = chat_stream.stream(self._address, self._key, body, timeout_s)
            async with contextlib.aclosing(pieces):
                async for piece in pieces:
                    yield piece
        except TimeoutError:
            raise TimedOut(f"{self.name} took longer than {timeout_s:g} s", hint="ask for something shorter") from None
        except httpx.HTTPError as error:
            raise WorkerError(f"{self.name} went away while it answered ({error})", hint=FAILED_HINT) from None
        except chat_stream.ServerRefused as error:
            raise BadAnswer(f"{self.name} refused: {error}", hint=FAILED_HINT) from None

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 256,
        timeout_s: float = TIMEOUT_S,
    ) -> LlamaAnswer:
        """The whole answer. Raises as `stream` does."""
        said, usage = list[str](), None
        pieces = self.stream(messages, schema=schema, max_tokens=max_tokens, timeout_s=timeout_s)
        async with contextlib.aclosing(pieces):
            async for piece in pieces:
                if isinstance(piece, TokenUsage):
                    usage = piece
                else:
                    said.append(piece)
        if usage is None:
            raise BadAnswer(f"{self.name} did not finish its answer", hint=FAILED_HINT)
        return LlamaAnswer("".join(said), usage)

    async def prefill(self, messages: Sequence[Message]) -> None:
        """Load the model and its state for prompts that begin with `messages`: from the disk cache, else by processing.

        Free when the state is in memory. Raises as `stream` does.
        """
        await self.start()
        if self._prompt_cache is None:
            return
        if time.monotonic() - self._last_request_at > self._idle_s:
            self._known.clear()  # it has freed its memory
        name = self._prompt_cache.name(messages)
        if name in self._known:
            return
        if not (self._prompt_cache.has(name) and await self._slot("restore", name)):
            await self.complete([*messages, {"role": "user", "content": "hello"}], max_tokens=1)
            await asyncio.to_thread(self._prompt_cache.make_room)
            if not await self._slot("save", name):
                self._prompt_cache.remove(name)
        self._known.add(name)

    async def prompt_tokens(self, messages: Sequence[Message]) -> list[int]:
        """What the model reads when it is asked to answer these messages. Raises as `stream` does."""
        await self.start()
        rendered = await self._post("/apply-template", {"messages": list(messages)})
        return await self.tokens(str(rendered["prompt"]), begins=True)

    async def tokens(self, text: str, *, begins: bool = False) -> list[int]:
        """A text in tokens of the model. `begins`: with what it puts before a text. Raises as `stream` does."""
        await self.start()
        body = {"content": text, "add_special": begins, "parse_special": begins}
        return [int(token) for token in (await self._post("/tokenize", body))["tokens"]]

    async def _post(self, route: str, body: Mapping[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._key}"}
        try:
            async with httpx.AsyncClient(base_url=self._address, headers=headers, trust_env=False) as client:
                response = await client.post(route, json=body, timeout=SLOT_TIMEOUT_S)
        except httpx.HTTPError as error:
            raise WorkerError(f"{self.name} went away ({error})", hint=FAILED_HINT) from None
        if response.status_code != httpx.codes.OK:
            raise BadAnswer(f"{self.name} refused: {chat_stream.error_message(response.content)}", hint=FAILED_HINT)
        return dict(response.json())

    async def _slot(self, action: Literal["save", "restore"], name: str) -> bool:
        """Save the state in memory to a file, or restore it. Returns whether it worked: a disk may be full."""
        self._last_request_at = time.monotonic()
        try:
            await self._post(f"/slots/0?action={action}", {"filename": name})
        except (WorkerError, BadAnswer) as error:
            _log.warning(f"could not {action} the prompt cache of the language model", reason=error.message)
            return False
        return True


def _identity(adapter: Path) -> str:
    """What makes one adapter differ from another: a state that was saved with one is of no use with the other."""
    try:
        about = adapter.stat()
    except OSError as error:
        raise ConfigError(
            f"the adapter {adapter} can't be read: {error}", hint="see models.lora, or unset it"
        ) from None
    return f" {adapter.name} {about.st_size} {about.st_mtime_ns}"


def _version() -> str:
    """The version of xllamacpp: another version may use another cache format."""
    try:
        return metadata.version("xllamacpp")
    except metadata.PackageNotFoundError:
        return ""
