"""Profile routes: list, show, create, change, delete and activate personalities. Changes are tool calls (the gate)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.mind import Mind
from reachy_mind.models import voice_names
from reachy_mind.profiles.texts import LARGEST_BYTES
from reachy_mind.speech.moods import MOODS
from reachy_mind.tools.context import Caller

VOICES = sorted(name for names in voice_names.VOICES.values() for name in names)
"""Voices that a personality may have, where their engine is installed."""
Offset = Annotated[int, Query(ge=0, le=1 << 40)]
Limit = Annotated[int, Query(ge=1, le=500)]
Text = Annotated[str | None, Field(max_length=LARGEST_BYTES)]
Lines = Annotated[list[Annotated[str, Field(max_length=200)]] | str | None, Field(max_length=LARGEST_BYTES)]


class ProfileTexts(BaseModel):
    """The texts of a personality: an omitted one stays, an empty one is removed. Code can't be set here."""

    model_config = ConfigDict(extra="forbid")

    instructions: Text = None
    tools: Lines = None
    voice: Text = None
    greeting: Text = None
    about: Text = None
    moves: Lines = None
    manner: dict[str, dict[str, list[str]]] | str | None = None

    def texts(self) -> dict[str, Any]:
        return self.model_dump(exclude_none=True, include=set(ProfileTexts.model_fields))


class NewProfile(ProfileTexts):
    """A new personality; `like`: one whose texts it starts with."""

    name: str = Field(min_length=1, max_length=64)
    like: str = Field("", max_length=64)


class ActivationRequest(BaseModel):
    """`keep`: also after a restart."""

    model_config = ConfigDict(extra="forbid")

    keep: bool = False


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")
    caller = Caller("person", "rest")

    async def save(name: str, content: dict[str, Any], *, new: bool, like: str = "") -> dict[str, Any]:
        args = {"name": name, "content": content, "new": new, "like": like}
        profile: dict[str, Any] = (await mind.act("mind.save_personality", args, caller))["profile"]
        return profile

    @routes.get("/profiles")
    async def profiles(offset: Offset = 0, limit: Limit = 50) -> dict[str, Any]:
        listed = await mind.personality.listed()
        found = listed["profiles"]
        return {
            "profiles": found[offset : offset + limit],
            "total": len(found),
            "active": listed["active"],
            "voices": VOICES,
            "moods": list(MOODS),
        }

    @routes.get("/profiles/{name}")
    async def profile(name: str) -> dict[str, Any]:
        return await mind.personality.shown(name)

    @routes.post("/profiles", status_code=201)
    async def create(given: NewProfile) -> dict[str, Any]:
        return await save(given.name, given.texts(), new=True, like=given.like)

    @routes.put("/profiles/{name}")
    async def change(name: str, given: ProfileTexts) -> dict[str, Any]:
        return await save(name, given.texts(), new=False)

    @routes.delete("/profiles/{name}")
    async def remove(name: str) -> dict[str, Any]:
        removed = await mind.act("mind.remove_personality", {"name": name}, caller)
        return {"deleted": name, "put_aside": removed["folder"]}

    @routes.post("/profiles/{name}/activate")
    async def activate(name: str, given: ActivationRequest | None = None) -> dict[str, Any]:
        result = await mind.act("mind.set_personality", {"name": name, "keep": bool(given and given.keep)}, caller)
        return {
            "active": result["personality"],
            "greeting": result["message"],
            "kept": result["kept"],
            "problems": result["problems"],
        }

    return routes
