"""The robot's camera, as far as it can be reached: today, that of our simulator."""

from __future__ import annotations

from typing import Self

import httpx

from reachy_mind.body import protocol
from reachy_mind.body.address import Address
from reachy_mind.errors import LinkLost, NotReady

FRAME_TIMEOUT_S = 70.0
"""The first picture of a simulator waits until its drawing process has started."""


class SimulatedCamera:
    """The eye of our simulator. Use as `async with`."""

    def __init__(self, address: Address) -> None:
        # Plain HTTP on this machine, so no certificates: loading them would take longer than a picture.
        self._http = httpx.AsyncClient(base_url=address.http, timeout=FRAME_TIMEOUT_S, verify=False, trust_env=False)  # noqa: S501

    async def frame(self) -> bytes:
        """What the robot sees now, as JPEG. Raises NotReady with what to do, LinkLost when nobody answers."""
        try:
            answer = await self._http.get(f"{protocol.SIM_PREFIX}/camera/frame.jpg")
        except httpx.HTTPError as error:
            raise LinkLost(f"the simulated camera does not answer: {error or type(error).__name__}") from error
        if answer.status_code == 503:
            told = answer.json()["detail"]
            raise NotReady(told["message"], hint=told["hint"])
        if answer.status_code != 200:
            raise LinkLost(f"the simulated camera answers {answer.status_code}", hint="see the log")
        return answer.content

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()
