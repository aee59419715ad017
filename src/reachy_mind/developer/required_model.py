"""`required_model`: the language model of the thinking brain, for work that nothing else can do."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from reachy_mind.errors import NotReady, TimedOut

if TYPE_CHECKING:
    from reachy_mind.developer.message_model import OpenModel
    from reachy_mind.models.text_model import TextModel

TIMEOUT_S = 600.0
"""For all answers of one piece of work: a model on this machine writes a program in minutes."""
HINT = "that takes a language model: reachy-mind models pull chat, or set openai.url; docs/brains.md"


@contextlib.asynccontextmanager
async def required_model(open_model: OpenModel, work: str) -> AsyncIterator[TextModel]:
    """Use as `async with`. `work`: what it is for, "write programs". Raises NotReady without one, and TimedOut."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            model = await open_model()
            if model is None:
                raise NotReady(f"I can't {work} without a language model, and there is none", hint=HINT)
            try:
                yield model
            finally:
                await model.aclose()
    except TimeoutError:
        raise TimedOut(
            f"the language model took longer than {TIMEOUT_S:g} s", hint="ask for something smaller"
        ) from None
