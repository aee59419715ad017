"""`TrialWorld`: the real toolbox with a simulated robot, camera and voice, for one trial. Run it on a `VirtualLoop`.

It has a data folder of its own, which ends with it: nothing of the user is read or written but the downloaded models.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from reachy_mind.body.address import Address
from reachy_mind.body.media.on_demand_camera import OnDemandCamera
from reachy_mind.config.configuration import Configuration
from reachy_mind.events import Announced, Bus, Event, ToolCalled
from reachy_mind.eyes.sight import Sight
from reachy_mind.models.robot_description import compiled_folder, description
from reachy_mind.motion.client import Motion
from reachy_mind.sim.scene import SceneName
from reachy_mind.sim.scene_state import SceneState
from reachy_mind.storage.home import Home
from reachy_mind.tools.acts import Act
from reachy_mind.tools.body_lock import current_hold
from reachy_mind.tools.context import Caller, Context
from reachy_mind.tools.definition import Outcome, Tier, not_ready
from reachy_mind.tools.factory import ToolboxParts, build_toolbox
from reachy_mind.tools.toolbox import Denied, Toolbox
from reachy_mind.workshop.trial.body import TrialBody
from reachy_mind.workshop.trial.camera import TrialCamera
from reachy_mind.workshop.trial.folder import data_folder
from reachy_mind.workshop.trial.record import RecordedCall, RecordedWords, TrialRecord
from reachy_mind.workshop.trial.voice import TrialVoice, speaking_time

ADDRESS = Address("trial.invalid", 0)
"""Only a label: nothing connects to it."""
CONNECT_TIMEOUT_S = 10.0
TRIAL_CALLER = Caller(kind="program", channel="trial")

SETTLE_S = 2.5
"""After waking up, until the robot is still: what moves in a trial is then moved by the tool."""


class RecordingBus(Bus):
    """A bus that records calls of tools, and announcements, as they are published."""

    def __init__(self, record: TrialRecord) -> None:
        super().__init__()
        self._record = record

    def publish(self, event: Event) -> None:
        now = self._record.now()
        if isinstance(event, ToolCalled):
            self._record.calls.append(RecordedCall(now, event.tool, event.arguments, event.status, event.error))
        elif isinstance(event, Announced):
            words = RecordedWords(now, event.text, speaking_time(event.text), announced=True)
            self._record.words.append(words)
        super().publish(event)


class TrialWorld:
    """Use as `async with`. The robot is awake, unless `awake` is off; the same seed gives the same world."""

    toolbox: Toolbox
    body: TrialBody
    motion: Motion
    camera: TrialCamera
    voice: TrialVoice

    def __init__(
        self,
        configuration: Configuration,
        *,
        scene: SceneName = "table",
        seed: int = 0,
        awake: bool = True,
    ) -> None:
        self._given, self._scene, self._seed, self._awake = configuration, scene, seed, awake
        self._started_at = 0.0
        self.record = TrialRecord(lambda: self.elapsed)
        self.bus = RecordingBus(self.record)
        self._failed: Exception | None = None
        self._stack = contextlib.AsyncExitStack()

    @property
    def elapsed(self) -> float:
        """Seconds since the start of the trial."""
        return asyncio.get_running_loop().time() - self._started_at

    @property
    def folder(self) -> Path:
        """The data folder of the trial."""
        return self.toolbox.parts.configuration.home.folder

    async def __aenter__(self) -> Self:
        self._started_at = asyncio.get_running_loop().time()
        random.seed(self._seed)
        async with contextlib.AsyncExitStack() as stack:
            configuration = _own(self._given, data_folder(), stack)
            parts = await build_toolbox(configuration, self.bus, stack, owner=True)
            self.toolbox = parts.toolbox
            for tool in [tool for tool in self.toolbox.registry if tool.group == "web"]:
                self.toolbox.registry.add(not_ready(tool, "there is no network"), replace=True)
            await self._open_body(configuration, stack)
            await self._open_eyes(configuration, stack)
            self.voice = self.toolbox.parts.voice = TrialVoice(self.record)
            await self._begin(parts)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
        if self._failed is not None:
            raise self._failed

    async def _open_body(self, configuration: Configuration, stack: contextlib.AsyncExitStack) -> None:
        folder = description(configuration)
        self.body = TrialBody(folder, self._scene, compiled_folder(configuration), self.record, seed=self._seed)
        motion = Motion(ADDRESS, folder, idle=False, bus=self.bus, backend=self.body)
        self.motion = self.toolbox.parts.motion = await stack.enter_async_context(motion)
        await motion.wait_connected(CONNECT_TIMEOUT_S)

    async def _open_eyes(self, configuration: Configuration, stack: contextlib.AsyncExitStack) -> None:
        folder, cache = description(configuration), compiled_folder(configuration)
        self.camera = TrialCamera(folder, cache, self.body.scene, self.record)
        stack.callback(self.camera.close)
        media = self.camera.media()
        eye = await stack.enter_async_context(OnDemandCamera(media.camera))
        sight = Sight(configuration, media, self.bus, camera=eye, motion=self.motion, busy=lambda: False)
        self.toolbox.parts.sight = await stack.enter_async_context(sight)

    async def _begin(self, parts: ToolboxParts) -> None:
        if self._awake:
            await self.motion.wake()
            await asyncio.sleep(SETTLE_S)
        parts.timers.start()
        self._started_at = asyncio.get_running_loop().time()
        self.record.poses.clear()

    # What happens

    @property
    def scene(self) -> SceneState:
        """Objects, people and light around the robot."""
        return self.body.scene

    def at(self, seconds: float, action: Callable[[TrialWorld], Any]) -> None:
        """Call `action(world)` at this time of the trial: to change the scene, say something, or break something.

        What it raises is raised at the end of the trial.
        """
        asyncio.get_running_loop().call_at(self._started_at + seconds, self._act, action)

    def _act(self, action: Callable[[TrialWorld], Any]) -> None:
        try:
            action(self)
        except Exception as error:  # noqa: BLE001 -- raised at the end of the trial, which it makes worthless
            self._failed = self._failed or error
        self.body.wake()

    # The code under trial

    @contextlib.asynccontextmanager
    async def context(
        self, caller: Caller = TRIAL_CALLER, *, preempt: Callable[[], object] = lambda: None
    ) -> AsyncIterator[Context]:
        """What a tool call gets, for code that is none: tools through the gate, and the body.

        Nobody is there to confirm anything. `preempt` is called when a stop takes the body away.
        """
        hold = self.toolbox.hold(caller, preempt)
        token = current_hold.set(hold)

        async def call(name: str, /, **args: Any) -> Outcome:
            return await self.toolbox.call(name, args, caller=caller, depth=1)

        ctx = Context(uuid4().hex, caller, self.toolbox.parts, call, self._permit, hold=hold)
        try:
            yield ctx
        finally:
            current_hold.reset(token)
            ctx.stopped.set()
            await hold.release()

    async def _permit(self, acts: Iterable[Act]) -> None:
        found = self.toolbox.decisions.acts(acts)
        if found.tier > Tier.NOTIFY:
            raise Denied(f"this is not allowed: {found.reason}", hint="nobody is there to confirm it")


def _own(configuration: Configuration, folder: str, stack: contextlib.AsyncExitStack) -> Configuration:
    """The same configuration with an empty data folder, which `stack` removes: no tools and no models of the user's."""
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    settings = configuration.settings
    tools = settings.tools.model_copy(update={"folder": None})
    models = settings.models.model_copy(update={"folder": configuration.models_folder})
    eyes = settings.eyes.model_copy(update={"camera": True, "vision_url": None, "local_vision": False})
    own = settings.model_copy(update={"tools": tools, "models": models, "eyes": eyes})
    return replace(configuration, settings=own, home=Home(Path(folder)))
