"""`Personality`: who the mind is now, and how it becomes somebody else in the middle of a conversation.

Everything that can go wrong does so before anything is changed: a switch that fails leaves the old one as it was.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.events import ProfileChanged
from reachy_mind.files import replaced
from reachy_mind.profiles.catalogue import Profiles
from reachy_mind.profiles.editing import Content, Editor, shown
from reachy_mind.profiles.loading import SHIPPED
from reachy_mind.profiles.profile import DEFAULT, Problem, Profile
from reachy_mind.profiles.tool_lists import shipped_tools
from reachy_mind.tools.definition import Tier

if TYPE_CHECKING:
    from collections.abc import Callable

    from reachy_mind.mind import Mind
    from reachy_mind.tools.definition import Tool
    from reachy_mind.tools.guests import Loaded

_log = log.get(__name__)


class _Own:
    """Tools that came with a profile, in the registry for as long as it is in use."""

    def __init__(self) -> None:
        self.tools: list[Tool] = []
        self.refused: dict[str, str] = {}
        self._loaded: list[Loaded] = []
        self._back: Callable[[], None] | None = None

    def load(self, profile: Profile, profiles: Profiles) -> None:
        """Runs the code of folders that may be trusted; takes a while, so call it in a thread."""
        shipped = shipped_tools(SHIPPED)
        wanted = {
            name: SHIPPED / shipped[name].name for name in profile.tools if name in shipped and name not in profile.own
        }
        for name in profile.own:
            assert profile.folder is not None
            reason = "" if profile.source == "shipped" else profiles.trust.refusal(profile.name, profile.folder)
            if reason:
                self.refused[f"{profile.name}: {name}"] = reason
            else:
                wanted[name] = profile.folder
        for folder in dict.fromkeys(wanted.values()):
            guests = importlib.import_module("reachy_mind.tools.guests")
            loaded = guests.load_folder(folder, source=f"profile {folder.name}")
            self._loaded.append(loaded)
            self.refused |= {f"{profile.name}: {file}": why for file, why in loaded.refused.items()}
            ours = folder.is_relative_to(SHIPPED)
            self.tools += [
                replace(tool, tier=Tier.AUTONOMOUS, source="built-in") if ours else tool
                for tool in loaded.tools
                if wanted.get(tool.name) == folder
            ]
        have = {tool.name for tool in self.tools}
        for name in sorted(wanted.keys() - have):
            self.refused.setdefault(f"{profile.name}: {name}", f"{name}.py has no tool of that name that can be used")

    def problems(self) -> list[dict[str, Any]]:
        """What of its code can't be used, as the problems of a profile are told: only running it shows that."""
        return [
            {"file": what.partition(": ")[2], "line": 0, "what": why}
            for what, why in self.refused.items()
            if what.endswith(".py")
        ]

    def lend(self, mind: Mind) -> None:
        self._back = mind.toolbox.registry.lend(self.tools, self.refused)

    def close(self) -> None:
        if self._back is not None:
            self._back()
        for loaded in self._loaded:
            loaded.close()


class Personality:
    """Who it is. `begin` must come first, and `close` last."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._home = mind.configuration.home
        self._profiles = Profiles(self._home, mind.toolbox.registry)
        self._editor = Editor(self._profiles)
        self._own = _Own()
        self._turn = asyncio.Lock()
        self.current = Profile()

    def names(self) -> Sequence[str]:
        """Who it could be; looks at the disk."""
        return self._profiles.names()

    async def begin(self, name: str) -> None:
        """Be who the settings say; one that can't be used is told of, and the shipped default is used instead."""
        try:
            profile, own = await asyncio.to_thread(self._prepared, name)
        except MindError as error:
            _log.warning("not the personality that was wished", reason=error.message, hint=error.hint)
            profile = replace(
                await asyncio.to_thread(self._profiles.fallback), problems=(Problem(name, 0, error.message),)
            )
            own = await asyncio.to_thread(self._equipped, profile)
        self._take(profile, own)

    async def use(self, name: str, *, keep: bool = False, aloud: bool = False) -> Profile:
        """Be somebody else from the next turn on. `keep`: also at the next start; `aloud`: say hello if a spoken
        conversation is open. Raises UnknownProfile, BrokenProfile; then everything is as it was."""
        async with self._turn:
            profile, own = await asyncio.to_thread(self._prepared, name)
            if keep:
                try:
                    await asyncio.to_thread(replaced, self._home.kept_profile_file, f"{profile.name}\n")
                except MindError:
                    own.close()
                    raise
            self._take(profile, own)
            self._mind.turns.profile = profile
            await self._mind.speech.speak_as(profile.voice, profile.speed)
        self._mind.bus.publish(ProfileChanged(name=profile.name))
        if aloud and self._mind.talking is not None:
            await self._mind.talking.say(profile.hello())
        return profile

    def close(self) -> None:
        """Take its tools away again."""
        self._own.close()

    def _prepared(self, name: str) -> tuple[Profile, _Own]:
        profile = self._profiles.usable(name)
        return profile, self._equipped(profile)

    def _equipped(self, profile: Profile) -> _Own:
        own = _Own()
        own.load(profile, self._profiles)
        return own

    def _take(self, profile: Profile, own: _Own) -> None:
        for problem in profile.problems:
            _log.warning("a problem of a profile", profile=profile.name, problem=str(problem))
        before, self._own = self._own, own
        before.close()
        own.lend(self._mind)
        self.current = profile

    # For tools and routes

    async def become(self, name: str, *, keep: bool, aloud: bool) -> dict[str, Any]:
        profile = await self.use(name, keep=keep, aloud=aloud)
        problems = [*profile.described()["problems"], *self._own.problems()]
        return {"name": profile.name, "greeting": profile.hello(), "problems": problems}

    async def listed(self) -> dict[str, Any]:
        found = await asyncio.to_thread(self._profiles.all)
        return {"profiles": [profile.described() for profile in found], "active": self.current.name}

    async def shown(self, name: str) -> dict[str, Any]:
        """One of them with all of its texts. Raises UnknownProfile."""
        told = await asyncio.to_thread(shown, self._profiles, name)
        return told | {"active": told["name"] == self.current.name}

    async def save(self, name: str, content: Content, *, new: bool, like: str) -> dict[str, Any]:
        async with self._turn:
            if new:
                made = await asyncio.to_thread(lambda: self._editor.create(name, content, like=like))
            else:
                made = await asyncio.to_thread(self._editor.change, name, content)
        if made.name == self.current.name and not made.broken:
            await self.use(made.name)  # a change of who it is shows at once
        return await self.shown(made.name)

    async def remove(self, name: str) -> str:
        async with self._turn:
            gone = (await asyncio.to_thread(self._profiles.place, name)).name
            aside = await asyncio.to_thread(self._editor.remove, gone)
        if gone == self.current.name:
            await self.use(await asyncio.to_thread(self._instead, gone))
        return aside

    def _instead(self, name: str) -> str:
        """Whom to be once one's own files are gone: the shipped one of that name, else the default."""
        return name if name in self._profiles.places() else DEFAULT
