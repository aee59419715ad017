"""`VisionModel`: the protocol of a vision language model, which gets a picture and describes it.

A new one is a module that implements this protocol, and a case in `vision_model_selection.choose`.
"""

from __future__ import annotations

from typing import Protocol

from reachy_mind.eyes.pictures import Picture

MAX_SIDE_PX = 768
"""Models of this kind use no more; a larger picture only takes longer."""


class VisionModel(Protocol):
    """Its answers are untrusted: it may repeat text that somebody holds into the camera."""

    name: str

    async def describe(self, picture: Picture, prompt: str, *, facts: str = "") -> str:
        """Answer `prompt` in a few sentences to be spoken. `facts`: what our detectors found in that picture.

        Raises NotReady when the model is unavailable, TimedOut, Busy, BadAnswer, MissingExtra or WorkerError; each
        says what to do.
        """

    async def aclose(self) -> None:
        """End what it has started. A later `describe` starts it again."""
