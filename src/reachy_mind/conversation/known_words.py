"""`KnownWords`: words that people may say in a conversation here: names, things that are there, what the robot can do.

The ears prefer them where a sound leaves a doubt (`speech.word_bias`). Small words of a language are left out: they
need no help, and would take the place of others.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from reachy_mind.memory.name_words import is_first_name
from reachy_mind.motion.library.emotions import EMOTIONS

if TYPE_CHECKING:
    from reachy_mind.brains.brain import Past
    from reachy_mind.memory.memory import Memory
    from reachy_mind.profiles.profile import Profile
    from reachy_mind.tools.definition import Tool

MOST_WORDS, MOST_PEOPLE, MOST_MEMORIES = 400, 100, 100
FRESH_S = 10.0
"""What is remembered is read again after this time."""
OWN = ("Reachy",)
SPOKEN = """
nod shake wave dance wiggle tilt rotate antenna antennas photo picture volume timer timers alarm reminder remind minutes
seconds countdown emotion sleep wake relax weather microphone camera personality
""".split()  # noqa: SIM905 -- easier to read and to add to than a list of strings
"""What people call what it can do, besides the names of tools."""
COMMON = frozenset(
    """
    about all and any are ask back can close demo did does down for from front get give goto has have how into its left
    let list look make me more move not now off one open other out over put right run said say see set show some start
    state stop take tell that the them then there this today turn use user was what when where which who will with you
    your calm lost lonely sure tired loving default nothing light time person world change update begin keep lie sound
    record web background status store play remove undo person save data mode trim approve reject task tool tools
    """.split()  # noqa: SIM905
)
_NAME = re.compile(r"(?P<begins>^|[.!?] )?\b(?P<name>[A-Z][^\W\d_]{2,})")
"""A word with a capital; every word that begins a sentence has one."""
_WORD = re.compile(r"[^\W\d_]{3,}")


class KnownWords:
    """`memory`: None where whoever speaks may not know what is in it. `past`: the last turns of the conversation."""

    def __init__(
        self,
        tools: Callable[[], Iterable[Tool]],
        profile: Callable[[], Profile],
        memory: Memory | None,
        past: Callable[[], Awaitable[Sequence[Past]]],
    ) -> None:
        self._tools, self._profile, self._memory, self._past = tools, profile, memory, past
        self._remembered: tuple[str, ...] = ()
        self._read_at = -FRESH_S

    async def now(self) -> tuple[str, ...]:
        """All of them, names first."""
        profile = self._profile()
        spoken = (*(tool.name for tool in self._tools()), *profile.moves, *EMOTIONS)
        named = [*OWN, *_names(profile.title), *await self._names_remembered()]
        words = [*named, *await self._things_seen(), *SPOKEN, *(part for name in spoken for part in _words(name))]
        return tuple(dict.fromkeys(word for word in words if word.casefold() not in COMMON))[:MOST_WORDS]

    async def _names_remembered(self) -> tuple[str, ...]:
        """Names of people, and those in what was told."""
        if self._memory is not None and time.monotonic() - self._read_at > FRESH_S:
            self._read_at = time.monotonic()
            people, _ = await self._memory.people.listed(limit=MOST_PEOPLE)
            told, _ = await self._memory.memories.listed(limit=MOST_MEMORIES)
            names = [name for person in people for name in _names(person.name)]
            self._remembered = (*names, *(name for each in told for name in _names_in(each.content)))
        return self._remembered

    async def _things_seen(self) -> list[str]:
        """What the robot saw in the last turns."""
        seen: list[str] = []
        for turn in await self._past():
            for call in turn.calls:
                data: Any = call.outcome.data
                things = data.get("objects") if isinstance(data, dict) else None
                for thing in things if isinstance(things, list) else ():
                    name = thing.get("name") if isinstance(thing, dict) else None
                    seen += _words(name) if isinstance(name, str) else []
        return seen


def _names(text: str) -> list[str]:
    return _WORD.findall(text)


def _names_in(content: str) -> list[str]:
    return [found["name"] for found in _NAME.finditer(content) if not found["begins"] or is_first_name(found["name"])]


def _words(name: str) -> list[str]:
    return _WORD.findall(name.replace("_", " "))
