"""`Mind`: the composition root. It starts, wires and ends every part of one robot's mind.

    async with Mind(robot="sim").session() as mind:
        response = await mind.ask("Wave hello!")

`session` starts the simulator when the robot is `sim`, opens the database and connects the robot, and closes everything
at the end. Every command here is a call through the toolbox's gate.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Unpack

from reachy_mind import log, robot_connection
from reachy_mind.brains.active import ActiveBrain
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration, load
from reachy_mind.conversation import tracing
from reachy_mind.conversation.mind_state import MindState, State
from reachy_mind.errors import NotReady
from reachy_mind.events import Bus, TurnPhase
from reachy_mind.models import worker_liveness
from reachy_mind.models.catalogue.chat import CHAT_MODELS
from reachy_mind.models.pulls import Pulls
from reachy_mind.models.store import Store
from reachy_mind.motion.activity import IdleSwitch, ThinkingPosture

if TYPE_CHECKING:
    from reachy_mind.body.media import Media
    from reachy_mind.body.media.on_demand_camera import OnDemandCamera
    from reachy_mind.brains.brain import Brain
    from reachy_mind.config.preferences import Preferences
    from reachy_mind.conversation.events import TurnEvent
    from reachy_mind.conversation.response import Response
    from reachy_mind.conversation.turns import TurnOptions, Turns
    from reachy_mind.conversation.voice import VoiceService
    from reachy_mind.eyes.sight import Sight
    from reachy_mind.feedback.factory import Feedback
    from reachy_mind.mcp.remote_servers import RemoteServers
    from reachy_mind.memory.conversations import Conversations
    from reachy_mind.memory.memory import Memory
    from reachy_mind.motion.client import Motion
    from reachy_mind.motion.repertoire import Repertoire
    from reachy_mind.profiles.active import ActiveProfile
    from reachy_mind.profiles.profile import Profile
    from reachy_mind.sim.launch import Simulator
    from reachy_mind.tools.confirmations import Confirmations
    from reachy_mind.tools.context import Caller
    from reachy_mind.tools.factory import ToolboxParts
    from reachy_mind.tools.tasks import Tasks
    from reachy_mind.tools.timers import Timers
    from reachy_mind.tools.toolbox import Toolbox
    from reachy_mind.workshop.author.author import ToolAuthor
    from reachy_mind.workshop.generated_tools import ShelfTools
    from reachy_mind.workshop.workshop import Workshop

_log = log.get(__name__)


class Mind:
    """One robot's mind. Options make the configuration where none is given; `brain`: its name, or one of your own.

    `owner`: it is the one mind of its data folder and reports what the last run left unfinished. `thinks`: load the
    brain at the start, not with the first question. `author`: who writes its tools, in place of recipes and a model.
    """

    toolbox: Toolbox
    turns: Turns
    conversations: Conversations
    tasks: Tasks
    timers: Timers
    confirmations: Confirmations
    repertoire: Repertoire
    media: Media
    personality: ActiveProfile
    preferences: Preferences
    speech: VoiceService
    sight: Sight
    workshop: Workshop
    generated: ShelfTools
    feedback: Feedback

    def __init__(
        self,
        configuration: Configuration | None = None,
        *,
        robot: str | None = None,
        memory: bool = True,
        idle: bool | None = None,
        brain: Brain | str | None = None,
        owner: bool = True,
        thinks: bool = True,
        author: ToolAuthor | None = None,
    ) -> None:
        named = brain if isinstance(brain, str) else None
        flags = {"robot.address": robot, "robot.idle": idle, "mind.brain": named}
        self.configuration = configuration or load(flags=flags)
        self.bus = Bus()
        self.motion: Motion | None = None
        self.memory: Memory | None = None
        self.simulator: Simulator | None = None
        self.remotes: RemoteServers | None = None
        self._state = MindState(self.bus)
        self.idle, self._pondering = IdleSwitch(lambda: self.motion), ThinkingPosture(lambda: self.motion)
        self.interrupted: list[str] = []
        """What the last run left unfinished, in words."""
        self._remembers = memory
        self._owner, self._thinks, self._author = owner, thinks, author
        own = None if isinstance(brain, str) else brain
        self.thinking = ActiveBrain(self.configuration, self.bus, own)
        self.pulls = Pulls(Store.of(self.configuration), self.bus, ready=self._model_ready)
        self._stack: contextlib.AsyncExitStack | None = None

    # Start and end

    @contextlib.asynccontextmanager
    async def session(self) -> AsyncIterator[Mind]:
        """Run the mind for the time of an `async with`.

        Raises AssetError when the robot description was never pulled; LinkLost, RobotBusy or VersionMismatch when the
        robot can't be used; DatabaseError when the data folder can't be written.
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
        self._state.change("initializing")
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(worker_liveness.listen(self.bus.publish))
            stack.push_async_callback(self.thinking.aclose)
            stack.push_async_callback(self.pulls.aclose)
            self.simulator = await robot_connection.start_simulator(self.configuration, stack)
            # Imports overlap with the start of the simulator: each takes a second.
            await asyncio.to_thread(importlib.import_module, "reachy_mind.tools.factory")
            if self._thinks:
                await asyncio.to_thread(self.thinking.brain)
            await tracing.open_tracing(self.configuration, self.bus, stack)
            parts = await self._open_toolbox(stack)
            await self._open_turns(parts, stack)
            await self._connect_body(stack)
            await self._prepare_speech(stack)
            if self._owner:  # a short-lived mind does not wait for its brain
                self.thinking.prepare(self.turns.blank(), stack)
            self._stack = stack.pop_all()
        self._state.change("ready")

    async def shutdown(self) -> None:
        """Interrupt the turn under way and close everything, in reverse order."""
        stack, self._stack = self._stack, None
        if stack is None:
            return
        self._state.change("shutdown")
        await self.turns.interrupt()
        await stack.aclose()

    def at_shutdown(self, close: Callable[[], Awaitable[None]]) -> None:
        """Await `close` first thing in the shutdown: for parts of rooms above. Raises NotReady when not running."""
        self._require_session()
        assert self._stack is not None
        self._stack.push_async_callback(close)

    def _require_session(self) -> None:
        if self._stack is None:
            raise NotReady("this mind is not running", hint="async with mind.session()")

    async def _open_toolbox(self, stack: contextlib.AsyncExitStack) -> ToolboxParts:
        """The gate, what is behind it, the profile, and the settings that change while the mind runs."""
        from reachy_mind.config.preferences import Preferences  # noqa: PLC0415
        from reachy_mind.developer.factory import open_developer  # noqa: PLC0415
        from reachy_mind.profiles.active import ActiveProfile  # noqa: PLC0415
        from reachy_mind.tools.factory import build_toolbox  # noqa: PLC0415
        from reachy_mind.workshop.factory import open_workshop  # noqa: PLC0415

        configuration = self.configuration
        parts = await build_toolbox(configuration, self.bus, stack, owner=self._owner, keep_content=self._remembers)
        self.toolbox, self.confirmations = parts.toolbox, parts.confirmations
        self.repertoire, self.tasks, self.timers = parts.repertoire, parts.tasks, parts.timers
        self.personality = self.toolbox.parts.personalities = ActiveProfile(
            configuration.home, self.toolbox.registry, self.bus, adopt=self._adopt_profile, say=self._say
        )
        stack.callback(self.personality.close)
        made = await open_workshop(configuration, self.toolbox, stack, owner=self._owner, author=self._author)
        self.workshop, self.generated = made.workshop, made.generated
        await open_developer(configuration, self.toolbox, stack)
        live: dict[str, Callable[[Any], None]] = {
            "robot.idle": lambda on: self.idle.resume() if on else self.idle.pause(),
            "tools.confirm_s": lambda seconds: setattr(self.confirmations, "timeout_s", seconds),
            "speech.voice": lambda engine: self.speech.change_settings(voice=engine),
            "speech.voice_name": lambda name: self.speech.change_settings(voice_name=name),
        }
        self.preferences = self.toolbox.parts.preferences = Preferences(
            configuration, live, changed=lambda new: setattr(self, "configuration", new)
        )
        await self.personality.begin(configuration.settings.mind.profile)
        return parts

    async def _open_turns(self, parts: ToolboxParts, stack: contextlib.AsyncExitStack) -> None:
        """What people say to it, and what it keeps of that."""
        from reachy_mind.conversation.factory import open_records  # noqa: PLC0415
        from reachy_mind.conversation.turns import Turns  # noqa: PLC0415
        from reachy_mind.conversation.unfinished_work import unfinished_work  # noqa: PLC0415
        from reachy_mind.mcp.remote_servers import RemoteServers  # noqa: PLC0415
        from reachy_mind.memory.people import person_id  # noqa: PLC0415
        from reachy_mind.workshop.shelf.requests import PersonRequests  # noqa: PLC0415

        records = await open_records(self.configuration, parts, self.bus, stack, remembers=self._remembers)
        self.conversations, self.feedback = records.conversations, records.feedback
        self.memory = self.toolbox.parts.memory = records.memory
        stack.callback(setattr, self, "memory", None)
        if self.memory is not None:
            self.memory.erasure.stores["tool requests"] = PersonRequests(self.generated.shelf, person_id)
        self.turns = Turns(
            lambda: self.feedback.revising(self.thinking.brain()),
            self.toolbox,
            self.conversations,
            self.bus,
            profile=self.profile,
            personalities=self.personality.names,
            on_phase=self._phase_changed,
            memory=self.memory,
            context=lambda: self.sight.context() | {"picture": self.sight.picture},
            timers=self.timers,
        )
        self.toolbox.on_stop = self.turns.stopped
        if self._owner:  # short-lived minds may run beside the owner: only that one recovers
            self.interrupted = await unfinished_work(parts, self.conversations)
            remotes = RemoteServers(self.configuration.home, self.toolbox.registry)
            self.remotes = await stack.enter_async_context(remotes)
        listener = asyncio.create_task(self._state.follow(self.conversations), name="mind listener")
        stack.push_async_callback(cancel_and_wait, listener)

    async def _connect_body(self, stack: contextlib.AsyncExitStack) -> None:
        from reachy_mind.eyes.factory import open_sight  # noqa: PLC0415
        from reachy_mind.eyes.photos import PersonPhotos  # noqa: PLC0415
        from reachy_mind.memory.people import person_id  # noqa: PLC0415
        from reachy_mind.tools.acts import FOLLOWING, TAKE_PICTURE  # noqa: PLC0415

        self.motion, self.media = await robot_connection.connect(self.configuration, self.bus, self.simulator, stack)
        self.toolbox.parts.motion, decisions = self.motion, self.toolbox.decisions
        self.sight = self.toolbox.parts.sight = await open_sight(
            self.configuration,
            self.media,
            self.motion,
            self.bus,
            stack,
            busy=lambda: self.doing != "ready" or not decisions.free(TAKE_PICTURE),
            may_follow=lambda: decisions.allowed(FOLLOWING),
        )
        if self.memory is not None:
            self.memory.erasure.stores["photos"] = PersonPhotos(self.sight.photos, person_id)

    async def _prepare_speech(self, stack: contextlib.AsyncExitStack) -> None:
        """Prepare speech to text and text to speech; `speech.start` opens the spoken conversation."""
        from reachy_mind.conversation.voice import VoiceParts, VoiceService  # noqa: PLC0415
        from reachy_mind.motion.voice_directions import VoiceDirections  # noqa: PLC0415

        directions = None
        if self.motion is not None:
            directions = await stack.enter_async_context(VoiceDirections(self.motion))
        parts = VoiceParts(
            configuration=self.configuration,
            media=self.media,
            bus=self.bus,
            turns=self.turns,
            brain=self.thinking,
            confirmations=self.confirmations,
            registry=self.toolbox.registry,
            motion=lambda: self.motion,
            announcements=self.timers.announcements,
            sight=self.sight,
            directions=directions,
            memory=self.memory,
        )
        self.speech = self.toolbox.parts.voice = await stack.enter_async_context(VoiceService(parts))

    @property
    def state(self) -> State:
        return self._state.state

    @property
    def doing(self) -> TurnPhase:
        """What is done about the latest turn."""
        return self.turns.phase

    def _phase_changed(self, phase: TurnPhase) -> None:
        self.idle.show(phase)
        self._pondering.show(phase)
        self._state.show(phase)

    def _model_ready(self, name: str) -> None:
        """A model was pulled while the mind runs: a brain that lacks it loads it, and uses it when it is quiet."""
        if name in CHAT_MODELS and self.thinking.lacks_model and self._stack is not None:
            self.thinking.reconsider(self.turns.blank())
        if self.pulls.store.asset(name).task == "speech" and self._stack is not None:
            self.speech.choose_voice()

    def announce(self) -> None:
        """Start to announce due timers and reminders. Call it once there is a listener."""
        self.timers.start()

    # Profile

    @property
    def profile(self) -> Profile:
        """The profile in use."""
        return self.personality.current

    async def use_profile(self, name: str, *, keep: bool = False) -> Profile:
        """Switch the profile from the next turn on; `keep`: also at the next start.

        Raises UnknownProfile and BrokenProfile, and then changes nothing.
        """
        self._require_session()
        return await self.personality.use(name, keep=keep)

    async def _adopt_profile(self, profile: Profile) -> None:
        self.turns.profile = profile
        await self.speech.speak_as(profile.voice, profile.speed, profile.mood)

    async def _say(self, text: str) -> None:
        """Say it aloud, if a spoken conversation is open at the robot."""
        if self.speech.talking is not None:
            await self.speech.talking.say(text)

    # Turns

    async def ask(self, text: str, **options: Unpack[TurnOptions]) -> Response:
        """Answer what a person said; a failure is in the response's `error`. Raises InvalidParameter, TooMany."""
        from reachy_mind.conversation.response import Response  # noqa: PLC0415

        async for event in self.stream(text, **options):
            if isinstance(event, Response):
                return event
        raise NotReady("the mind was shut down")

    async def stream(self, text: str, **options: Unpack[TurnOptions]) -> AsyncGenerator[TurnEvent, None]:
        """The events of a turn as they come, the response last."""
        self._require_session()
        if not self.thinking.loaded:
            await asyncio.to_thread(self.thinking.brain)
        async with contextlib.aclosing(self.turns.take(text, **options)) as events:
            async for event in events:
                yield event

    # The body, through the gate

    def body(self) -> Motion:
        if self.motion is None:
            raise NotReady("there is no robot", hint="start with --robot sim or --robot HOST")
        return self.motion

    def eye(self) -> OnDemandCamera:
        """The robot's camera. Raises NotReady with the reason when there is none."""
        self._require_session()
        return self.sight.require_camera()

    def robot(self) -> dict[str, Any]:
        """What the robot reported last. Raises LinkLost while it can't be reached."""
        from reachy_mind.tools.builtin.exact_commands import report  # noqa: PLC0415

        return report(self.body())

    async def act(self, name: str, args: dict[str, Any] | None = None, caller: Caller | None = None) -> dict[str, Any]:
        """Call one tool for a person. Raises ToolError with the error of the gate or the tool."""
        from reachy_mind.tools.definition import ToolError  # noqa: PLC0415

        outcome = await self.toolbox.call(name, args or {}, caller=caller)
        if outcome.error is not None:
            raise ToolError(outcome.error["code"], outcome.error["message"], hint=outcome.error["hint"])
        return dict(outcome.data)

    async def stop(self, caller: Caller | None = None) -> dict[str, Any]:
        """Stop every movement at once."""
        result = await self.act("robot.stop", caller=caller)
        return {"command": "stop"} | self.robot() | {"message": result.get("message", "stopped"), "clamped": []}
