"""`ActiveProfile`: the profile in use, and switching to another one during a conversation.

A switch checks and loads everything before it changes anything: one that fails leaves the old profile in use.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.events import Bus, ProfileChanged
from reachy_mind.profiles.catalogue import Profiles
from reachy_mind.profiles.editing import Content, Editor, shown
from reachy_mind.profiles.loading import SHIPPED
from reachy_mind.profiles.profile import DEFAULT, Problem, Profile
from reachy_mind.profiles.tool_lists import shipped_tools
from reachy_mind.storage.files import write_text_atomically
from reachy_mind.tools.definition import Tier

if TYPE_CHECKING:
    from reachy_mind.storage.home import Home
    from reachy_mind.tools.conversation_app import Loaded
    from reachy_mind.tools.definition import Tool
    from reachy_mind.tools.registry import Registry

_log = log.get(__name__)


class _ProfileTools:
    """The tools in a profile's own folder, in the registry while that profile is in use."""

    def __init__(self) -> None:
        self.tools: list[Tool] = []
        self.refused: dict[str, str] = {}
        self._loaded: list[Loaded] = []
        self._unregister: Callable[[], None] | None = None

    def load(self, profile: Profile, profiles: Profiles) -> None:
        """Run the code of trusted folders. Takes a while: call it in a thread."""
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
            guests = importlib.import_module("reachy_mind.tools.conversation_app")
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
        """Files that can't be used, in the form of a profile's problems. Only running the code shows them."""
        return [
            {"file": what.partition(": ")[2], "line": 0, "what": why}
            for what, why in self.refused.items()
            if what.endswith(".py")
        ]

    def register(self, registry: Registry) -> None:
        self._unregister = registry.override(self.tools, self.refused)

    def close(self) -> None:
        if self._unregister is not None:
            self._unregister()
        for loaded in self._loaded:
            loaded.close()


class ActiveProfile:
    """Call `begin` first and `close` last.

    `adopt` receives the new profile on every switch; `say` speaks a greeting where a spoken conversation is open.
    """

    def __init__(
        self,
        home: Home,
        registry: Registry,
        bus: Bus,
        *,
        adopt: Callable[[Profile], Awaitable[None]],
        say: Callable[[str], Awaitable[None]],
    ) -> None:
        self._home, self._registry, self._bus, self._adopt, self._say = home, registry, bus, adopt, say
        self._profiles = Profiles(home, registry)
        self._editor = Editor(self._profiles)
        self._own = _ProfileTools()
        self._lock = asyncio.Lock()
        self.current = Profile()

    def names(self) -> Sequence[str]:
        """The names of all profiles. Reads the disk."""
        return self._profiles.names()

    async def begin(self, name: str) -> None:
        """Use the profile of the settings; the shipped default, with a warning, when it can't be used."""
        try:
            profile, own = await asyncio.to_thread(self._prepared, name)
        except MindError as error:
            _log.warning("using the default profile", wanted=name, reason=error.message, hint=error.hint)
            profile = replace(
                await asyncio.to_thread(self._profiles.fallback), problems=(Problem(name, 0, error.message),)
            )
            own = await asyncio.to_thread(self._equipped, profile)
        self._take(profile, own)

    async def use(self, name: str, *, keep: bool = False, aloud: bool = False) -> Profile:
        """Switch to a profile from the next turn on. `keep`: also at the next start; `aloud`: greet in its voice.

        Raises UnknownProfile and BrokenProfile, and then changes nothing.
        """
        async with self._lock:
            profile, own = await asyncio.to_thread(self._prepared, name)
            if keep:
                try:
                    await asyncio.to_thread(write_text_atomically, self._home.kept_profile_file, f"{profile.name}\n")
                except MindError:
                    own.close()
                    raise
            self._take(profile, own)
            await self._adopt(profile)
        self._bus.publish(ProfileChanged(name=profile.name))
        if aloud:
            await self._say(profile.hello())
        return profile

    def close(self) -> None:
        """Unregister its tools."""
        self._own.close()

    def _prepared(self, name: str) -> tuple[Profile, _ProfileTools]:
        profile = self._profiles.usable(name)
        return profile, self._equipped(profile)

    def _equipped(self, profile: Profile) -> _ProfileTools:
        own = _ProfileTools()
        own.load(profile, self._profiles)
        return own

    def _take(self, profile: Profile, own: _ProfileTools) -> None:
        for problem in profile.problems:
            _log.warning("profile problem", profile=profile.name, problem=str(problem))
        before, self._own = self._own, own
        before.close()
        own.register(self._registry)
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
        """A profile with all of its texts. Raises UnknownProfile."""
        told = await asyncio.to_thread(shown, self._profiles, name)
        return told | {"active": told["name"] == self.current.name}

    async def save(self, name: str, content: Content, *, new: bool, like: str) -> dict[str, Any]:
        async with self._lock:
            if new:
                made = await asyncio.to_thread(lambda: self._editor.create(name, content, like=like))
            else:
                made = await asyncio.to_thread(self._editor.change, name, content)
        if made.name == self.current.name and not made.broken:
            await self.use(made.name)  # the profile in use takes effect at once
        return await self.shown(made.name)

    async def remove(self, name: str) -> str:
        async with self._lock:
            gone = (await asyncio.to_thread(self._profiles.place, name)).name
            aside = await asyncio.to_thread(self._editor.remove, gone)
        if gone == self.current.name:
            await self.use(await asyncio.to_thread(self._instead, gone))
        return aside

    def _instead(self, name: str) -> str:
        """The profile to use once the user's own is removed: the shipped one of that name, else the default."""
        return name if name in self._profiles.places() else DEFAULT
