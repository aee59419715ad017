"""A tool with a mistake: it counts to one too few, and divides by what is left."""


async def mistaken_greeting(times: int = 2) -> dict:
    """Nod a number of times and tell how long a nod took on average."""
    done = 0
    for _ in range(times - 2):
        await nod(times=1)
        done += 1
    return {"message": f"A nod took {1.0 / done} seconds.", "done": done}
