"""`ToolLifecycle`: what happens to the tools of one mind: created, approved, rejected, rolled back, imported, tried."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from reachy_mind.errors import InvalidParameter
from reachy_mind.workshop import creation_texts, listing
from reachy_mind.workshop.creation import ToolCreation
from reachy_mind.workshop.creation_use import create_and_use
from reachy_mind.workshop.generated_tools import ShelfTools
from reachy_mind.workshop.served_requests import ServedRequests
from reachy_mind.workshop.shelf.bundles import import_bundle, read_bundle
from reachy_mind.workshop.shelf.shelf import Shelf
from reachy_mind.workshop.shelf.versions import ToolVersion
from reachy_mind.workshop.version_trial import VersionTrials

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context


class ToolLifecycle:
    """Keeps the protocol `tools.context.WorkshopAccess`. Each change of the shelf puts the registry in step with it."""

    def __init__(
        self, creation: ToolCreation, generated: ShelfTools, served: ServedRequests, trials: VersionTrials
    ) -> None:
        self._creation, self._generated, self._served, self._trials = creation, generated, served, trials

    async def create(
        self, ctx: Context, description: str, name: str, test_cases: Sequence[Any], *, use: bool, ask: bool
    ) -> dict[str, Any]:
        return await create_and_use(
            ctx,
            self._creation,
            self._generated,
            self._served,
            description,
            name=name,
            test_cases=test_cases,
            use=use,
            ask=ask,
        )

    async def question(self, given: dict[str, Any]) -> str:
        """What a person is asked about a version."""
        version = await asyncio.to_thread(self._generated.shelf.get, given["name"], given["version"])
        return creation_texts.question(version)

    async def approve(
        self, name: str, version: int, sha256: str, capabilities: Sequence[str], by: str
    ) -> dict[str, Any]:
        self._require_free(name)

        def approve(shelf: Shelf) -> ToolVersion:
            if shelf.get(name, version).sha256 != sha256:
                raise InvalidParameter(f"version {version} of {name} has another hash", hint="look at it again")
            return shelf.approve(name, sha256, by, capabilities=capabilities, activate=True)

        return await self._changed(approve) | {"message": f"I can use {_spoken(name)} now."}

    async def reject(self, name: str, version: int, reason: str) -> dict[str, Any]:
        done = await self._changed(lambda shelf: shelf.reject(name, version, reason))
        return done | {"message": f"Version {version} of {_spoken(name)} is rejected."}

    async def rollback(self, name: str, version: int | None) -> dict[str, Any]:
        done = await self._changed(lambda shelf: shelf.rollback(name, version))
        return done | {"message": f"I use version {done['version']} of {_spoken(name)} again."}

    async def deactivate(self, name: str) -> dict[str, Any]:
        done = await self._changed(lambda shelf: shelf.deactivate(name))
        return done | {"message": f"I no longer use {_spoken(name)}."}

    async def import_bundle(self, bundle: str) -> dict[str, Any]:
        self._require_free((await asyncio.to_thread(read_bundle, bundle)).name)
        done = await self._changed(lambda shelf: import_bundle(shelf, bundle))
        signer = done["signer"] or "this robot"
        who = signer if done["known_signer"] else f"an unknown signer, {signer}"
        return done | {"message": f"Version {done['version']} of {done['name']} is on the shelf; it is from {who}."}

    async def retry(self, name: str, version: int) -> dict[str, Any]:
        tried = await self._trials.retry(name, version)
        ended = "passed" if tried.passed else "did not pass"
        return tried.as_dict() | {"message": f"Version {version} of {_spoken(name)} {ended} its trial."}

    async def list_tools(self) -> dict[str, Any]:
        listed = await asyncio.to_thread(listing.listed_tools, self._generated.shelf)
        return {"tools": listed, "total": len(listed), "message": listing.summary(listed)}

    def _require_free(self, name: str) -> None:
        """Raises InvalidParameter for a tool that could not be used, because another one has its name."""
        if taken := self._generated.taken(name):
            raise InvalidParameter(f"{name} can't be used: {taken}", hint="make it again with another name")

    async def _changed(self, change: Callable[[Shelf], ToolVersion]) -> dict[str, Any]:
        try:
            version = await asyncio.to_thread(change, self._generated.shelf)
        finally:
            await self._generated.refresh()
        return version.as_dict()


def _spoken(name: str) -> str:
    return name.replace("_", " ")
