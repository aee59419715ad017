"""`listed_tools`: every tool on the shelf with the states of its versions, for people and programs."""

from __future__ import annotations

from typing import Any

from reachy_mind.errors import MindError
from reachy_mind.workshop.shelf.shelf import Shelf


def summary(listed: list[dict[str, Any]]) -> str:
    if not listed:
        return "I have made no tool yet."
    used = [each["name"].replace("_", " ") for each in listed if each["active"] is not None]
    made = f"I have made {len(listed)} tool{'' if len(listed) == 1 else 's'}"
    return f"{made}; in use: {', '.join(used)}." if used else f"{made}; none is in use."


def listed_tools(shelf: Shelf) -> list[dict[str, Any]]:
    """Every tool with the states of its versions. `waiting`: the version that a person may decide about now.

    Blocks. Raises ShelfError.
    """
    found = []
    for name in shelf.names():
        try:
            versions, trouble = shelf.versions(name), ""
        except MindError as error:
            versions, trouble = [], error.message
        active = next((each for each in versions if each.state == "active"), None)
        latest = active or (versions[-1] if versions else None)
        newer = [each for each in versions if each.state == "tested" and (not active or each.number > active.number)]
        found.append(
            {
                "name": name,
                "description": latest.description if latest else "",
                "capabilities": list(latest.capabilities) if latest else [],
                "active": active.number if active else None,
                "state": latest.state.value if latest else "quarantined",
                "reason": latest.reason if latest else "",
                "waiting": newer[-1].number if newer else None,
                "versions": [{"version": each.number, "state": each.state.value} for each in versions],
                "trouble": trouble,
            }
        )
    return found
