"""`Completion`: a language model behind any OpenAI-compatible address: Ollama, llama.cpp, vLLM, OpenAI.

One request per answer, to the configured address only: redirects are not followed. No connection stays open between
requests. Errors name the settings of the caller (`ModelUse`).
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httpx
from pydantic import SecretStr

from reachy_mind.errors import BadAnswer, Busy, ConfigError, MindError, NotReady, TimedOut
from reachy_mind.models import plain_text

OPENAI = "api.openai.com"
MAX_RESPONSE_BYTES = 1 << 20
REASONING_TOKENS = 2000
"""OpenAI's limit includes the tokens of the model's reasoning."""
MAX_ERROR_CHARS = 200

Message = Mapping[str, Any]
"""`role` and `content`, as OpenAI documents them."""


@dataclass(frozen=True)
class ModelUse:
    """What a model is used for: the words in its error messages."""

    settings: str
    """`eyes.vision`: its settings are eyes.vision_url, eyes.vision_model, eyes.vision_key, eyes.vision_timeout_s."""
    model: str
    """What kind of model it is: "the model that sees"."""
    task: str
    """What it may decline to do: "describe the picture"."""
    material: str
    """What a server may refuse: "the picture"."""
    declined: str
    """What to do when it declines."""
    unfit: str
    """What to do when the server refuses; `{model}` is the name of the model."""


class Completion:
    """A model at an address. `openai_key` is sent to OpenAI's own address only, and only without a `key`.

    Raises ConfigError when `url` is no address.
    """

    def __init__(
        self,
        use: ModelUse,
        url: str,
        model: str,
        *,
        key: SecretStr | None = None,
        openai_key: SecretStr | None = None,
        timeout_s: float = 30.0,
    ) -> None:
        self.name = model
        self._use, self._timeout_s = use, timeout_s
        self._url = f"{url.rstrip('/')}/chat/completions"
        try:
            self._host = httpx.URL(self._url).host
        except httpx.InvalidURL as error:
            raise ConfigError(
                f"{use.settings}_url is no address: {error}", hint="it looks like http://localhost:11434/v1"
            ) from None
        self._is_openai = self._host == OPENAI and self._url.startswith("https://")
        chosen = key or (openai_key if self._is_openai else None)
        self._headers = {"Authorization": f"Bearer {chosen.get_secret_value()}"} if chosen else {}

    async def complete(self, messages: Sequence[Message], *, max_tokens: int) -> str:
        """The model's answer, unfiltered: untrusted, and maybe empty.

        Raises NotReady when it can't be reached, TimedOut, Busy or BadAnswer, with a hint.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                status, content = await self._post(self._body(messages, max_tokens))
        except (TimeoutError, httpx.TimeoutException):
            raise TimedOut(
                f"{self.name} at {self._host} did not answer within {self._timeout_s:g} s",
                hint=f"a smaller model is faster; {self._use.settings}_timeout_s is how long it may take",
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, ImportError, ValueError) as error:  # the last two: a bad proxy
            reason = str(error) or type(error).__name__
            raise NotReady(
                f"{self._use.model}, at {self._host}, can't be reached: {reason[:200]}",
                hint=f"is it running (for Ollama: ollama serve)? Its address is {self._use.settings}_url",
            ) from None
        if status != HTTPStatus.OK:
            raise self._status_error(status, _error_message(content))
        return self._parse_answer(content)

    def _body(self, messages: Sequence[Message], max_tokens: int) -> dict[str, Any]:
        # OpenAI's newer models accept neither `max_tokens` nor a temperature; other servers accept only those.
        limits: dict[str, Any] = {"max_tokens": max_tokens, "temperature": 0.2}
        if self._is_openai:
            limits = {"max_completion_tokens": REASONING_TOKENS}
        return {"model": self.name, "messages": list(messages), "stream": False} | limits

    async def _post(self, body: dict[str, Any]) -> tuple[int, bytes]:
        """Status and content. Uncompressed, so that a small response can't expand into a large one."""
        headers = {"Accept-Encoding": "identity"} | self._headers
        proxied = not _is_this_machine(self._host)
        async with (
            httpx.AsyncClient(timeout=self._timeout_s, trust_env=proxied) as client,
            client.stream("POST", self._url, json=body, headers=headers) as response,
        ):
            content = bytearray()
            async for chunk in response.aiter_raw():
                content += chunk
                if len(content) > MAX_RESPONSE_BYTES:
                    raise BadAnswer(
                        f"{self._host} answered with more than {MAX_RESPONSE_BYTES >> 20} MB", hint="ask again"
                    )
            return response.status_code, bytes(content)

    def _parse_answer(self, content: bytes) -> str:
        try:
            message = json.loads(content)["choices"][0]["message"]
            said = message["content"]
        except (ValueError, RecursionError, LookupError, TypeError):
            raise BadAnswer(
                f"{self._host} did not answer as OpenAI-compatible servers do",
                hint=f"{self._use.settings}_url usually ends in /v1",
            ) from None
        if not said and isinstance(message.get("refusal"), str):
            raise BadAnswer(f"{self.name} would not {self._use.task}", hint=self._use.declined)
        if isinstance(said, list):  # in parts
            return " ".join(str(part.get("text", "")) for part in said if isinstance(part, dict))
        return said if isinstance(said, str) else ""

    def _status_error(self, status: int, complaint: str) -> MindError:
        settings = self._use.settings
        why = f" ({complaint})" if complaint else ""
        match status:
            case 401 | 403:
                return NotReady(f"{self._host} refused the key{why}", hint=f"set {settings}_key")
            case 404:
                hint = f"set {settings}_model" if self._is_openai else f"for Ollama: ollama pull {self.name}"
                return NotReady(f"{self._host} has no model {self.name}{why}", hint=f"{hint}; or check {settings}_url")
            case 429:
                return Busy(f"{self._host} has too much to do, or your quota there is used up{why}", hint="wait a bit")
            case _ if status >= 500:
                return NotReady(f"{self._host} failed with status {status}{why}", hint="its own log says more")
            case _ if 300 <= status < 400:
                return BadAnswer(f"{self._host} redirects, which is not followed", hint=f"set {settings}_url to where")
            case _:
                return BadAnswer(
                    f"{self._host} refused {self._use.material} with status {status}{why}",
                    hint=self._use.unfit.format(model=self.name),
                )


def _error_message(content: bytes) -> str:
    """The server's error message, as plain text."""
    try:
        error = json.loads(content)["error"]
        text = error["message"] if isinstance(error, dict) else error
    except (ValueError, RecursionError, LookupError, TypeError):
        return ""
    return plain_text.words(text, MAX_ERROR_CHARS) if isinstance(text, str) else ""


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
