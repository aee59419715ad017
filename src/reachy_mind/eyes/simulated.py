"""`sim`: what shows in a picture of the simulated camera, as the simulator itself says of that very picture.

No guess: each point of the picture is known to belong to a thing. So it says nothing about how well a robot would
recognise things with a camera in a room, and whatever it finds is marked `detector: sim`.
"""

from __future__ import annotations

import httpx

from reachy_mind.body import protocol
from reachy_mind.body.address import Address
from reachy_mind.errors import LinkLost, NotReady
from reachy_mind.eyes import texts
from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.naming import plain
from reachy_mind.eyes.pictures import Picture
from reachy_mind.eyes.things import Seen

NAME = "sim"
TIMEOUT_S = 20.0


class SimulatedDetector:
    """Asks our simulator."""

    name = NAME

    def __init__(self, address: Address) -> None:
        self._base = address.http
        self._http: httpx.AsyncClient | None = None

    async def detect(self, picture: Picture) -> list[Seen]:
        """Raises NotReady for a picture that is none of the simulator's last ones, LinkLost when it has gone."""
        if self._http is None:  # plain HTTP on this machine: no certificates to load
            self._http = httpx.AsyncClient(base_url=self._base, timeout=TIMEOUT_S, verify=False, trust_env=False)  # noqa: S501
        asked = {"frame": picture.digest or "0" * 32}
        try:
            answer = await self._http.get(f"{protocol.SIM_PREFIX}/camera/seen", params=asked)
        except httpx.HTTPError as error:
            raise LinkLost(f"the simulated camera does not answer: {error or type(error).__name__}") from error
        if answer.status_code == 404:
            raise NotReady(
                "the simulator knows only what is in its own newest pictures",
                hint="set eyes.detector to a detector for photographs: reachy-mind models pull yolov4-tiny",
            )
        if answer.status_code != 200:
            raise LinkLost(f"the simulated camera answers {answer.status_code}", hint="see the log")
        return [
            Seen(texts.label(plain(one["label"])), 1.0, Box(*one["box"]), NAME, one["distance_m"])
            for one in answer.json()["seen"]
        ]

    async def aclose(self) -> None:
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()
