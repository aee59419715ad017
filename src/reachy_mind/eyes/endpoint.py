"""`Endpoint`: a model that sees, behind any OpenAI-compatible address: Ollama, llama.cpp, vLLM, OpenAI.

One request a picture, to the owner's address and nowhere else: redirects are not followed.
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import json
from http import HTTPStatus
from typing import Any

import httpx
from pydantic import SecretStr

from reachy_mind.errors import BadAnswer, Busy, MindError, NotReady, TimedOut
from reachy_mind.eyes import pictures, wording
from reachy_mind.eyes.describer import reduced
from reachy_mind.eyes.pictures import Picture
from reachy_mind.settings import Eyes

OPENAI = "api.openai.com"
MOST_BYTES = 1 << 20
MOST_TOKENS = 300
THINKING_TOKENS = 2000
"""OpenAI's models count what they only think."""


class Endpoint:
    """`openai_key` goes to OpenAI's own address alone, and only when there is no key for this one."""

    def __init__(self, eyes: Eyes, openai_key: SecretStr | None = None) -> None:
        if eyes.vision_url is None:
            raise NotReady("there is no address of a model that sees", hint="set eyes.vision_url")
        self.name = eyes.vision_model
        self._timeout_s = eyes.vision_timeout_s
        self._url = f"{eyes.vision_url.rstrip('/')}/chat/completions"
        self._host = httpx.URL(self._url).host
        self._is_openai = self._host == OPENAI and self._url.startswith("https://")
        key = eyes.vision_key or (openai_key if self._is_openai else None)
        self._headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}

    async def describe(self, picture: Picture, prompt: str, *, facts: str = "") -> str:
        image = await asyncio.to_thread(lambda: pictures.encoded(reduced(picture)))
        try:
            async with asyncio.timeout(self._timeout_s):
                status, content = await self._ask(self._body(image, prompt, facts))
        except (TimeoutError, httpx.TimeoutException):
            raise TimedOut(
                f"{self.name} at {self._host} did not answer within {self._timeout_s:g} s",
                hint="a smaller model is faster; eyes.vision_timeout_s is how long it may take",
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, ImportError, ValueError) as error:  # the last two: a bad proxy
            reason = str(error) or type(error).__name__
            raise NotReady(
                f"the model that sees, at {self._host}, can't be reached: {reason[:200]}",
                hint="is it running (for Ollama: ollama serve)? Its address is eyes.vision_url",
            ) from None
        if status != HTTPStatus.OK:
            raise self._refused(status, _complaint(content))
        return wording.answer(self._said(content), self.name)

    async def aclose(self) -> None:
        """Nothing stays open between questions."""

    def _body(self, image: bytes, prompt: str, facts: str) -> dict[str, Any]:
        address = f"data:image/jpeg;base64,{base64.b64encode(image).decode()}"
        user = [
            {"type": "image_url", "image_url": {"url": address}},
            {"type": "text", "text": wording.request(prompt, facts)},
        ]
        messages = [{"role": "system", "content": wording.SYSTEM}, {"role": "user", "content": user}]
        # OpenAI's newer models take neither `max_tokens` nor a temperature; other servers know no other words for them.
        limits = {"max_tokens": MOST_TOKENS, "temperature": 0.2}
        if self._is_openai:
            limits = {"max_completion_tokens": THINKING_TOKENS}
        return {"model": self.name, "messages": messages, "stream": False} | limits

    async def _ask(self, body: dict[str, Any]) -> tuple[int, bytes]:
        """Status and content. Not compressed: so a small answer can't become a large one."""
        headers = {"Accept-Encoding": "identity"} | self._headers
        proxied = not _is_this_machine(self._host)
        async with (
            httpx.AsyncClient(timeout=self._timeout_s, trust_env=proxied) as client,
            client.stream("POST", self._url, json=body, headers=headers) as response,
        ):
            content = bytearray()
            async for chunk in response.aiter_raw():
                content += chunk
                if len(content) > MOST_BYTES:
                    raise BadAnswer(f"{self._host} answered with more than {MOST_BYTES >> 20} MB", hint="ask again")
            return response.status_code, bytes(content)

    def _said(self, content: bytes) -> object:
        try:
            message = json.loads(content)["choices"][0]["message"]
            said = message["content"]
        except (ValueError, RecursionError, LookupError, TypeError):
            raise BadAnswer(
                f"{self._host} did not answer as OpenAI-compatible servers do",
                hint="eyes.vision_url usually ends in /v1",
            ) from None
        if not said and isinstance(message.get("refusal"), str):
            raise BadAnswer(f"{self.name} would not describe the picture", hint="ask something else about it")
        if isinstance(said, list):  # in parts
            return " ".join(str(part.get("text", "")) for part in said if isinstance(part, dict))
        return said

    def _refused(self, status: int, complaint: str) -> MindError:
        why = f" ({complaint})" if complaint else ""
        match status:
            case 401 | 403:
                return NotReady(f"{self._host} refused the key{why}", hint="set eyes.vision_key")
            case 404:
                hint = "set eyes.vision_model" if self._is_openai else f"for Ollama: ollama pull {self.name}"
                return NotReady(f"{self._host} has no model {self.name}{why}", hint=f"{hint}; or check eyes.vision_url")
            case 429:
                return Busy(f"{self._host} has too much to do, or your quota there is used up{why}", hint="wait a bit")
            case _ if status >= 500:
                return NotReady(f"{self._host} failed with status {status}{why}", hint="its own log says more")
            case _ if 300 <= status < 400:
                return BadAnswer(f"{self._host} redirects, which is not followed", hint="set eyes.vision_url to where")
            case _:
                return BadAnswer(
                    f"{self._host} refused the picture with status {status}{why}",
                    hint=f"is {self.name} a model that sees? gemma3:4b is one",
                )


def _complaint(content: bytes) -> str:
    """What the server says is wrong, in a few plain words."""
    try:
        error = json.loads(content)["error"]
        text = error["message"] if isinstance(error, dict) else error
        return wording.answer(text, "")[:200]
    except (ValueError, RecursionError, LookupError, TypeError, BadAnswer):
        return ""


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
