"""`PersonRequests`: the requests that a person made tools with, for export and erasure of personal data."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from reachy_mind.errors import InvalidParameter
from reachy_mind.workshop.shelf.shelf import Shelf
from reachy_mind.workshop.shelf.versions import TamperedVersion, ToolVersion


class PersonRequests:
    """The versions stay: they are the robot's. The words that were said for them go.

    `person_id`: the id for a name in any spelling.
    """

    def __init__(self, shelf: Shelf, person_id: Callable[[str], str]) -> None:
        self._shelf, self._person_id = shelf, person_id

    async def export(self, person: str) -> list[dict[str, Any]]:
        """Their requests, with the versions that were made for them. Raises ShelfError."""
        found = await asyncio.to_thread(self._of_person, person)
        return [{"tool": each.name, "version": each.number, "request": each.request} for each in found]

    async def erase(self, person: str) -> int:
        """Erase their words; returns of how many versions. Raises ShelfError."""
        return await asyncio.to_thread(self._erase, person)

    def _erase(self, person: str) -> int:
        found = self._of_person(person)
        for each in found:
            self._shelf.erase_request(each.name, each.sha256)
        return len(found)

    def _of_person(self, person: str) -> list[ToolVersion]:
        found = []
        for name in self._shelf.names():
            with contextlib.suppress(TamperedVersion):  # `PersonalFiles` looks at every file, whatever the log says
                found += [each for each in self._shelf.versions(name) if each.request and self._is(each.person, person)]
        return found

    def _is(self, name: str, person: str) -> bool:
        try:
            return self._person_id(name) == person
        except InvalidParameter:
            return False
