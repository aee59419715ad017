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
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from reachy_mind import log
from reachy_mind.config import Configuration, load
from reachy_mind.database import IN_MEMORY, Database
from reachy_mind.errors import MindError, NotReady
from reachy_mind.events import Announced, Bus, LinkChanged, MindChanged
from reachy_mind.models.store import Store
from reachy_mind.sim.launch import Simulator

if TYPE_CHECKING:
    from reachy_mind.body.address import Address
    from reachy_mind.body.media import Media
    from reachy_mind.body.media.eye import Eye
    from reachy_mind.brains.thought import Brain, Thought
    from reachy_mind.memory.conversations import Conversations, Record
    from reachy_mind.motion.client import Motion
    from reachy_mind.motion.repertoire import Repertoire
    from reachy_mind.talking import Talking
    from reachy_mind.tools.confirmations import Confirmations
    from reachy_mind.tools.context import Caller
    from reachy_mind.tools.registry import Registry
    from reachy_mind.tools.tasks import Tasks
    from reachy_mind.tools.timers import Timers
    from reachy_mind.tools.toolbox import Toolbox
    from reachy_mind.turns import Doing, Response, Turns
    from reachy_mind.voice import Speech

DESCRIPTION = "robot-description"

PONDER_S = 0.5
UNKNOWN = 0.6
"""How sure one is that somebody has finished when the brain can't tell."""

State = Literal["initializing", "ready", "processing", "error", "shutdown"]

_log = log.get(__name__)


class Idle:
    """Whether the robot breathes and looks around when it has nothing to do."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind

    def pause(self) -> None:
        if self._mind.motion is not None:
            self._mind.motion.idle(on=False)

    def resume(self) -> None:
        if self._mind.motion is not None:
            self._mind.motion.idle(on=True)


class Mind:
    """One robot's mind. Options that are given win over the configuration; see `config` for the rest.

    `owner`: it is the one mind of its data folder, and takes stock of what was cut short when the last one died.
    """

    toolbox: Toolbox
    turns: Turns
    conversations: Conversations
    tasks: Tasks
    timers: Timers
    confirmations: Confirmations
    repertoire: Repertoire
    media: Media
    speech: Speech

    def __init__(
        self,
        configuration: Configuration | None = None,
        *,
        robot: str | None = None,
        memory: bool = True,
        idle: bool | None = None,
        brain: Brain | None = None,
        owner: bool = True,
    ) -> None:
        self.configuration = configuration or load(flags={"robot.address": robot, "robot.idle": idle})
        self.bus = Bus()
        self.motion: Motion | None = None
        self.camera: Eye | None = None
        self.simulator: Simulator | None = None
        self.state: State = "shutdown"
        self.doing: Doing = "ready"
        """What is done about what was said last."""
        self.idle = Idle(self)
        self.interrupted: list[str] = []
        """What was under way when the program died last time, in words."""
        self._memory = memory
        self._brain, self._owner = brain, owner
        self._pondering: asyncio.TimerHandle | None = None
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
            simulator = await self._started_simulator(stack)
            # Imported while a simulator of ours starts: together they take a second.
            await asyncio.to_thread(importlib.import_module, "reachy_mind.tools.builtin")
            await asyncio.to_thread(self._thinker)
            await self._open(stack)
            address = None
            if self.configuration.settings.robot.address != "none":
                address = await self._connect(stack, simulator)
            await self._choose_media(stack, address)
            await self._prepare_speech(stack)
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

    async def _started_simulator(self, stack: contextlib.AsyncExitStack) -> Simulator | None:
        settings = self.configuration.settings
        if settings.robot.address != "sim":
            return None
        level = "warning" if settings.log.level == "info" else settings.log.level
        cache = compiled_folder(self.configuration)
        simulator = Simulator(self._description(), cache, settings.robot.scene, log_level=level)
        self.simulator = await stack.enter_async_context(simulator)
        return self.simulator

    def _description(self) -> Path:
        return Store(self.configuration.models_folder).path(DESCRIPTION)

    async def _open(self, stack: contextlib.AsyncExitStack) -> None:
        from reachy_mind.brains.wording import manner_in  # noqa: PLC0415
        from reachy_mind.memory.conversations import Conversations  # noqa: PLC0415
        from reachy_mind.motion.repertoire import Repertoire  # noqa: PLC0415
        from reachy_mind.tools.audit import Audit  # noqa: PLC0415
        from reachy_mind.tools.builtin import ALIASES, TOOLS  # noqa: PLC0415
        from reachy_mind.tools.confirmations import Confirmations  # noqa: PLC0415
        from reachy_mind.tools.context import Parts  # noqa: PLC0415
        from reachy_mind.tools.permissions import Permissions  # noqa: PLC0415
        from reachy_mind.tools.registry import Registry  # noqa: PLC0415
        from reachy_mind.tools.tasks import MOST, Tasks  # noqa: PLC0415
        from reachy_mind.tools.timers import Timers  # noqa: PLC0415
        from reachy_mind.tools.toolbox import Toolbox  # noqa: PLC0415
        from reachy_mind.turns import Turns  # noqa: PLC0415

        home = self.configuration.home
        permissions = Permissions(home.permissions_file)
        database = await stack.enter_async_context(Database(home.database_file))
        self.tasks = await stack.enter_async_context(
            Tasks(database, self.bus, most=MOST if self._owner else 0, recover=self._owner)
        )
        self.timers = await stack.enter_async_context(Timers(database, self.bus, announce=False))
        self.repertoire = Repertoire(home.moves_folder)
        parts = Parts(
            self.configuration, self.bus, database, repertoire=self.repertoire, tasks=self.tasks, timers=self.timers
        )
        registry = Registry((), ALIASES)
        await self._load_guests(registry, stack)
        for tool in TOOLS:
            registry.add(tool)
        registry.load_entry_points()
        self.confirmations = Confirmations(self.bus, wait_s=self.configuration.settings.tools.confirm_s)
        audit = Audit(database)
        self.toolbox = Toolbox(registry, permissions, self.confirmations, audit, parts)
        kept = database if self._memory else await stack.enter_async_context(Database(IN_MEMORY))
        self.conversations = Conversations(kept)
        profile = self.configuration.settings.mind.profile
        self.turns = Turns(
            self._thinker,
            self.toolbox,
            self.conversations,
            self.bus,
            profile=profile,
            manner=manner_in(self.configuration.home.profiles_folder / profile),
            changed=self._turning,
        )
        self.toolbox.on_stop = self.turns.stopped
        await audit.prune(self.configuration.settings.tools.audit_days)
        if self._owner:  # a mind that only looks in for a moment may not be the only one that does
            self._remember(await audit.recover(), await self.conversations.recover())
        listener = asyncio.create_task(self._listen(), name="mind listener")
        stack.push_async_callback(_ended, listener)

    async def _load_guests(self, registry: Registry, stack: contextlib.AsyncExitStack) -> None:
        """The user's own tools come first: of two with the same name theirs is meant."""
        folder = self.configuration.settings.tools.folder
        if folder is None:
            return
        guests = await asyncio.to_thread(importlib.import_module, "reachy_mind.tools.guests")
        loaded = await asyncio.to_thread(guests.load_folder, folder.expanduser(), source="profile folder")
        stack.callback(loaded.close)
        for tool in loaded.tools:
            registry.add(tool)
        registry.refused |= loaded.refused
        for name, reason in loaded.refused.items():
            _log.warning("a tool was left out", tool=name, reason=reason)

    async def _connect(self, stack: contextlib.AsyncExitStack, simulator: Simulator | None) -> Address:
        from reachy_mind.body.address import Address  # noqa: PLC0415
        from reachy_mind.motion.client import Motion  # noqa: PLC0415

        settings = self.configuration.settings
        if simulator is not None:
            address = Address("127.0.0.1", await simulator.ready())
        else:
            address = Address.parse(settings.robot.address)
        motion = Motion(
            address,
            self._description(),
            app_name=settings.robot.app_name,
            idle=settings.robot.idle,
            bus=self.bus,
            log_level=settings.log.level,
        )
        self.motion = self.toolbox.parts.motion = await stack.enter_async_context(motion)
        await motion.wait_connected(settings.robot.connect_timeout_s)
        return address

    async def _choose_media(self, stack: contextlib.AsyncExitStack, address: Address | None) -> None:
        """Who provides camera and sound. Nothing is opened before somebody looks or listens."""
        from reachy_mind.body.media.choice import choose, provide  # noqa: PLC0415
        from reachy_mind.body.media.eye import Eye  # noqa: PLC0415

        settings = self.configuration.settings
        self.media = provide(await choose(settings, address), settings, address)
        _log.debug("media", provider=self.media.provider, reason=self.media.reason)
        if settings.eyes.camera:
            self.camera = await stack.enter_async_context(Eye(self.media.camera))
            stack.callback(setattr, self, "camera", None)

    async def _prepare_speech(self, stack: contextlib.AsyncExitStack) -> None:
        """Ears and mouth for whoever asks for them; a conversation is opened by `speech.start`."""
        from reachy_mind.voice import Speech  # noqa: PLC0415

        self.speech = self.toolbox.parts.voice = await stack.enter_async_context(Speech(self))

    @property
    def talking(self) -> Talking | None:
        """The spoken conversation at the robot, while one is open."""
        return self.speech.talking

    def _thinker(self) -> Brain:
        if self._brain is None:
            wanted = self.configuration.settings.mind.brain
            if wanted not in ("auto", "reflex"):
                raise NotReady(f"the brain {wanted!r} is not there yet", hint="use --brain reflex")
            from reachy_mind.brains.reading.reader import WEIGHTS, Reader  # noqa: PLC0415
            from reachy_mind.brains.reflex import Reflex  # noqa: PLC0415
            from reachy_mind.brains.understanding import Understanding  # noqa: PLC0415

            own = self.configuration.home.reflex_folder / WEIGHTS.name  # made here, in place of what was shipped
            self._brain = Reflex(Understanding(Reader.load(own if own.exists() else WEIGHTS)).plan)
        return self._brain

    def _remember(self, calls: list[dict[str, Any]], turns: list[Record]) -> None:
        self.interrupted = [
            f"{call['tool']} ({'a question to you' if call['step'] == 'asked' else 'running'})" for call in calls
        ]
        self.interrupted += [f"the answer to {turn.said[:60]!r}" for turn in turns]
        self.interrupted += [f"{task.description} (in the background)" for task in self.tasks.cut_short]
        if self.interrupted:
            _log.warning("the last run was cut short", interrupted=self.interrupted)

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
        """Who thinks for long looks like it; who answers at once does not."""
        self.doing = doing
        if self._pondering is not None:
            self._pondering.cancel()
            self._pondering = None
        if self.motion is not None:
            if doing == "thinking":
                later = asyncio.get_running_loop().call_later
                self._pondering = later(PONDER_S, self.motion.posture, "thinking")
            else:
                self.motion.posture("none")
        if self.state in ("ready", "processing"):
            self._change("ready" if doing == "ready" else "processing")

    def _change(self, state: State, reason: str = "") -> None:
        if state != self.state:
            self.state = state
            self.bus.publish(MindChanged(state=state, reason=reason))

    def announce(self) -> None:
        """From now on tell people of timers and reminders that are due: call it once somebody listens."""
        self.timers.start()

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
        from reachy_mind.turns import Response  # noqa: PLC0415

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
        async with contextlib.aclosing(
            self.turns.take(text, conversation=conversation, person=person, heard=heard, context=context)
        ) as thoughts:
            async for thought in thoughts:
                yield thought

    async def finished(self, text: str) -> float:
        """How sure one may be that somebody who said this, and then fell silent, has finished: 0 to 1."""
        from reachy_mind.brains.thought import Listener  # noqa: PLC0415

        brain = self._thinker()
        if isinstance(brain, Listener):
            return await asyncio.to_thread(brain.finished, text)
        return UNKNOWN

    def usual(self, language: str) -> Sequence[str]:
        """What the brain says again and again, if it knows."""
        from reachy_mind.brains.thought import Listener  # noqa: PLC0415

        brain = self._thinker()
        return brain.usual(language) if isinstance(brain, Listener) else ()

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

    @property
    def brain(self) -> str:
        """The name of what thinks."""
        return self._thinker().name

    def described(self) -> dict[str, Any]:
        """How the mind is, for people and programs."""
        return {
            "state": self.state,
            "brain": self.brain,
            "robot": self.motion.status if self.motion else "none",
            "tools": len(self.toolbox.registry),
            "tasks": [asdict(task) for task in self.tasks.all() if task.state == "running"],
            "waiting_confirmations": len(self.confirmations.pending),
            "interrupted": self.interrupted,
        }


def compiled_folder(configuration: Configuration) -> Path:
    return configuration.models_folder / "compiled"


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
