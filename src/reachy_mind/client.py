"""`Client`: a running mind, from another process of the same user."""

from __future__ import annotations

from typing import Any

import httpx

from reachy_mind.errors import MindError, NotReady
from reachy_mind.owner import Owner


class RemoteError(MindError):
    """What the mind answered, under the code it gave."""

    def __init__(self, error: dict[str, str]) -> None:
        super().__init__(error.get("message", "no message"), hint=error.get("hint", ""))
        self.code = error.get("code", "ERROR")


class Client:
    """Asks the mind that owns the data folder. Raises NotReady when it does not answer, else what it answered."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner

    async def ask(
        self, method: str, route: str, content: dict[str, Any] | None = None, *, timeout: float = 90
    ) -> dict[str, Any]:
        """One call of the API; `route` is what comes after `/api/v1/`."""
        headers = {"Authorization": f"Bearer {self._owner.token}"}
        try:
            # Loopback and plain HTTP: there are no certificates to check.
            async with httpx.AsyncClient(timeout=timeout, trust_env=False, verify=False) as http:  # noqa: S501
                url = f"http://127.0.0.1:{self._owner.port}/api/v1/{route}"
                answer = await http.request(method, url, json=content, headers=headers)
            told: dict[str, Any] = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise NotReady(
                f"the mind (process {self._owner.pid}) does not answer: {error or type(error).__name__}",
                hint="it may be starting or stopping: try again",
            ) from error
        if "error" in told and answer.status_code >= 400:
            raise RemoteError(told["error"])
        return told
