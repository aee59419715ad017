"""`MindApi`: the mind's REST API and sockets as a program uses them, over one pool of connections."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Final, Self

import httpx
from websockets.asyncio.client import connect

from reachy_mind.bench.endurance.attempts import ANSWER_TIMEOUT_S, WrongAnswer
from reachy_mind.client import RemoteError, parse_response

KEEP_ALIVE_S: Final = 2.0
"""The server closes idle connections after five seconds; one that is used just then would be reset."""
OPEN_TIMEOUT_S: Final = 10.0


class MindApi:
    """Use as an async context manager."""

    def __init__(self, port: int) -> None:
        self._place = f"127.0.0.1:{port}"
        self.http = httpx.AsyncClient(
            base_url=f"http://{self._place}",
            timeout=ANSWER_TIMEOUT_S,
            trust_env=False,
            limits=httpx.Limits(max_connections=64, keepalive_expiry=KEEP_ALIVE_S),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.http.aclose()

    async def ask(self, method: str, route: str, content: dict[str, Any] | None = None, **query: Any) -> dict[str, Any]:
        """One call; `route` follows `/api/v1/`. Raises RemoteError, httpx.HTTPError, WrongAnswer."""
        response = await self.http.request(method, f"/api/v1/{route}", json=content, params=query or None)
        try:
            return parse_response(response)
        except ValueError as error:
            raise WrongAnswer(f"{method} {route}: status {response.status_code}, {response.text[:80]!r}") from error

    async def tool(self, name: str, call_id: str | None = None, **parameters: Any) -> dict[str, Any]:
        """The result of a tool. Raises RemoteError for any outcome but ok, and as `ask` does."""
        told = await self.ask(
            "POST", "tools/execute", {"tool_name": name, "parameters": parameters, "call_id": call_id}
        )
        if told["outcome"] == "cancelled":
            raise RemoteError({"code": "CANCELLED", "message": f"{name} was cancelled"})
        if told["outcome"] not in ("ok", "started"):
            raise RemoteError(told["error"])
        result: dict[str, Any] = told["result"]
        return result

    async def post_sound(self, route: str, wav: bytes) -> dict[str, Any]:
        """As `ask`, with a sound as the body."""
        headers = {"Content-Type": "audio/wav"}
        return parse_response(await self.http.post(f"/api/v1/{route}", content=wav, headers=headers))

    def socket(self, route: str) -> connect:
        """A WebSocket; `route` follows `/api/v1/ws/`."""
        uri = f"ws://{self._place}/api/v1/ws/{route}"
        return connect(uri, proxy=None, compression=None, open_timeout=OPEN_TIMEOUT_S, ping_interval=None)
