"""Uses tools by their names, as functions."""


async def bare_names() -> dict:
    """Nod, then say what time it is."""
    nodded = await nod(1)
    now = await get_time()
    return {"nodded": nodded["message"], "now": now["message"]}
