"""A list made of dataclasses."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import IntEnum
from typing import Optional


class Urgency(IntEnum):
    LOW = 1
    HIGH = 2


@dataclass(order=True, frozen=True)
class Item:
    urgency: Urgency
    name: str
    amount: Optional[int] = None


@dataclass
class Basket:
    items: list[Item] = field(default_factory=list)


async def shopping_list(names: list[str]) -> dict:
    """Sort a shopping list; bread is urgent."""
    basket = Basket([Item(Urgency.HIGH if n == "bread" else Urgency.LOW, n, len(n)) for n in names])
    basket.items.sort(reverse=True)
    return asdict(basket)
