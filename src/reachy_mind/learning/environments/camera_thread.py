"""`BlockingCamera`: the camera's process for callers that wait, in a thread that has its event loop."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from reachy_mind.sim.camera import CameraProcess, SceneSnapshot

CLOSE_S = 10.0


class BlockingCamera:
    """Starts with the first question. A thread of its own, for the caller may have an event loop; a daemon, so that a
    program which forgets to close it can still end."""

    def __init__(self, camera: CameraProcess) -> None:
        self._camera = camera
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread()

    def seen(self, snapshot: SceneSnapshot) -> list[dict[str, Any]]:
        """The objects visible to the eye. Raises NotReady where nothing can be rendered, HardwareError when the process
        ended; it starts anew with the next question."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_serve, args=(self._loop,), name="camera", daemon=True)
            self._thread.start()
        answer = asyncio.run_coroutine_threadsafe(self._camera.seen_at(snapshot), self._loop)
        try:
            return answer.result()
        finally:
            answer.cancel()  # the caller was interrupted, and closes next

    def close(self) -> None:
        """End the process, also while it renders. Does nothing when it never started."""
        loop, self._loop = self._loop, None
        if loop is not None:
            asyncio.run_coroutine_threadsafe(self._camera.close(), loop).result(CLOSE_S)
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join(CLOSE_S)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()
