"""A small game with classes."""

from abc import ABC, abstractmethod
from typing import ClassVar, Protocol


class Room(ABC):
    exits: ClassVar[dict[str, str]] = {}

    @abstractmethod
    def describe(self) -> str: ...


class Hall(Room):
    exits = {"north": "Garden"}

    def describe(self) -> str:
        return "A hall."


class Garden(Room):
    def describe(self) -> str:
        return "A garden."


class Describes(Protocol):
    def describe(self) -> str: ...


def tell(thing: Describes) -> str:
    return thing.describe()


async def text_adventure(moves: list[str]) -> dict:
    """Walk through a tiny world."""
    rooms = {"Hall": Hall(), "Garden": Garden()}
    here, story = "Hall", []
    for move in moves:
        here = rooms[here].exits.get(move, here)
        match move:
            case "north" | "south":
                story.append(tell(rooms[here]))
            case other:
                story.append(f"I can't {other}.")
    return {"here": here, "story": story}
