"""`SightCalls`: where a thing is, for code that turns the head towards it several times a second.

One picture, one detection, one place: no audit entry for each, as for frames and poses. The acts are checked at the
first call, as those of `detect_objects` and `detect_faces`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reachy_mind.errors import InvalidParameter
from reachy_mind.eyes import answers
from reachy_mind.eyes.object_names import canonical
from reachy_mind.eyes.questions import subject
from reachy_mind.eyes.untrusted_text import sanitize_label
from reachy_mind.tools import acts
from reachy_mind.tools.builtin.faces import face_distance_m
from reachy_mind.tools.sdk import arguments
from reachy_mind.tools.sdk.method import Method
from reachy_mind.tools.sdk.orders import MovementOrders

if TYPE_CHECKING:
    from reachy_mind.eyes.pictures import Picture
    from reachy_mind.tools.context import SightAccess

PERSON = "person"
"""Whoever is looked for is found by their face."""
USUAL_DISTANCE_M = 0.7
NEAREST_M, FARTHEST_M = 0.05, 20.0

Arguments = Mapping[str, Any]
Found = tuple[str, tuple[float, float], float | None]
"""Name, place in the picture, metres where they are known."""


class SightCalls:
    """The eyes for one run of sandboxed code."""

    def __init__(self, orders: MovementOrders) -> None:
        self._orders = orders
        locate = Method("sight.locate", ("name", "distance_m"), self._locate, ("camera",))
        self.methods: Mapping[str, Method] = {locate.name: locate}

    async def _locate(self, args: Arguments) -> dict[str, Any] | None:
        """Where the nearest thing of this name is in a new picture; None when it is not in view."""
        label = sanitize_label(arguments.text("name", args.get("name"), 100))
        name, colour = subject(label)
        if not label:
            raise InvalidParameter("a thing to locate has a name", hint="such as apple, or face")
        usual = arguments.number("distance_m", args.get("distance_m", USUAL_DISTANCE_M), NEAREST_M, FARTHEST_M)
        faces = canonical(name) == PERSON
        await self._orders.permit(acts.TAKE_PICTURE, acts.FIND_FACES if faces else acts.FIND_OBJECTS)
        sight = self._orders.ctx.sight
        picture = await sight.look()
        found = await (_face(sight, picture) if faces else _thing(sight, picture, name, colour))
        return None if found is None else _located(sight, picture, found, usual)


async def _face(sight: SightAccess, picture: Picture) -> Found | None:
    """The largest face, which is the nearest one."""
    seen = max(await sight.faces(picture), key=lambda face: face.box.area, default=None)
    return None if seen is None else ("face", seen.box.centre, face_distance_m(seen, sight.lens))


async def _thing(sight: SightAccess, picture: Picture, name: str, colour: str) -> Found | None:
    there = answers.matching(await sight.things(picture), name, colour)
    return (there[0].name, there[0].box.centre, there[0].distance_m) if there else None


def _located(sight: SightAccess, picture: Picture, found: Found, usual: float) -> dict[str, Any]:
    """`left`, `up`: radians from the camera's axis when the picture was taken; `place`: metres from the centre of the
    neutral head, ahead, left and up."""
    name, centre, distance = found
    forward, left, up = sight.lens.ray(*centre)
    place = sight.lens.place(*centre, distance or usual, sight.pose_at(picture.taken_at))
    return {
        "name": name,
        "left": math.atan2(left, forward),
        "up": math.atan2(up, math.hypot(forward, left)),
        "distance_m": distance,
        "place": [float(value) for value in place],
    }
