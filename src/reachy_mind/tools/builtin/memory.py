"""Memory tools. Each person has memories of their own: a call touches only those of the speaker."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from reachy_mind.errors import InvalidParameter
from reachy_mind.memory import sentences
from reachy_mind.memory.fact_extraction import facts, introduction
from reachy_mind.memory.forget_requests import is_everything
from reachy_mind.memory.memories import Fact
from reachy_mind.memory.normalization import plain
from reachy_mind.memory.people import MULTI_VALUED_KEYS
from reachy_mind.storage.database import DatabaseError
from reachy_mind.tools.definition import Tool, ToolError, tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Caller, Context, Parts

MemoryType = Literal["fact", "preference", "event", "observation", "conversation", "task"]


@contextlib.contextmanager
def _memory_errors() -> Iterator[None]:
    """Raise database errors as MEMORY_ERROR."""
    try:
        yield
    except DatabaseError as error:
        raise ToolError("MEMORY_ERROR", f"my memory fails me: {error.message}", hint=error.hint) from error


FORGET = "memory.forget_memory"


async def _stored_over(parts: Parts, caller: Caller, given: dict[str, Any]) -> str:
    """Another assistant, or a model that answers a person, asks before it replaces what the person told; not if their
    own words in this conversation say so."""
    if parts.memory is None or caller.kind == "person" or (caller.kind == "brain" and not caller.turn):
        return ""
    with _memory_errors():
        person = await parts.memory.people.identify(caller.person, caller.conversation)
        told = await parts.memory.facts_of(given["content"], person, given["memory_type"])
        over = await parts.memory.replaces_told(told, person=person, turn=caller.turn, conversation=caller.conversation)
    return FORGET if over else ""


async def _profile_over(parts: Parts, caller: Caller, given: dict[str, Any]) -> str:
    """Who empties an entry of the profile, or replaces what the person told, asks like one who forgets."""
    if parts.memory is None:
        return ""
    key, value = _entry(given)
    if not value:
        return FORGET
    if key == "name" and not caller.person and caller.conversation:
        return ""  # an introduction
    with _memory_errors():
        person = await parts.memory.people.identify(caller.person, caller.conversation)
        over = await parts.memory.replaces_told([_profile_fact(key, value)], person=person, turn=caller.turn, key=key)
    return FORGET if over else ""


def _entry(given: dict[str, Any]) -> tuple[str, str]:
    return " ".join(given["key"].split()).casefold(), " ".join(given["value"].split())


@tool(group="memory", tier="autonomous", amounts_to=_stored_over)
async def store_memory(
    ctx: Context,
    content: Annotated[str, Field(min_length=1, max_length=2000, description="One thing to remember, as a sentence")],
    memory_type: Annotated[MemoryType, Field(description="What kind of thing it is")] = "fact",
) -> dict[str, Any]:
    """Remember something about the person who is talking, or about the world."""
    with _memory_errors():
        conversation, turn = ctx.caller.conversation, ctx.caller.turn
        name = introduction(content)
        if name and not ctx.caller.person and conversation:
            person, _ = await ctx.memory.people.introduce(name, conversation)
        else:
            person = await ctx.speaker()
        stored = await ctx.memory.store(content, type=memory_type, person=person, conversation=conversation, turn=turn)
    replaced = [old.content for one in stored for old in one.replaced]
    message = "I'll remember that."
    if all(one.how == "known" for one in stored):
        message = "I knew that already."
    elif replaced:
        message = f"I'll remember that. Before, you told me: {sentences.second_person(replaced[0])}"
    return {"ids": [one.memory.id for one in stored], "replaced": replaced, "message": message}


@tool(group="memory", tier="autonomous", read_only=True)
async def search_memories(
    ctx: Context,
    query: Annotated[str, Field(min_length=1, max_length=500, description="What to look for")],
    n_results: Annotated[int, Field(ge=1, le=50, description="At most so many")] = 5,
    memory_type: Annotated[MemoryType | None, Field(description="Only this kind")] = None,
) -> dict[str, Any]:
    """Look for something that was remembered."""
    with _memory_errors():
        await ctx.memory.turn_memory.settle()
        person = await ctx.speaker()
        found = await ctx.memory.search.find(
            query, person=person, limit=n_results, type=memory_type, exclude=ctx.caller.conversation
        )
        answer = await ctx.memory.answer(query, found, person=person) if memory_type is None else None
    memories = [one.as_dict() for one in found]
    if answer is None:
        message = sentences.answer(found, time.time())
        return {"memories": memories, "sure": any(one.sure for one in found), "message": message}
    told = {"sure": answer.known, "about": answer.about, "message": answer.text}
    return {"memories": memories, **told} | ({"own": answer.content} if answer.content else {})


@tool(group="memory", tier="confirm")
async def forget_memory(
    ctx: Context,
    query: Annotated[str, Field(max_length=500, description="Forget what this is about")] = "",
    memory_id: Annotated[
        str, Field(max_length=100, description="Or forget this one, as search_memories calls it")
    ] = "",
) -> dict[str, Any]:
    """Forget something for good."""
    if not query.strip() and not memory_id:
        raise InvalidParameter("forget what?", hint="a query, or the id of a memory")
    with _memory_errors():
        person = await ctx.speaker()
        if memory_id:
            gone = [await ctx.memory.forget_one(memory_id, person=person)]
        elif is_everything(query):
            erased = await ctx.memory.erase(person, call=ctx.call_id)
            count = erased["erased"]["memories"]
            return {"forgotten": count, "erased": erased["erased"], "message": "I have forgotten everything about you."}
        else:
            gone = await ctx.memory.forget(query, person=person)
    if not gone:
        return {"forgotten": 0, "message": "I remember nothing like that, so there was nothing to forget."}
    return {"forgotten": len(gone), "message": "Forgotten."}


@tool(group="memory", tier="autonomous", read_only=True)
async def get_user_profile(ctx: Context) -> dict[str, Any]:
    """Tell what is known about the person who is talking: name, language, likes."""
    with _memory_errors():
        await ctx.memory.turn_memory.settle()
        known = await ctx.memory.about(await ctx.speaker())
    return known | {"message": sentences.describe_profile(known["name"], known["profile"], known["latest"])}


@tool(group="memory", tier="autonomous", amounts_to=_profile_over)
async def update_user_profile(
    ctx: Context,
    key: Annotated[str, Field(min_length=1, max_length=100, description="What it is, such as name or language")],
    value: Annotated[str, Field(max_length=1000, description="What to write down for it; empty removes it")],
) -> dict[str, Any]:
    """Write down something about the person who is talking, in place of what stood there; that needs their yes."""
    key, value = _entry({"key": key, "value": value})
    if not key:
        raise InvalidParameter("what of the profile?", hint="such as name, language or home")
    people = ctx.memory.people
    with _memory_errors():
        if not value:
            gone = await ctx.memory.forget_entry(await ctx.speaker(), key)
            return {"key": key, "removed": gone, "message": f"I no longer know your {key}."}
        new = True
        if key == "name" and not ctx.caller.person and ctx.caller.conversation:
            person, new = await people.introduce(value, ctx.caller.conversation)
        else:
            person = await ctx.speaker()
        fact = _profile_fact(key, value)
        await ctx.memory.memories.store(fact, person=person, conversation=ctx.caller.conversation, turn=ctx.caller.turn)
    if key == "name":
        return {
            "key": key,
            "value": value,
            "message": f"Nice to meet you, {value}." if new else f"Hello again, {value}.",
        }
    return {"key": key, "value": value, "message": f"Noted: {sentences.aspect(key, value)}."}


def _profile_fact(key: str, value: str) -> Fact:
    """The profile entry in the person's words, so that later sentences find and replace it."""
    if key in ("likes", "dislikes"):
        liked = key == "likes"
        said = f"I {'like' if liked else 'do not like'} {value}"
        return Fact(said, "preference", f"taste:{plain(value)}", "like" if liked else "dislike", (key, value))
    ways = {"home": f"I live in {value}", "allergies": f"I am allergic to {value}", "job": f"I work as {value}"}
    said = ways.get(key, f"my {key} is {value}")
    told = facts(said)
    if key not in ways and len(told) == 1 and told[0].profile == (key, value):
        return told[0]  # as if the person had said it: it has the same key
    name = f"allergy:{plain(value)}" if key in MULTI_VALUED_KEYS else plain(key)
    return Fact(said, "fact", name, value, (key, value))


@tool(group="memory", tier="confirm", hidden=True, timeout_s=300)
async def erase_person(
    ctx: Context,
    name: Annotated[str, Field(min_length=1, max_length=64, description="Whose")],
    everywhere: Annotated[bool, Field(description="Also what other people told about them")] = False,
) -> dict[str, Any]:
    """Erase everything that is kept of a person, for good: memories, conversations, words of tool calls, photos."""
    with _memory_errors():
        erased = await ctx.memory.erase(name, call=ctx.call_id, everywhere=everywhere)
    message = "I have erased everything that I kept of them."
    if erased["failed"] or erased["files"]:
        message = f"Not all of it could be erased: {', '.join([*erased['failed'], *erased['files']])}."
    elif erased["kept"]:
        message += " What others told about them is theirs, and I still have it."
    return erased | {"message": message}


TOOLS: tuple[Tool, ...] = (
    store_memory,
    search_memories,
    forget_memory,
    get_user_profile,
    update_user_profile,
    erase_person,
)
