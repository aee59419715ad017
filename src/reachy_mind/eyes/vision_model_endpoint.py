"""`VisionModelEndpoint`: a vision model behind an OpenAI-compatible API: Ollama, llama.cpp, vLLM, OpenAI.

It sends one request per picture, to the owner's address and nowhere else.
"""

from __future__ import annotations

import asyncio
import base64

from pydantic import SecretStr

from reachy_mind.config.settings import EyesSettings
from reachy_mind.errors import NotReady
from reachy_mind.eyes import pictures, vision_model_prompt
from reachy_mind.eyes.pictures import Picture
from reachy_mind.eyes.vision_model import MAX_SIDE_PX
from reachy_mind.models.completion import Completion, Message, ModelUse

MAX_TOKENS = 300
USE = ModelUse(
    settings="eyes.vision",
    model="the model that sees",
    task="describe the picture",
    material="the picture",
    declined="ask something else about it",
    unfit="is {model} a model that sees? gemma3:4b is one",
)


class VisionModelEndpoint:
    """`openai_key` is sent only to OpenAI's own address, and only when `eyes.vision_key` is not set."""

    def __init__(self, eyes: EyesSettings, openai_key: SecretStr | None = None) -> None:
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
        image = await asyncio.to_thread(lambda: pictures.encode(pictures.downscaled(picture.pixels, MAX_SIDE_PX)))
        said = await self._model.complete(_messages(image, prompt, facts), max_tokens=MAX_TOKENS)
        return vision_model_prompt.clean_answer(said, self.name)

    async def aclose(self) -> None:
        """Nothing to close: no connection stays open between requests."""


def _messages(image: bytes, prompt: str, facts: str) -> list[Message]:
    address = f"data:image/jpeg;base64,{base64.b64encode(image).decode()}"
    user = [
        {"type": "image_url", "image_url": {"url": address}},
        {"type": "text", "text": vision_model_prompt.request(prompt, facts)},
    ]
    return [{"role": "system", "content": vision_model_prompt.SYSTEM}, {"role": "user", "content": user}]
