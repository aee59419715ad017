"""The object detector `sim`: ground truth of the simulator's segmentation for its own camera frames.

It says nothing about how well a robot recognises objects with a real camera; its results are marked `detector: sim`.
"""

from __future__ import annotations

from typing import Any

import httpx

from reachy_mind.body import protocol
from reachy_mind.body.address import Address
from reachy_mind.body.media import FrameObjects
from reachy_mind.errors import LinkLost, NotReady
from reachy_mind.eyes import untrusted_text
from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.object_names import plain
from reachy_mind.eyes.objects import DetectedObject
from reachy_mind.eyes.pictures import Picture

NAME = "sim"
TIMEOUT_S = 8.0


class SimulatedDetector:
    """Requests the objects in a frame from our simulator: at an address, or by a function of a simulated camera."""

    name = NAME

    def __init__(self, simulator: Address | FrameObjects) -> None:
        self._base = simulator.http if isinstance(simulator, Address) else ""
        self._ask = self._request if isinstance(simulator, Address) else simulator
        self._http: httpx.AsyncClient | None = None

    async def detect(self, picture: Picture) -> list[DetectedObject]:
        """Raises NotReady for a picture that is not a recent simulator frame, LinkLost when the simulator is gone."""
        return [
            DetectedObject(_name(seen["label"]), 1.0, Box(*seen["box"]), NAME, seen["distance_m"])
            for seen in await self._ask(picture.digest or "0" * 32)
        ]

    async def _request(self, digest: str) -> list[dict[str, Any]]:
        if self._http is None:  # plain HTTP on this machine: no certificates to load
            self._http = httpx.AsyncClient(base_url=self._base, timeout=TIMEOUT_S, verify=False, trust_env=False)  # noqa: S501
        try:
            answer = await self._http.get(f"{protocol.SIM_PREFIX}/camera/seen", params={"frame": digest})
        except httpx.HTTPError as error:
            raise LinkLost(f"the simulated camera does not answer: {str(error) or type(error).__name__}") from error
        if answer.status_code == 404:
            raise NotReady(
                "the simulator knows only what is in its own newest pictures",
                hint="set eyes.detector to a detector for photographs: reachy-mind models pull yolov4-tiny",
            )
        if answer.status_code != 200:
            raise LinkLost(f"the simulated camera answers {answer.status_code}", hint="see the log")
        seen: list[dict[str, Any]] = answer.json()["seen"]
        return seen

    async def aclose(self) -> None:
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()


def _name(label: str) -> str:
    return untrusted_text.sanitize_label(plain(label))
