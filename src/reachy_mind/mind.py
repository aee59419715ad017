"""`Mind`: everything put together. It perceives, thinks and acts, for as long as its session lasts.

    async with Mind(robot="sim").session() as mind:
        response = await mind.ask("Wave hello!")

`session` starts the simulator when the robot is `sim`, opens the database, connects the body, and takes it all down
again at the end. Every command here is a call through the toolbox's gate.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from reachy_mind import embodiment, log, tracing
from reachy_mind.bearing import Idle, Pondering
from reachy_mind.config import Configuration, load
from reachy_mind.database import IN_MEMORY, Database
from reachy_mind.ending import ended
from reachy_mind.errors import MindError, NotReady
from reachy_mind.events import Announced, Bus, LinkChanged, MindChanged
from reachy_mind.sim.launch import Simulator
from reachy_mind.thinking import Thinking

if TYPE_CHECKING:
    from reachy_mind.body.media import Media
    from reachy_mind.body.media.eye import Eye
    from reachy_mind.brains.thought import Brain, Thought
    from reachy_mind.mcp.remotes import Remotes
    from reachy_mind.memory.conversations import Conversations
    from reachy_mind.memory.memory import Memory
    from reachy_mind.motion.client import Motion
    from reachy_mind.motion.repertoire import Repertoire
    from reachy_mind.personality import Personality
    from reachy_mind.preferences import Preferences
    from reachy_mind.profiles.profile import Profile
    from reachy_mind.response import Response
    from reachy_mind.seeing import Sight
    from reachy_mind.talking import Talking
    from reachy_mind.tools.confirmations import Confirmations
    from reachy_mind.tools.context import Caller
    from reachy_mind.tools.tasks import Tasks
    from reachy_mind.tools.timers import Timers
    from reachy_mind.tools.toolbox import Toolbox
    from reachy_mind.turns import Doing, Turns
    from reachy_mind.voice import Speech

State = Literal["initializing", "ready", "processing", "error", "shutdown"]

_log = log.get(__name__)


class Mind:
    """One robot's mind. Options that are given win over the configuration; see `config` for the rest.

    `owner`: it is the one mind of its data folder, and takes stock of what was cut short when the last one died.
    `thinks`: its brain is loaded at the start; else with the first question, for one that may never be asked any.
    """

    toolbox: Toolbox
    turns: Turns
    conversations: Conversations
    tasks: Tasks
    timers: Timers
    confirmations: Confirmations
    repertoire: Repertoire
    media: Media
    personality: Personality
    preferences: Preferences
    speech: Speech
    sight: Sight

    def __init__(
        self,
        configuration: Configuration | None = None,
        *,
        robot: str | None = None,
        memory: bool = True,
        idle: bool | None = None,
        brain: Brain | None = None,
        owner: bool = True,
        thinks: bool = True,
    ) -> None:
        self.configuration = configuration or load(flags={"robot.address": robot, "robot.idle": idle})
        self.bus = Bus()
        self.motion: Motion | None = None
        self.camera: Eye | None = None
        self.memory: Memory | None = None
        self.simulator: Simulator | None = None
        self.remotes: Remotes | None = None
        self.state: State = "shutdown"
        self.doing: Doing = "ready"
        """What is done about what was said last."""
        self.idle, self._pondering = Idle(lambda: self.motion), Pondering(lambda: self.motion)
        self.interrupted: list[str] = []
        """What was under way when the program died last time, in words."""
        self._remembers = memory
        self._owner, self._thinks = owner, thinks
        self.thinking = Thinking(self.configuration, brain)
        self._stack: contextlib.AsyncExitStack | None = None

    # Life

    @contextlib.asynccontextmanager
    async def session(self) -> AsyncIterator[Mind]:
        """The mind awake, for the time of an `async with`.

        Raises AssetError when the robot description was never pulled, LinkLost, RobotBusy or VersionMismatch when the
        robot can't be had, DatabaseError when nothing can be written down.
        """
        await self.initialize()
        try:
            yield self
        finally:
            await self.shutdown()

    async def initialize(self) -> None:
        """Start everything; `shutdown` must follow."""
        if self._stack is not None:
            raise NotReady("this mind is running already", hint="one session at a time")
        self._change("initializing")
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(self.thinking.aclose)
            self.simulator = await embodiment.start_simulator(self.configuration, stack)
            # Imported while a simulator of ours starts: together they take a second.
            await asyncio.to_thread(importlib.import_module, "reachy_mind.equipment")
            if self._thinks:
                await asyncio.to_thread(self.thinking.brain)
            await self._open(stack)
            await self._embody(stack)
            await self._prepare_speech(stack)
            if self._owner:  # not for one that only looks in for a moment
                self.thinking.prepare(self.turns.blank(), stack)
            self._stack = stack.pop_all()
        self._change("ready")

    async def shutdown(self) -> None:
        """End everything, in reverse; what was under way is cut short."""
        stack, self._stack = self._stack, None
        if stack is None:
            return
        self._change("shutdown")
        await self.turns.interrupt()
        await stack.aclose()

    async def _open(self, stack: contextlib.AsyncExitStack) -> None:
        from reachy_mind.equipment import equip  # noqa: PLC0415
        from reachy_mind.memory.conversations import Conversations  # noqa: PLC0415
        from reachy_mind.personality import Personality  # noqa: PLC0415
        from reachy_mind.preferences import Preferences  # noqa: PLC0415
        from reachy_mind.turns import Turns  # noqa: PLC0415

        if (spans := tracing.exporter(self.configuration)) is not None:
            await stack.enter_async_context(tracing.Tracing(self.bus, spans))
        equipment = await equip(self.configuration, self.bus, stack, owner=self._owner, words=self._remembers)
        self.toolbox, self.confirmations = equipment.toolbox, equipment.confirmations
        self.repertoire, self.tasks, self.timers = equipment.repertoire, equipment.tasks, equipment.timers
        kept = equipment.database if self._remembers else await stack.enter_async_context(Database(IN_MEMORY))
        self.conversations = Conversations(kept)
        self.personality = self.toolbox.parts.personalities = Personality(self)
        stack.callback(self.personality.close)
        self.preferences = self.toolbox.parts.preferences = Preferences(self)
        await self.personality.begin(self.configuration.settings.mind.profile)
        if self._remembers:
            self.memory = self.toolbox.parts.memory = await self._open_memory(kept, stack)
        self.turns = Turns(
            self.thinking.brain,
            self.toolbox,
            self.conversations,
            self.bus,
            profile=self.profile,
            personalities=self.personality.names,
            changed=self._turning,
            memory=self.memory,
        )
        self.toolbox.on_stop = self.turns.stopped
        if self._owner:  # a mind that only looks in for a moment may not be the only one that does
            self.interrupted = await equipment.cut_short()
            self.interrupted += [f"the answer to {turn.said[:60]!r}" for turn in await self.conversations.recover()]
            if self.interrupted:
                _log.warning("the last run was cut short", interrupted=self.interrupted)
            from reachy_mind.mcp.remotes import Remotes  # noqa: PLC0415

            remotes = Remotes(self.configuration.home, self.toolbox.registry)
            self.remotes = await stack.enter_async_context(remotes)
        listener = asyncio.create_task(self._listen(), name="mind listener")
        stack.push_async_callback(ended, listener)

    async def _open_memory(self, database: Database, stack: contextlib.AsyncExitStack) -> Memory:
        from reachy_mind.memory.memory import Memory  # noqa: PLC0415
        from reachy_mind.memory.summarising import choose  # noqa: PLC0415
        from reachy_mind.models.store import Store  # noqa: PLC0415

        stack.callback(setattr, self, "memory", None)
        summariser = choose(self.configuration.settings)
        store = Store(self.configuration.models_folder)
        return await stack.enter_async_context(Memory(database, store, summariser))

    async def _embody(self, stack: contextlib.AsyncExitStack) -> None:
        from reachy_mind.body.media.eye import Eye  # noqa: PLC0415
        from reachy_mind.eyes.photos import Album  # noqa: PLC0415
        from reachy_mind.seeing import Sight  # noqa: PLC0415

        address = await embodiment.locate(self.configuration, self.simulator)
        if address is not None:
            motion = await embodiment.open_motion(self.configuration, self.bus, address, stack)
            self.motion = self.toolbox.parts.motion = motion
            await motion.wait_connected(self.configuration.settings.robot.connect_timeout_s)
        self.media = await embodiment.choose_media(self.configuration, address)
        if self.configuration.settings.eyes.camera:
            self.camera = await stack.enter_async_context(Eye(self.media.camera))
            stack.callback(setattr, self, "camera", None)
        self.sight = self.toolbox.parts.sight = await stack.enter_async_context(Sight(self))
        if self.memory is not None:
            self.memory.erasure.others["photos"] = Album(self.sight.photos)

    async def _prepare_speech(self, stack: contextlib.AsyncExitStack) -> None:
        """Ears and mouth for whoever asks for them; a conversation is opened by `speech.start`."""
        from reachy_mind.voice import Speech  # noqa: PLC0415

        self.speech = self.toolbox.parts.voice = await stack.enter_async_context(Speech(self))

    @property
    def talking(self) -> Talking | None:
        """The spoken conversation at the robot, while one is open."""
        return self.speech.talking

    async def _listen(self) -> None:
        """Announcements become part of their conversation; a lost robot is an error until it is back."""
        with self.bus.subscribe(Announced, LinkChanged) as events:
            async for event in events:
                if isinstance(event, Announced) and event.conversation:
                    with contextlib.suppress(MindError):
                        await self.conversations.announced(event.conversation, event.text)
                elif isinstance(event, LinkChanged) and self.state in ("ready", "processing", "error"):
                    lost = event.status in ("lost", "refused")
                    self._change("error" if lost else "ready", event.reason)

    def _turning(self, doing: Doing) -> None:
        self.doing = doing
        self._pondering.show(doing)
        if self.state in ("ready", "processing"):
            self._change("ready" if doing == "ready" else "processing")

    def _change(self, state: State, reason: str = "") -> None:
        if state != self.state:
            self.state = state
            self.bus.publish(MindChanged(state=state, reason=reason))

    def announce(self) -> None:
        """From now on tell people of timers and reminders that are due: call it once somebody listens."""
        self.timers.start()

    # Who it is

    @property
    def profile(self) -> Profile:
        """The personality in use."""
        return self.personality.current

    async def use_profile(self, name: str, *, keep: bool = False) -> Profile:
        """Be somebody else from the next turn on; `keep`: also at the next start.

        Raises UnknownProfile and BrokenProfile, and then it is who it was.
        """
        if self._stack is None:
            raise NotReady("this mind is not running", hint="async with mind.session()")
        return await self.personality.use(name, keep=keep)

    # Words

    async def ask(
        self,
        text: str,
        *,
        conversation: str | None = None,
        person: str = "",
        context: dict[str, Any] | None = None,
    ) -> Response:
        """The answer to what a person says; what went wrong is in its `error`. Raises InvalidParameter, TooMany."""
        from reachy_mind.response import Response  # noqa: PLC0415

        async for thought in self.stream(text, conversation=conversation, person=person, context=context):
            if isinstance(thought, Response):
                return thought
        raise NotReady("the mind was shut down")

    async def stream(
        self,
        text: str,
        *,
        conversation: str | None = None,
        person: str = "",
        heard: str | None = None,
        context: dict[str, Any] | None = None,
    ) -> AsyncGenerator[Thought | Response, None]:
        """The same, thought by thought, the response last. `heard`: what of the last reply, when it was cut short."""
        if self._stack is None:
            raise NotReady("this mind is not running", hint="async with mind.session()")
        if not self.thinking.loaded:
            await asyncio.to_thread(self.thinking.brain)
        context = (context or {}) | self.sight.context() | {"picture": self.sight.picture}
        async with contextlib.aclosing(
            self.turns.take(text, conversation=conversation, person=person, heard=heard, context=context)
        ) as thoughts:
            async for thought in thoughts:
                yield thought

    # The body, through the gate

    def body(self) -> Motion:
        if self.motion is None:
            raise NotReady("there is no robot", hint="start with --robot sim or --robot HOST")
        return self.motion

    def eye(self) -> Eye:
        """The robot's camera. Raises NotReady with the reason why there is none."""
        if not self.configuration.settings.eyes.camera:
            raise NotReady("the camera is switched off", hint="start without --no-camera, or set eyes.camera")
        if self.camera is None:
            raise NotReady("this mind is not running", hint="async with mind.session()")
        if self.media.provider == "none":
            self.media.camera()  # says why there is none
        if self.camera.refusal is not None:
            raise self.camera.refusal
        return self.camera

    def robot(self) -> dict[str, Any]:
        """What the robot reported last. Raises LinkLost while it can't be reached."""
        from reachy_mind.tools.builtin.direct import report  # noqa: PLC0415

        return report(self.body())

    async def act(self, name: str, args: dict[str, Any] | None = None, caller: Caller | None = None) -> dict[str, Any]:
        """One tool, for a person. Raises ToolError with what the gate or the tool said."""
        from reachy_mind.tools.definition import ToolError  # noqa: PLC0415

        outcome = await self.toolbox.call(name, args or {}, caller=caller)
        if outcome.error is not None:
            raise ToolError(outcome.error["code"], outcome.error["message"], hint=outcome.error["hint"])
        return dict(outcome.data)

    async def stop(self, caller: Caller | None = None) -> dict[str, Any]:
        """Ends any movement at once, whatever else is waiting."""
        told = await self.act("robot.stop", caller=caller)
        return {"command": "stop"} | self.robot() | {"message": told.get("message", "stopped"), "clamped": []}

    def described(self) -> dict[str, Any]:
        """How the mind is, for people and programs."""
        return {
            "state": self.state,
            "brain": self.thinking.brain().name,
            "thinking": self.thinking.line,
            "profile": self.profile.name,
            "robot": self.motion.status if self.motion else "none",
            "tools": len(self.toolbox.registry),
            "tasks": [asdict(task) for task in self.tasks.all() if task.state == "running"],
            "waiting_confirmations": len(self.confirmations.pending),
            "interrupted": self.interrupted,
        }
