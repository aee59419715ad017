"""Scene classification: the type of room, from the detected objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

RoomType = Literal["people", "table", "room", "outdoors", "unknown"]

_TABLE = frozenset({
    "table", "desk", "dining_table", "apple", "orange", "banana", "lemon", "croissant", "sandwich", "pizza",
    "donut", "cake", "bowl", "cup", "mug", "plate", "fork", "knife", "spoon", "bottle", "wine_glass", "duck",
    "book", "mouse", "keyboard", "laptop", "vase", "scissors", "remote", "phone", "cell_phone",
})  # fmt: skip
_ROOM = frozenset({
    "chair", "couch", "sofa", "bed", "tv", "lamp", "door", "window", "refrigerator", "oven", "microwave", "sink",
    "toilet", "clock", "shelf",
})  # fmt: skip
_OUTDOORS = frozenset({
    "car", "bus", "truck", "train", "bicycle", "motorcycle", "boat", "airplane", "tree", "bench", "traffic_light",
    "stop_sign", "fire_hydrant", "horse", "cow", "sheep", "kite",
})  # fmt: skip


def classify_room(names: Iterable[str], people: int) -> RoomType:
    """The room type for these object names; `people`: the number of faces."""
    seen = {name.strip().lower().replace(" ", "_") for name in names}
    if people or seen & {"person", "face", "man", "woman", "child"}:
        return "people"
    found: list[tuple[int, RoomType]] = [
        (len(seen & _TABLE), "table"),
        (len(seen & _ROOM), "room"),
        (len(seen & _OUTDOORS), "outdoors"),
    ]
    most = max(found, key=lambda each: each[0])
    return most[1] if most[0] else "unknown"
