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
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from reachy_mind import log
from reachy_mind.brains.active import ActiveBrain
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration, load
from reachy_mind.conversation import tracing
from reachy_mind.errors import MindError, NotReady
from reachy_mind.events import Announced, BrainChanged, Bus, LinkChanged, MindChanged, TurnPhase
from reachy_mind.models import worker_liveness
from reachy_mind.models.catalogue.chat import CHAT_MODELS
from reachy_mind.models.pulls import Pulls
from reachy_mind.models.robot_description import compiled_folder, description
from reachy_mind.models.store import Store
from reachy_mind.motion.activity import IdleSwitch, ThinkingPosture
from reachy_mind.sim.launch import Simulator
from reachy_mind.storage.database import IN_MEMORY, Database

if TYPE_CHECKING:
    from reachy_mind.body.address import Address
    from reachy_mind.body.media import Media
    from reachy_mind.body.media.on_demand_camera import OnDemandCamera
    from reachy_mind.brains.brain import Brain
    from reachy_mind.brains.upgrade import UpgradeState
    from reachy_mind.config.preferences import Preferences
    from reachy_mind.conversation.client_side import ClientSide
    from reachy_mind.conversation.events import TurnEvent
    from reachy_mind.conversation.response import Response
    from reachy_mind.conversation.turns import Turns
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
    from reachy_mind.tools.confirmations import Confirmations
    from reachy_mind.tools.context import Caller
    from reachy_mind.tools.tasks import Tasks
    from reachy_mind.tools.timers import Timers
    from reachy_mind.tools.toolbox import Toolbox
    from reachy_mind.workshop.author.author import ToolAuthor
    from reachy_mind.workshop.generated_tools import ShelfTools
    from reachy_mind.workshop.workshop import Workshop

State = Literal["initializing", "ready", "processing", "error", "shutdown"]

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
        self.state: State = "shutdown"
        self.idle, self._pondering = IdleSwitch(lambda: self.motion), ThinkingPosture(lambda: self.motion)
        self.interrupted: list[str] = []
        """What the last run left unfinished, in words."""
        self._remembers = memory
        self._owner, self._thinks, self._author = owner, thinks, author
        own = None if isinstance(brain, str) else brain
        self.thinking = ActiveBrain(self.configuration, own, self._brain_changed)
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
        self._change("initializing")
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(worker_liveness.listen(self.bus.publish))
            stack.push_async_callback(self.thinking.aclose)
            stack.push_async_callback(self.pulls.aclose)
            self.simulator = await _start_simulator(self.configuration, stack)
            # Imports overlap with the start of the simulator: each takes a second.
            await asyncio.to_thread(importlib.import_module, "reachy_mind.tools.factory")
            if self._thinks:
                await asyncio.to_thread(self.thinking.brain)
            await self._open(stack)
            await self._connect_body(stack)
            await self._prepare_speech(stack)
            if self._owner:  # a short-lived mind does not wait for its brain
                self.thinking.prepare(self.turns.blank(), stack)
            self._stack = stack.pop_all()
        self._change("ready")

    async def shutdown(self) -> None:
        """Interrupt the turn under way and close everything, in reverse order."""
        stack, self._stack = self._stack, None
        if stack is None:
            return
        self._change("shutdown")
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

    async def _open(self, stack: contextlib.AsyncExitStack) -> None:
        from reachy_mind.brains.reflex.vocabulary import vocabulary  # noqa: PLC0415
        from reachy_mind.config.preferences import Preferences  # noqa: PLC0415
        from reachy_mind.conversation.past_turns import earlier  # noqa: PLC0415
        from reachy_mind.conversation.turns import Turns  # noqa: PLC0415
        from reachy_mind.developer.factory import open_developer  # noqa: PLC0415
        from reachy_mind.feedback.factory import open_feedback  # noqa: PLC0415
        from reachy_mind.mcp.remote_servers import RemoteServers  # noqa: PLC0415
        from reachy_mind.memory.conversations import Conversations  # noqa: PLC0415
        from reachy_mind.memory.factory import open_memory  # noqa: PLC0415
        from reachy_mind.memory.people import person_id  # noqa: PLC0415
        from reachy_mind.profiles.active import ActiveProfile  # noqa: PLC0415
        from reachy_mind.tools.factory import build_toolbox  # noqa: PLC0415
        from reachy_mind.workshop.factory import open_workshop  # noqa: PLC0415
        from reachy_mind.workshop.shelf.requests import PersonRequests  # noqa: PLC0415

        configuration = self.configuration
        if (spans := tracing.exporter(configuration)) is not None:
            await stack.enter_async_context(tracing.Tracing(self.bus, spans))
        parts = await build_toolbox(configuration, self.bus, stack, owner=self._owner, keep_content=self._remembers)
        self.toolbox, self.confirmations = parts.toolbox, parts.confirmations
        self.repertoire, self.tasks, self.timers = parts.repertoire, parts.tasks, parts.timers
        database = parts.database if self._remembers else await stack.enter_async_context(Database(IN_MEMORY))
        self.conversations = Conversations(database)
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
        }
        self.preferences = self.toolbox.parts.preferences = Preferences(
            self.configuration, live, changed=lambda new: setattr(self, "configuration", new)
        )
        await self.personality.begin(configuration.settings.mind.profile)
        if self._remembers:
            stack.callback(setattr, self, "memory", None)
            self.memory = self.toolbox.parts.memory = await open_memory(configuration, database, stack)
            self.memory.erasure.everyday_words = vocabulary
            self.memory.erasure.stores["tool requests"] = PersonRequests(self.generated.shelf, person_id)
            self.memory.erasure.afterwards += [self.toolbox.forget_ended, self.tasks.drop_erased]
        self.feedback = await open_feedback(
            configuration, database, self.bus, self.toolbox, earlier(self.conversations), stack
        )
        if self.memory is not None:
            self.memory.erasure.afterwards += [self.feedback.turn_feedback.forget_unread, self.feedback.service.load]
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
            unfinished, cut = await parts.interrupted(), await self.conversations.recover()
            self.interrupted = unfinished + [f"the answer to {turn.said[:60]!r}" for turn in cut]
            if self.interrupted:  # without what people said
                _log.warning("the last run left work unfinished", interrupted=unfinished, answers=len(cut))
            remotes = RemoteServers(configuration.home, self.toolbox.registry)
            self.remotes = await stack.enter_async_context(remotes)
        listener = asyncio.create_task(self._listen(), name="mind listener")
        stack.push_async_callback(cancel_and_wait, listener)

    async def _connect_body(self, stack: contextlib.AsyncExitStack) -> None:
        from reachy_mind.body.media.on_demand_camera import OnDemandCamera  # noqa: PLC0415
        from reachy_mind.body.media.providers import choose, provide  # noqa: PLC0415
        from reachy_mind.eyes.photos import PersonPhotos  # noqa: PLC0415
        from reachy_mind.eyes.sight import Sight  # noqa: PLC0415
        from reachy_mind.memory.people import person_id  # noqa: PLC0415
        from reachy_mind.motion.factory import open_motion  # noqa: PLC0415
        from reachy_mind.tools.acts import FOLLOWING, TAKE_PICTURE  # noqa: PLC0415
        from reachy_mind.tools.definition import Tier  # noqa: PLC0415

        settings = self.configuration.settings
        address = await _locate(settings.robot.address, self.simulator)
        if address is not None:
            motion = await open_motion(self.configuration, self.bus, address, stack)
            self.motion = self.toolbox.parts.motion = motion
            await motion.wait_connected(settings.robot.connect_timeout_s)
        self.media = provide(await choose(settings, address), settings, address)
        _log.debug("media", provider=self.media.provider, reason=self.media.reason)
        camera = None
        if settings.eyes.camera:
            camera = await stack.enter_async_context(OnDemandCamera(self.media.camera))
        busy = lambda: self.doing != "ready" or not self.toolbox.decisions.free(TAKE_PICTURE)  # noqa: E731
        sight = Sight(self.configuration, self.media, self.bus, camera=camera, motion=self.motion, busy=busy)
        sight.gaze.allowed = lambda: self.toolbox.decisions.acts(FOLLOWING).tier < Tier.FORBIDDEN
        self.sight = self.toolbox.parts.sight = await stack.enter_async_context(sight)
        if self.memory is not None:
            self.memory.erasure.stores["photos"] = PersonPhotos(self.sight.photos, person_id)

    async def _prepare_speech(self, stack: contextlib.AsyncExitStack) -> None:
        """Prepare speech to text and text to speech; `speech.start` opens the spoken conversation."""
        from reachy_mind.conversation.voice import VoiceParts, VoiceService  # noqa: PLC0415

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
        )
        self.speech = self.toolbox.parts.voice = await stack.enter_async_context(VoiceService(parts))

    async def _listen(self) -> None:
        """Store announcements in their conversation; the state is `error` while the robot is lost."""
        with self.bus.subscribe(Announced, LinkChanged) as events:
            async for event in events:
                if isinstance(event, Announced) and event.conversation:
                    with contextlib.suppress(MindError):
                        await self.conversations.add_announcement(event.conversation, event.text)
                elif isinstance(event, LinkChanged) and self.state in ("ready", "processing", "error"):
                    lost = event.status in ("lost", "refused")
                    self._change("error" if lost else "ready", event.reason)

    @property
    def doing(self) -> TurnPhase:
        """What is done about the latest turn."""
        return self.turns.phase

    def _phase_changed(self, phase: TurnPhase) -> None:
        self.idle.show(phase)
        self._pondering.show(phase)
        if self.state in ("ready", "processing"):
            self._change("ready" if phase == "ready" else "processing")

    def _change(self, state: State, reason: str = "") -> None:
        if state != self.state:
            self.state = state
            self.bus.publish(MindChanged(state=state, reason=reason))

    def _model_ready(self, name: str) -> None:
        """A model was pulled while the mind runs: a brain that lacks it loads it, and uses it when it is quiet."""
        if name in CHAT_MODELS and self.thinking.lacks_model and self._stack is not None:
            self.thinking.reconsider(self.turns.blank())

    def _brain_changed(self, state: UpgradeState, about: str) -> None:
        _log.info(f"brain {state}", thinking=about)
        self.bus.publish(BrainChanged(state=state, thinking=about))

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
        await self.speech.speak_as(profile.voice, profile.speed)

    async def _say(self, text: str) -> None:
        """Say it aloud, if a spoken conversation is open at the robot."""
        if self.speech.talking is not None:
            await self.speech.talking.say(text)

    # Turns

    async def ask(
        self,
        text: str,
        *,
        conversation: str | None = None,
        person: str = "",
        context: dict[str, Any] | None = None,
        scopes: frozenset[str] | None = None,
    ) -> Response:
        """Answer what a person said; a failure is in the response's `error`. Raises InvalidParameter, TooMany."""
        from reachy_mind.conversation.response import Response  # noqa: PLC0415

        turn = self.stream(text, conversation=conversation, person=person, context=context, scopes=scopes)
        async for event in turn:
            if isinstance(event, Response):
                return event
        raise NotReady("the mind was shut down")

    async def stream(
        self,
        text: str,
        *,
        conversation: str | None = None,
        person: str = "",
        heard: str | None = None,
        context: dict[str, Any] | None = None,
        scopes: frozenset[str] | None = None,
        client: ClientSide | None = None,
    ) -> AsyncGenerator[TurnEvent, None]:
        """The events of a turn as they come, the response last. `heard`: the part of the last reply that was played,
        when it was interrupted; `scopes`: those of whoever says it, None without a limit; `client`: what the program
        brings along that passes it on."""
        self._require_session()
        if not self.thinking.loaded:
            await asyncio.to_thread(self.thinking.brain)
        turn = self.turns.take(
            text,
            conversation=conversation,
            person=person,
            heard=heard,
            context=context,
            scopes=scopes,
            client=client,
        )
        async with contextlib.aclosing(turn) as events:
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

    def described(self) -> dict[str, Any]:
        """The state of the mind, for people and programs."""
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


async def _start_simulator(configuration: Configuration, stack: contextlib.AsyncExitStack) -> Simulator | None:
    """Begin to start a simulator until `stack` closes; None when the robot is not simulated."""
    settings = configuration.settings
    if settings.robot.address != "sim":
        return None
    level = "warning" if settings.log.level == "info" else settings.log.level
    cache = compiled_folder(configuration)
    simulator = Simulator(description(configuration), cache, settings.robot.scene, log_level=level)
    return await stack.enter_async_context(simulator)


async def _locate(wanted: str, simulator: Simulator | None) -> Address | None:
    """The robot's address; None when there is to be no robot. Raises WorkerError when the simulator fails."""
    from reachy_mind.body.address import Address  # noqa: PLC0415

    if simulator is not None:
        return Address("127.0.0.1", await simulator.ready())
    return None if wanted == "none" else Address.parse(wanted)
