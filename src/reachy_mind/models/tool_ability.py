"""Whether a model of an OpenAI-compatible server can call tools: measured once with one request, and kept.

Servers accept tools for any model, and small models answer with text that looks like a call. What comes back for a
request that needs a tool tells the two apart.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from reachy_mind import log
from reachy_mind.access.loopback import is_loopback
from reachy_mind.errors import ConfigError
from reachy_mind.storage.files import read_user_file, write_text_atomically

MEASURE_TIMEOUT_S = 60.0
"""A server may have to load the model first."""
MAX_TOKENS = 64
_REQUEST = "Please turn on the lamp in the kitchen."
_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "switch_lamp",
        "description": "Switch a lamp on or off.",
        "parameters": {
            "type": "object",
            "properties": {"room": {"type": "string"}, "on": {"type": "boolean"}},
            "required": ["room", "on"],
        },
    },
}

_log = log.get(__name__)


@dataclass(frozen=True)
class ServedModel:
    """A model of a server, and whether it can call tools."""

    name: str
    calls_tools: bool


async def served_model(url: str, model: str | None, key: str, kept: Path) -> ServedModel | None:
    """The model that the server will use, as measured or as kept in the file `kept`; None when it can't be told now."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    proxied = not is_loopback(httpx.URL(url).host)
    try:
        async with httpx.AsyncClient(
            base_url=url.rstrip("/"), headers=headers, timeout=MEASURE_TIMEOUT_S, trust_env=proxied
        ) as client:
            name = model or await _first_listed(client)
            if not name:
                return None
            known = _known(kept)
            if (place := f"{url} {name}") not in known:
                known[place] = await _calls_tools(client, name)
                _keep(kept, known)
                _log.info("ability of a model measured", model=name, tools=known[place])
            return ServedModel(name, known[place])
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError) as error:
        _log.warning("the ability of a model could not be measured", reason=str(error) or type(error).__name__)
        return None


async def _first_listed(client: httpx.AsyncClient) -> str:
    listed = (await client.get("models")).raise_for_status().json()
    return str(listed["data"][0]["id"]) if listed.get("data") else ""


async def _calls_tools(client: httpx.AsyncClient, name: str) -> bool:
    body = {
        "model": name,
        "messages": [{"role": "user", "content": _REQUEST}],
        "tools": [_TOOL],
        "max_tokens": MAX_TOKENS,
        "temperature": 0,
    }
    response = await client.post("chat/completions", json=body)
    if response.status_code == httpx.codes.BAD_REQUEST:  # "does not support tools"
        return False
    message = response.raise_for_status().json()["choices"][0]["message"]
    calls = message.get("tool_calls") or ()
    return any(call.get("function", {}).get("name") == _TOOL["function"]["name"] for call in calls)


def _known(kept: Path) -> dict[str, bool]:
    try:
        read = json.loads(read_user_file(kept)[0])
    except (ConfigError, ValueError):
        return {}
    return {str(place): value is True for place, value in read.items()} if isinstance(read, dict) else {}


def _keep(kept: Path, known: dict[str, bool]) -> None:
    try:
        write_text_atomically(kept, json.dumps(known, indent=1))
    except ConfigError as error:
        _log.warning("the ability of a model could not be kept", reason=error.message)
