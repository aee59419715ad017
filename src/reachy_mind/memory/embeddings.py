"""`Embeddings`: sentences as vectors, from a model on this machine in a process of its own.

Without the model (the asset `embeddings` was never pulled) memory works by full text alone, and says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError, NotReady
from reachy_mind.models.store import Store
from reachy_mind.models.worker import Worker

ASSETS = ("embeddings", "language-base")
"""The same model under two names: who trains the reflex brain has it already."""
MODEL = "all-MiniLM-L6-v2"
WIDTH = 384
PATIENCE_S = 0.25
"""How long a search waits for its vector unless told otherwise; it goes on with full text then."""
BATCH_S = 60.0

_log = log.get(__name__)


class Embeddings:
    """Belongs to one event loop, and must be closed. The process starts with the first need of it."""

    model = MODEL

    def __init__(self, store: Store) -> None:
        self._store = store
        self._found: str | None = None
        self._worker: Worker | None = None
        self._warming: asyncio.Task[None] | None = None
        self.trouble = ""
        """Why the last attempt failed; empty when it did not."""

    @property
    def available(self) -> bool:
        """Whether the model is on this machine."""
        return self._folder() is not None

    @property
    def ready(self) -> bool:
        """Whether it is loaded."""
        return self._worker is not None and self._worker.status().state in ("ready", "busy")

    def status(self) -> dict[str, Any]:
        """For people: whether meaning is searched too, and what to do when not."""
        if not self.available:
            return {"state": "absent", "model": MODEL, "hint": f"reachy-mind models pull {ASSETS[0]}"}
        state = "idle" if self._worker is None else self._worker.status().state
        return {"state": state, "model": MODEL, "hint": self.trouble}

    async def encode(self, texts: Sequence[str]) -> NDArray[np.float16]:
        """A row for each text. Raises NotReady without the model, WorkerError, TimedOut."""
        worker = self._hosted()
        try:
            rows: NDArray[np.float16] = await worker.call("encode", list(texts), timeout=BATCH_S)
        except MindError as error:
            self.trouble = error.message
            raise
        self.trouble = ""
        return rows

    async def query(self, text: str, patience_s: float = PATIENCE_S) -> NDArray[np.float32] | None:
        """The vector of a question, if it can be had in a moment; a model that must be loaded is for the next one."""
        if not self.available:
            return None
        if not self.ready:
            self.warm()
            return None
        call = asyncio.create_task(self.encode([text]))
        try:
            # Not cancelled when it is late: that would end the process.
            done, _ = await asyncio.wait([call], timeout=patience_s)
            if not done:
                call.add_done_callback(_unread)
                return None
            return np.asarray(call.result()[0], np.float32)
        except MindError as error:
            _log.warning("the meaning of a question could not be had", reason=error.message)
            return None

    def warm(self) -> None:
        """Begin to load the model, if it is there and is not loaded."""
        if self.available and not self.ready and (self._warming is None or self._warming.done()):
            self._warming = asyncio.create_task(self._start(), name="embeddings start")

    async def loaded(self) -> bool:
        """Wait until it is loaded, or can't be."""
        self.warm()
        if self._warming is not None:
            await asyncio.wait([self._warming])
        return self.ready

    async def aclose(self) -> None:
        if self._worker is not None:
            await self._worker.stop()
        if self._warming is not None:
            await cancel_and_wait(self._warming)

    async def _start(self) -> None:
        try:
            await self._hosted().start()
            self.trouble = ""
        except MindError as error:
            self.trouble = error.message
            _log.warning("memory goes by full text alone", reason=error.message)

    def _hosted(self) -> Worker:
        folder = self._folder()
        if folder is None:
            raise NotReady(f"the model {MODEL} is not on this machine", hint=f"reachy-mind models pull {ASSETS[0]}")
        if self._worker is None:
            self._worker = Worker("embeddings", "reachy_mind.memory.minilm:Hosted", {"folder": folder})
        return self._worker

    def _folder(self) -> str | None:
        if self._found is None:
            ready = (asset for asset in ASSETS if self._store.status(asset).state == "ready")
            self._found = next((str(self._store.path(asset)) for asset in ready), None)
        return self._found


def _unread(call: asyncio.Task[Any]) -> None:
    if not call.cancelled():
        call.exception()  # read it, or asyncio complains; nobody waits for it
