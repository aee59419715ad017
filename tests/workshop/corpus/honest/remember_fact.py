"""Keeps a note and finds it again."""

from reachy_mind import tools


async def remember_fact(fact: str = "The cactus is watered on Sundays") -> dict:
    """Keep a fact and search for it."""
    await tools.call("store_memory", content=fact)
    found = await tools.call("search_memories", query="cactus", n_results=3)
    return {"found": "cactus" in str(found).lower()}
