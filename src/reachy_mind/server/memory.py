"""Memory routes: search, add and forget memories; people, their profiles, export and erasure.

`person` selects whose memories; without it, those of people who have not said their name. Forgetting and erasing are
tool calls through the gate and need a person's confirmation, as everywhere else. Reading follows the rules for
`search_memories` and `get_user_profile`; exporting everything about a person needs the scope `admin` instead.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.access.authorization import principal_of
from reachy_mind.errors import NotReady
from reachy_mind.memory.memory import Memory
from reachy_mind.memory.people import LONGEST_NAME, person_id
from reachy_mind.memory.search import LONGEST_QUERY
from reachy_mind.mind import Mind
from reachy_mind.server.not_found import as_not_found
from reachy_mind.tools.acts import RECALL
from reachy_mind.tools.context import Caller

Offset = Annotated[int, Query(ge=0, le=1 << 40)]
Limit = Annotated[int, Query(ge=1, le=500)]
Name = Annotated[str, Query(max_length=LONGEST_NAME)]
Type = Literal["fact", "preference", "event", "observation", "conversation", "task"]


class Note(BaseModel):
    """Something to remember."""

    model_config = ConfigDict(extra="forbid")

    content: str = Field(min_length=1, max_length=2000)
    type: Type = "fact"
    person: str = Field("", max_length=LONGEST_NAME)


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")

    def memory() -> Memory:
        if mind.memory is None:
            raise NotReady("my memory is switched off", hint="start without --no-memory")
        return mind.memory

    async def permit_reading(request: Request) -> None:
        """One gated call where a rule about reading the memory asks or forbids; raises ToolError."""
        if not mind.toolbox.decisions.free(RECALL):
            caller = Caller("person", "rest", scopes=principal_of(request.scope).scopes)
            await mind.act("memory.search_memories", {"query": "everything"}, caller)

    @routes.get("/memory")
    async def listed(
        request: Request,
        query: Annotated[str, Query(max_length=LONGEST_QUERY)] = "",
        person: Name = "",
        type: Type | None = None,  # noqa: A002 -- the name it has in the API
        history: bool = False,
        offset: Offset = 0,
        limit: Limit = 50,
    ) -> dict[str, Any]:
        """With a query: the best matches, with a score. Without: all memories of this person, newest first."""
        await permit_reading(request)
        who = person_id(person)
        if query.strip():
            found = await memory().search.find(query, person=who, type=type, limit=min(offset + limit, 500))
            return {"memories": [one.as_dict() for one in found[offset:]], "total": len(found)}
        rows, total = await memory().memories.listed(person=who, type=type, history=history, offset=offset, limit=limit)
        return {"memories": [row.as_dict() for row in rows], "total": total}

    @routes.post("/memory")
    async def store(note: Note) -> dict[str, Any]:
        """Remember something; a tool call through the gate."""
        caller = Caller("person", "rest", note.person)
        args = {"content": note.content, "memory_type": note.type}
        memory()
        return await mind.act("memory.store_memory", args, caller)

    @routes.delete("/memory")
    async def forget(
        request: Request,
        query: Annotated[str, Query(min_length=1, max_length=LONGEST_QUERY)],
        person: Name = "",
    ) -> dict[str, Any]:
        """Forget what a query is about; a query for everything erases the person, which needs `admin`."""
        memory()
        caller = Caller("person", "rest", person, scopes=principal_of(request.scope).scopes)
        return await mind.act("memory.forget_memory", {"query": query}, caller)

    @routes.get("/memory/status")
    async def status() -> dict[str, Any]:
        return await memory().status()

    @routes.get("/memory/{memory_id}")
    async def one(request: Request, memory_id: str) -> dict[str, Any]:
        await permit_reading(request)
        with as_not_found("they are listed at /api/v1/memory"):
            return (await memory().memories.get(memory_id)).as_dict()

    @routes.delete("/memory/{memory_id}")
    async def forget_one(memory_id: str) -> dict[str, Any]:
        with as_not_found("they are listed at /api/v1/memory"):
            found = await memory().memories.get(memory_id)
        caller = Caller("person", "rest", found.person)
        return await mind.act("memory.forget_memory", {"memory_id": found.id}, caller)

    @routes.get("/people")
    async def people(offset: Offset = 0, limit: Limit = 50) -> dict[str, Any]:
        rows, total = await memory().people.listed(limit=limit, offset=offset)
        return {"people": [asdict(row) for row in rows], "total": total}

    @routes.get("/people/{name}")
    async def person(request: Request, name: str) -> dict[str, Any]:
        await permit_reading(request)
        with as_not_found("they are listed at /api/v1/people"):
            found = await memory().people.get(name)
        return asdict(found) | await memory().about(found.id)

    @routes.get("/people/{name}/export")
    async def export(name: str) -> dict[str, Any]:
        """Everything that is stored about a person."""
        with as_not_found("they are listed at /api/v1/people"):
            await memory().people.get(name)
        return await memory().export(name)

    @routes.delete("/people/{name}")
    async def erase(name: str, everywhere: bool = False) -> dict[str, Any]:
        """Erase everything that is stored about a person, for good; `everywhere`: also what others told about them."""
        with as_not_found("they are listed at /api/v1/people"):
            found = await memory().people.get(name)
        arguments = {"name": found.name, "everywhere": everywhere}
        return await mind.act("memory.erase_person", arguments, Caller("person", "rest", found.name))

    return routes
