"""Greets somebody."""

from reachy_mind import tools


async def say_hello(name: str = "Ada") -> dict:
    """Say hello to somebody."""
    answer = await tools.call("speak", text=f"Hello, {name}!")
    return {"said": f"Hello, {name}!", "answer": answer}
