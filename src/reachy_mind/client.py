"""`Client`: a running mind, from another process of the same user."""

from __future__ import annotations

import json
from typing import Any

import httpx

from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.owner import Owner


class RemoteError(MindError):
    """What the mind answered, under the code it gave."""

    def __init__(self, error: dict[str, str]) -> None:
        super().__init__(error.get("message", "no message"), hint=error.get("hint", ""))
        self.code = error.get("code", "ERROR")


def told(answer: httpx.Response) -> dict[str, Any]:
    """What the API answered. Raises RemoteError for an error."""
    content: dict[str, Any] = answer.json()
    if answer.status_code >= 400 and "error" in content:
        raise RemoteError(content["error"])
    return content


class Client:
    """Asks the mind that owns the data folder. Raises NotReady when it does not answer, else what it answered."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner

    async def ask(
        self, method: str, route: str, content: dict[str, Any] | None = None, *, timeout: float = 90
    ) -> dict[str, Any]:
        """One call of the API; `route` is what comes after `/api/v1/`."""
        headers = {"Authorization": f"Bearer {self._owner.token}", "Content-Type": "application/json"}
        try:
            body = json.dumps(content, allow_nan=False) if content is not None else None
        except ValueError as error:
            raise InvalidParameter(f"this can't be sent: {error}", hint="every number must be one") from None
        try:
            # Loopback and plain HTTP: there are no certificates to check.
            async with httpx.AsyncClient(timeout=timeout, trust_env=False, verify=False) as http:  # noqa: S501
                url = f"http://127.0.0.1:{self._owner.port}/api/v1/{route}"
                answer = await http.request(method, url, content=body, headers=headers)
            return told(answer)
        except (httpx.HTTPError, ValueError) as error:
            ended = "it ended meanwhile" if isinstance(error, ValueError) else error or type(error).__name__
            raise NotReady(
                f"the mind (process {self._owner.pid}) does not answer: {ended}",
                hint="it may be starting or stopping: try again",
            ) from error
