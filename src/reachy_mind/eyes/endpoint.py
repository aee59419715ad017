"""`Endpoint`: a model that sees, behind any OpenAI-compatible address: Ollama, llama.cpp, vLLM, OpenAI.

One request a picture, to the owner's address and nowhere else.
"""

from __future__ import annotations

import asyncio
import base64

from pydantic import SecretStr

from reachy_mind.errors import NotReady
from reachy_mind.eyes import pictures, wording
from reachy_mind.eyes.describer import LONGEST_SIDE
from reachy_mind.eyes.pictures import Picture
from reachy_mind.models.completion import Completion, Message, Use
from reachy_mind.settings import Eyes

MOST_TOKENS = 300
USE = Use(
    settings="eyes.vision",
    model="the model that sees",
    task="describe the picture",
    material="the picture",
    declined="ask something else about it",
    unfit="is {model} a model that sees? gemma3:4b is one",
)


class Endpoint:
    """`openai_key` goes to OpenAI's own address alone, and only when there is no key for this one."""

    def __init__(self, eyes: Eyes, openai_key: SecretStr | None = None) -> None:
        if eyes.vision_url is None:
            raise NotReady("there is no address of a model that sees", hint="set eyes.vision_url")
        self.name = eyes.vision_model
        self._model = Completion(
            USE,
            eyes.vision_url,
            eyes.vision_model,
            key=eyes.vision_key,
            openai_key=openai_key,
            timeout_s=eyes.vision_timeout_s,
        )

    async def describe(self, picture: Picture, prompt: str, *, facts: str = "") -> str:
        image = await asyncio.to_thread(lambda: pictures.encoded(pictures.reduced(picture.pixels, LONGEST_SIDE)))
        said = await self._model.complete(_messages(image, prompt, facts), most_tokens=MOST_TOKENS)
        return wording.answer(said, self.name)

    async def aclose(self) -> None:
        """Nothing stays open between questions."""


def _messages(image: bytes, prompt: str, facts: str) -> list[Message]:
    address = f"data:image/jpeg;base64,{base64.b64encode(image).decode()}"
    user = [
        {"type": "image_url", "image_url": {"url": address}},
        {"type": "text", "text": wording.request(prompt, facts)},
    ]
    return [{"role": "system", "content": wording.SYSTEM}, {"role": "user", "content": user}]
