"""Routes of the personalities: which there are, being one, writing one's own. Changes are calls through the gate."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.mind import Mind
from reachy_mind.profiles.texts import LARGEST_BYTES
from reachy_mind.speech import choice
from reachy_mind.tools.context import Caller

VOICES = sorted(name for names in choice.VOICES.values() for name in names)
"""Which a personality may speak with, where that engine is installed."""
Offset = Annotated[int, Query(ge=0, le=1 << 40)]
Limit = Annotated[int, Query(ge=1, le=500)]
Text = Annotated[str | None, Field(max_length=LARGEST_BYTES)]
Lines = Annotated[list[Annotated[str, Field(max_length=200)]] | str | None, Field(max_length=LARGEST_BYTES)]


class Content(BaseModel):
    """The texts of a personality; what is left out stays as it is, and an empty one is taken away. There is no code."""

    model_config = ConfigDict(extra="forbid")

    instructions: Text = None
    tools: Lines = None
    voice: Text = None
    greeting: Text = None
    about: Text = None
    moves: Lines = None
    manner: dict[str, dict[str, list[str]]] | str | None = None

    def given(self) -> dict[str, Any]:
        return self.model_dump(exclude_none=True, include=set(Content.model_fields))


class New(Content):
    """A new one; `like`: another whose texts it begins with."""

    name: str = Field(min_length=1, max_length=64)
    like: str = Field("", max_length=64)


class Wish(BaseModel):
    """How to become somebody else."""

    model_config = ConfigDict(extra="forbid")

    keep: bool = False


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")
    caller = Caller("person", "rest")

    async def saved(name: str, content: dict[str, Any], *, new: bool, like: str = "") -> dict[str, Any]:
        wish = {"name": name, "content": content, "new": new, "like": like}
        profile: dict[str, Any] = (await mind.act("mind.save_personality", wish, caller))["profile"]
        return profile

    @routes.get("/profiles")
    async def profiles(offset: Offset = 0, limit: Limit = 50) -> dict[str, Any]:
        told = await mind.personality.listed()
        found = told["profiles"]
        return {
            "profiles": found[offset : offset + limit],
            "total": len(found),
            "active": told["active"],
            "voices": VOICES,
        }

    @routes.get("/profiles/{name}")
    async def profile(name: str) -> dict[str, Any]:
        return await mind.personality.shown(name)

    @routes.post("/profiles", status_code=201)
    async def create(wish: New) -> dict[str, Any]:
        return await saved(wish.name, wish.given(), new=True, like=wish.like)

    @routes.put("/profiles/{name}")
    async def change(name: str, wish: Content) -> dict[str, Any]:
        return await saved(name, wish.given(), new=False)

    @routes.delete("/profiles/{name}")
    async def remove(name: str) -> dict[str, Any]:
        told = await mind.act("mind.remove_personality", {"name": name}, caller)
        return {"deleted": name, "put_aside": told["folder"]}

    @routes.post("/profiles/{name}/activate")
    async def activate(name: str, wish: Wish | None = None) -> dict[str, Any]:
        told = await mind.act("mind.set_personality", {"name": name, "keep": bool(wish and wish.keep)}, caller)
        return {
            "active": told["personality"],
            "greeting": told["message"],
            "kept": told["kept"],
            "problems": told["problems"],
        }

    return routes
