"""`SpokenConversation`: a spoken conversation: what is heard becomes a turn, and its reply is spoken.

It listens and speaks through the robot or through other media, moves with the voice, and asks for confirmations aloud.
Import it in a thread, through `voice.load_spoken`: pipecat is heavy.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from reachy_mind.body.media import SAMPLE_RATE_HZ, Media
from reachy_mind.brains.brain import Said
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.conversation.ask_back import Decision
from reachy_mind.conversation.events import SpokenState, TurnEvent, VoiceEvent
from reachy_mind.conversation.hearing import Hearing
from reachy_mind.conversation.reply_speech import ReplySpeech
from reachy_mind.conversation.response import INTERRUPTED, Response
from reachy_mind.conversation.speakers import Speakers
from reachy_mind.conversation.speech_options import speech_options
from reachy_mind.conversation.spoken_announcements import SpokenAnnouncements
from reachy_mind.conversation.spoken_status import SpokenStatus
from reachy_mind.conversation.stop_words import SpokenStops
from reachy_mind.conversation.voice_confirmations import VoiceConfirmations
from reachy_mind.conversation.wake_gate import WakeGate
from reachy_mind.errors import MindError, NotReady
from reachy_mind.events import Announced, ConfirmationAsked, VoiceChanged
from reachy_mind.memory import name_denials
from reachy_mind.memory.fact_extraction import introduction
from reachy_mind.motion.speech_playback import SpeechPlayback
from reachy_mind.speech import engines
from reachy_mind.speech.delegate import MicrophoneState, SpeechDelegate
from reachy_mind.speech.events import RobotSpeech, SpeechEvent, UserSpeech
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.speech.keyword_decision import WAKE_WORD
from reachy_mind.speech.keyword_model import STOP_PHRASES, HeardKeyword, KeywordDetector
from reachy_mind.speech.phrases import listening
from reachy_mind.speech.pipeline import SpeechPipeline
from reachy_mind.speech.transcriber import Alternative, Transcriber
from reachy_mind.speech.voice_cache import CachedVoice
from reachy_mind.speech.voices import Voice
from reachy_mind.speech.wake_word import WakeWordListener
from reachy_mind.tools.act_table import has_scope

if TYPE_CHECKING:
    from reachy_mind.conversation.voice import VoiceParts

MICROPHONE_TIMEOUT_S = 10.0
"""How long `switch` waits for the microphone to open or close."""
PRESENCE_S = 120.0
"""After somebody said something at the robot, they are taken to be there for this time."""


class SpokenConversation(SpeechDelegate):
    """Use as `async with`. Raises NotReady with what to do when a service or the wake word can't be had, and
    InvalidParameter for one that does not exist.

    `ears`, `voice` and `keywords` are closed by the caller. `media`: where to listen and speak; without, it is the
    robot's, and only then the body moves along and `VoiceChanged` is published. `microphone_off`: the microphone stays
    closed until it is switched on. `always_awake`: no wake word is needed. `confirms`: the person may be asked for
    confirmations. `scopes`: those of the client, which limit what is done about what is said; None: no limit.
    """

    def __init__(
        self,
        parts: VoiceParts,
        ears: Transcriber,
        voice: CachedVoice,
        *,
        keywords: KeywordDetector | None = None,
        media: Media | None = None,
        conversation: str | None = None,
        microphone_off: bool = False,
        always_awake: bool = False,
        confirms: bool = True,
        scopes: frozenset[str] | None = None,
        on_event: Callable[[VoiceEvent], None] = lambda event: None,  # noqa: ARG005
    ) -> None:
        self._parts, self._ears, self._voice, self._at_robot = parts, ears, voice, media is None
        self._settings = parts.configuration.settings.speech
        self._stack = contextlib.AsyncExitStack()
        self.conversation = conversation or uuid4().hex
        self._scopes = scopes
        self._person = ""
        """The name by which the person introduced themselves: who confirmed something. Memory finds out who speaks."""
        self._speakers = Speakers(*((parts.directions, parts.sight) if self._at_robot else (None, None)))
        self._heard_at = -math.inf
        """When somebody said something last, a monotonic time."""
        self._recording = 0
        """How many callers of `transcribe` listen: what is said then is no turn."""
        brain = parts.brain.speech_to_speech()
        self._remote = brain.attending(self.conversation) if brain is not None else None
        self._wake_gate = WakeGate(self._settings, always_awake=always_awake)
        self._wake_word = None if always_awake else engines.wake_word(parts.configuration)
        self._confirmations = VoiceConfirmations(
            parts.confirmations, self.conversation, at_robot=self._at_robot, enabled=confirms
        )
        self._reply_speech = ReplySpeech(
            self._settings.language,
            parts.registry,
            lambda: parts.turns.phase,
            at_robot=self._at_robot,
            moods=self._settings.moods,
        )
        self._hearing = Hearing(
            parts,
            self.conversation,
            self._settings.language,
            remembers=has_scope(scopes, "read"),
            pending=lambda: bool(self._confirmations.pending),
        )
        self._status = SpokenStatus(self.conversation, on_event, lambda: self._speech.microphone)
        self._keywords = keywords
        self._stops = SpokenStops(self._stop_turn, self._status.emit)
        self._microphone_changed = asyncio.Event()
        listener = WakeWordListener(self._wake_word, self._wake_gate.woken) if self._wake_word else None
        options = speech_options(
            parts, called=self._wake_gate.by_word, wake_word=listener, keywords=keywords, remote=self._remote
        )
        self._speech: SpeechPipeline = SpeechPipeline(media or parts.media, ears, voice, self, options)
        if microphone_off:
            self.listen(on=False)

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            warming = [self._ears.warm(), self._voice.warm()]
            if self._wake_word is not None:
                stack.push_async_callback(self._wake_word.aclose)
                warming.append(self._wake_word.warm())
            if self._keywords is not None:
                warming.append(self._keywords.warm())
            stack.push_async_callback(self._stops.aclose)
            await asyncio.gather(*warming)
            if self._remote is not None:
                await stack.enter_async_context(self._remote)
            stack.enter_context(self._confirmations.channel())
            events = stack.enter_context(self._parts.bus.subscribe(ConfirmationAsked, Announced))
            announcements = SpokenAnnouncements(
                self.conversation,
                self._confirmations,
                self._parts.announcements,
                self.say,
                self._is_heard,
                self._scopes,
            )
            announcing = asyncio.create_task(announcements.speak(events), name="spoken announcements")
            stack.push_async_callback(cancel_and_wait, announcing)
            await stack.enter_async_context(self._speech)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    # For tools, routes and commands

    @property
    def state(self) -> SpokenState:
        return self._status.state

    @property
    def latency(self) -> Mapping[str, float]:
        """Milliseconds by stage (`speech.latency`) from the end of a person's voice to the start of the last answer."""
        return self._speech.stages.last

    async def say(self, text: str) -> None:
        """Speak, after what is being said."""
        await self._speech.say(text)

    async def take(self, heard: Heard) -> None:
        """Answer a turn aloud that was not said aloud; an answer that is under way is dropped."""
        await self._speech.take(heard)

    async def speak(self, text: str, voice: Voice | None = None) -> str | None:
        """Speak and wait until it was played. Returns the words that were heard if it was interrupted, else None.
        Raises NotReady."""
        return await self._speech.speak(text, voice)

    async def transcribe(self, seconds: float) -> str:
        """What is said in that time: it is no turn, and interrupts nothing. Raises NotReady without a microphone."""
        if self._speech.microphone != "open":
            raise NotReady(
                f"the microphone is {self._speech.microphone}",
                hint=self._status.microphone_trouble or "switch it on: set_microphone",
            )
        self._recording += 1
        try:
            with self._speech.recording() as recording:
                await asyncio.sleep(seconds)
            transcript = await self._ears.transcribe(bytes(recording), language=self._settings.language)
        finally:
            self._recording -= 1
        return transcript.text

    async def interrupt(self) -> None:
        """Stop speaking now, and give up the answer."""
        await self._speech.interrupt()

    def listen(self, *, on: bool) -> None:
        """Open or close the microphone."""
        self._speech.listen(on=on)

    async def switch(self, *, on: bool) -> str:
        """Open or close the microphone, and wait until it is. Returns its state then."""
        self.listen(on=on)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(MICROPHONE_TIMEOUT_S):
                while self._speech.microphone not in (("open", "lost") if on else ("off",)):
                    self._microphone_changed.clear()
                    await self._microphone_changed.wait()
        return self._speech.microphone

    @property
    def lost_s(self) -> float:
        """Seconds of sound that the microphone lost since it was opened."""
        return self._speech.lost_s

    def described(self) -> dict[str, Any]:
        return {
            "microphone": self._speech.microphone,
            "doing": self._status.activity,
            "speaking": self._speech.speaking,
            "awake": self.awake,
            "ears": self._ears.name,
            "voice": self._voice.name,
            "trouble": self._status.microphone_trouble,
            "session_id": self.conversation,
        }

    # The speech pipeline's delegate

    def _is_heard(self) -> bool:
        """Whether somebody is there to hear what is said; at the robot, whoever said something lately is."""
        return not self._at_robot or time.monotonic() - self._heard_at < PRESENCE_S

    def _named(self, text: str) -> str:
        """Who speaks, after what they said of their name: it is theirs, or it is not."""
        if name_denials.denied(text) is not None:
            return ""
        return introduction(text) or self._person

    async def respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        self._heard_at = time.monotonic()
        text = self._wake_gate.addressed(heard)
        self._status.heard(heard)
        if text is None:
            return
        decision = await self._decision(text, heard)
        if decision.reply:
            self._status.emit(Response(decision.reply))
            yield Say(decision.reply, whole=True)
        if not decision.text:
            return
        text, heard = decision.text, self._speakers.located(heard)
        self._person = self._named(text)
        self._wake_gate.stay_awake()
        self._status.thinking(active=True)
        said: list[str] = []
        response: Response | None = None
        try:
            async with (
                contextlib.aclosing(self._turn(text, heard)) as events,
                contextlib.aclosing(self._reply_speech.spoken(events, acknowledge=not self._server_speaks)) as pieces,
            ):
                async for piece in pieces:
                    if isinstance(piece, Response):
                        response = piece
                        self._status.emit(response)
                        if response.error and response.error["code"] != INTERRUPTED["code"]:
                            yield Say(f" {response.error['message']}.")
                        continue
                    if piece.text:
                        said.append(piece.text)
                        self._status.emit(Said(piece.text))
                    yield piece
            self._wake_gate.stay_awake()
        finally:
            if response is None:
                self._status.emit(Response("".join(said).strip(), error=INTERRUPTED))
            self._status.thinking(active=False)

    async def _decision(self, text: str, heard: Heard) -> Decision:
        """What to do about these words: they may be too unsure to act on."""
        if not text:  # it was only called
            return Decision(reply=listening(self._settings.language))
        return await self._hearing.decision(text, heard, called=self._wake_gate.called(heard))

    def _turn(self, text: str, heard: Heard) -> AsyncGenerator[TurnEvent, None]:
        context = {
            "spoken": True,
            "continues": heard.continues,
            "voice_began_at": heard.began_at,
            "items": heard.items,
            "sounded": heard.sounded,
            "direction": heard.direction,
            "released": heard.released,
        }
        return self._parts.turns.take(
            text,
            conversation=self.conversation,
            person=self._speakers.person(text, heard),
            heard=heard.reply_heard,
            context=context,
            scopes=self._scopes,
        )

    @property
    def _server_speaks(self) -> bool:
        """A brain that hears and speaks itself is connected."""
        return self._remote is not None and self._remote.present

    async def end_of_turn_probability(self, text: str) -> float:
        return await self._parts.brain.end_of_turn_probability(text)

    async def expected_words(self) -> Sequence[str]:
        return await self._hearing.expected_words()

    async def chosen(self, alternatives: Sequence[Alternative]) -> Alternative:
        return await self._hearing.chosen(alternatives)

    @property
    def keywords(self) -> frozenset[str]:
        waits = self._wake_gate.by_word and self._settings.wake_word == WAKE_WORD
        called = frozenset({WAKE_WORD}) if waits else frozenset()
        stops = self._settings.stop_words and self._stoppable
        return called | frozenset(STOP_PHRASES) if stops else called

    @property
    def _stoppable(self) -> bool:
        """Whether there is something to stop; what is dictated to a tool stops nothing."""
        return not self._recording and (self._speech.speaking or self._moves or self._parts.turns.phase != "ready")

    @property
    def _moves(self) -> bool:
        """Whether the robot moves; one that can't be reached may."""
        motion = self._parts.motion()
        try:
            return motion is not None and motion.state.busy
        except MindError:
            return True

    def keyword_heard(self, word: HeardKeyword) -> bool:
        if word.name == WAKE_WORD:
            self._wake_gate.woken(word.at)
            return False
        self._heard_at = time.monotonic()
        self._stops.act(word)
        return True

    def _stop_turn(self, text: str) -> AsyncGenerator[TurnEvent, None]:
        context = {"spoken": True}
        return self._parts.turns.take(text, conversation=self.conversation, context=context, scopes=self._scopes)

    @property
    def awake(self) -> bool:
        return self._wake_gate.awake

    @property
    def awaits_reply(self) -> bool:
        return bool(self._recording or self._confirmations.pending)

    def is_side_remark(self, heard: Heard) -> bool:
        if self._recording or self._stops.repeats(heard):
            return True
        if not self._confirmations.answer(heard):
            return False
        self._status.heard(heard)
        return True

    def motion_sync(self) -> SpeechPlayback | None:
        motion = self._parts.motion() if self._at_robot else None
        return SpeechPlayback(motion, SAMPLE_RATE_HZ) if motion is not None else None

    def microphone_changed(self, state: MicrophoneState, reason: str) -> None:
        trouble = reason if state == "lost" else ""
        self._microphone_changed.set()
        if self._at_robot:
            self._parts.bus.publish(VoiceChanged(microphone=state, reason=trouble))
        self._status.microphone_changed(trouble)

    def failed(self, reason: str) -> None:
        self._status.failed(reason)

    def observed(self, event: SpeechEvent) -> None:
        if isinstance(event, UserSpeech | RobotSpeech):
            self._speakers.observed(event, awake=self.awake, robot_speaks=self._speech.speaking)
        self._status.observed(event)
