"""`Client`: an HTTP client of a running mind, for other processes of the same user."""

from __future__ import annotations

import json
from typing import Any

import httpx

from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.storage.owner import Owner


class RemoteError(MindError):
    """An error response of the mind, with the code it gave."""

    def __init__(self, error: dict[str, str]) -> None:
        super().__init__(error.get("message", "no message"), hint=error.get("hint", ""))
        self.code = error.get("code", "ERROR")


def parse_response(response: httpx.Response) -> dict[str, Any]:
    """The content of an API response. Raises RemoteError for an error response, ValueError without JSON."""
    content: dict[str, Any] = response.json()
    if response.status_code >= 400 and "error" in content:
        raise RemoteError(content["error"])
    return content


class Client:
    """Calls the mind that owns the data folder."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner

    async def ask(
        self, method: str, route: str, content: dict[str, Any] | None = None, *, timeout: float = 90
    ) -> dict[str, Any]:
        """One API call; `route` follows `/api/v1/`.

        Raises NotReady when the mind does not answer, RemoteError for an error response.
        """
        headers = {"Authorization": f"Bearer {self._owner.token}", "Content-Type": "application/json"}
        try:
            body = json.dumps(content, allow_nan=False) if content is not None else None
        except ValueError as error:
            raise InvalidParameter(
                f"this can't be sent as JSON: {error}", hint="NaN and infinity are not allowed"
            ) from None
        try:
            # Loopback and plain HTTP: there are no certificates to check.
            async with httpx.AsyncClient(timeout=timeout, trust_env=False, verify=False) as http:  # noqa: S501
                url = f"http://127.0.0.1:{self._owner.port}/api/v1/{route}"
                response = await http.request(method, url, content=body, headers=headers)
            return parse_response(response)
        except (httpx.HTTPError, ValueError) as error:
            reason = "it ended meanwhile" if isinstance(error, ValueError) else error or type(error).__name__
            raise NotReady(
                f"the mind (process {self._owner.pid}) does not answer: {reason}",
                hint="it may be starting or stopping: try again",
            ) from error
