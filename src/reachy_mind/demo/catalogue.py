"""`DEMOS`: the demonstrations by number."""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from reachy_mind.demo.stage import Stage
from reachy_mind.errors import InvalidParameter


@dataclass(frozen=True)
class Demo:
    """`module` has `async def show(stage)`, which performs it."""

    number: int
    title: str
    about: str
    minutes: int
    module: str
    further: tuple[str, ...]
    """Commands to try next."""

    async def show(self, stage: Stage) -> None:
        await importlib.import_module(f"reachy_mind.demo.{self.module}").show(stage)


DEMOS = (
    Demo(
        1,
        "It sees, hears, talks and moves",
        "A conversation at a table: it looks, finds a thing, listens, does several things in a row, and is stopped.",
        2,
        "conversation_demo",
        ("reachy-mind run", "reachy-mind talk", 'reachy-mind ask "find the duck" "what colour is it?"'),
    ),
    Demo(
        2,
        "It writes its own tools",
        "Asked for what it can't do, it writes a tool, tries it in simulation, asks you, and uses it; bad code fails.",
        3,
        "toolmaking_demo",
        (
            'reachy-mind workshop create "take photos every 5 seconds for 1 minute"',
            "reachy-mind workshop list",
            "reachy-mind workshop status",
        ),
    ),
    Demo(
        3,
        "It learns from people",
        "Words become rewards and corrections; it learns to aim from words, and a skill from ten demonstrations.",
        3,
        "learning_demo",
        ("reachy-mind learn train", "reachy-mind bench corrections", "reachy-mind learn study"),
    ),
)


def demo(number: int) -> Demo:
    """The demonstration with this number. Raises InvalidParameter."""
    for each in DEMOS:
        if each.number == number:
            return each
    raise InvalidParameter(f"there is no demonstration {number}", hint="reachy-mind demo --list")
