"""`WyomingConnection`: one peer of the Wyoming services, from its first event to its last.

describe                     info
transcribe, audio            transcript (asr)
synthesize                   audio (tts)
transcript                   handled, not-handled: the mind's answer to what was said (handle)
detect, audio                detection, not-detected (wake)
run-satellite                the robot is a satellite of this peer
"""

from __future__ import annotations

import contextlib
from typing import Any

from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event
from wyoming.handle import Handled, NotHandled
from wyoming.info import Describe
from wyoming.ping import Ping, Pong
from wyoming.satellite import PauseSatellite, RunSatellite
from wyoming.tts import Synthesize
from wyoming.wake import Detect, Detection, NotDetected

from reachy_mind import log
from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.errors import InvalidParameter, LinkLost, MindError, NotReady, TooMany
from reachy_mind.home_assistant import wyoming_audio, wyoming_info
from reachy_mind.home_assistant.satellite import Satellite
from reachy_mind.home_assistant.wyoming_audio import WyomingInput
from reachy_mind.home_assistant.wyoming_stream import WyomingStream
from reachy_mind.mind import Mind
from reachy_mind.models.store import Store
from reachy_mind.speech import wake_word_model
from reachy_mind.speech.transcriber import LONGEST_S
from reachy_mind.speech.wake_word_model import WakeWordDetector

SCOPES = frozenset({"talk"})
"""What a peer may do: nobody knows who it is."""
LONGEST_TEXT = 5000
LONGEST_BYTES = int(LONGEST_S) * 2 * SAMPLE_RATE_HZ

_log = log.get(__name__)


class WyomingConnection:
    def __init__(self, mind: Mind, stream: WyomingStream) -> None:
        self._mind, self._stream = mind, stream
        self._satellite: Satellite | None = None
        self._input: WyomingInput | None = None
        self._recording = bytearray()
        self._language = ""
        self._detector: WakeWordDetector | None = None
        self._detected = False

    async def serve(self) -> None:
        """Until the peer leaves, or sends what is no event."""
        try:
            while (event := await self._stream.read()) is not None:
                try:
                    await self._take(event)
                except LinkLost:
                    return
                except MindError as error:
                    _log.info("a Wyoming request failed", type=event.type[:40], reason=error.message)
                    await self._fail(error)
                except (KeyError, TypeError, ValueError, AttributeError) as error:  # fields that the package misses
                    await self._fail(InvalidParameter(f"{event.type[:40]}: {type(error).__name__}: {error}"[:200]))
        except InvalidParameter as error:
            await self._fail(error)
        finally:
            await self._end()

    async def _fail(self, error: MindError) -> None:
        text = f"{error.message}; {error.hint}" if error.hint else error.message
        with contextlib.suppress(LinkLost):
            await self._stream.write(Error(text=text, code=error.code).event())

    async def _end(self) -> None:
        if self._satellite is not None:
            await self._satellite.aclose()
        if self._detector is not None:
            await self._detector.aclose()
        await self._stream.aclose()

    async def _take(self, event: Event) -> None:  # noqa: PLR0912 -- one per event
        kind = event.type
        if Describe.is_type(kind):
            await self._stream.write(wyoming_info.described(self._mind).event())
        elif Ping.is_type(kind):
            await self._stream.write(Pong(text=Ping.from_event(event).text).event())
        elif RunSatellite.is_type(kind):
            await self._run_satellite()
        elif self._satellite is not None and not PauseSatellite.is_type(kind):
            await self._satellite.take(event)
        elif PauseSatellite.is_type(kind):
            if self._satellite is not None:
                await self._satellite.aclose()
                self._satellite = None
        elif Transcribe.is_type(kind):
            self._language = Transcribe.from_event(event).language or ""
        elif Synthesize.is_type(kind):
            await self._speak(Synthesize.from_event(event))
        elif Transcript.is_type(kind):
            await self._handle(Transcript.from_event(event))
        elif Detect.is_type(kind):
            await self._listen_for(Detect.from_event(event).names)
        elif AudioStart.is_type(kind):
            self._input, self._detected = WyomingInput(), False
            self._recording.clear()
        elif AudioChunk.is_type(kind):
            await self._hear(AudioChunk.from_event(event))
        elif AudioStop.is_type(kind):
            await self._heard()

    # Speech to text, wake word

    async def _hear(self, chunk: AudioChunk) -> None:
        if self._input is None:
            self._input = WyomingInput()
        pcm = self._input.pcm(chunk)
        if self._detector is not None:
            if not self._detected and await self._detector.hear(pcm) is not None:
                self._detected = True
                await self._stream.write(Detection(name=self._detector.name).event())
            return
        if len(self._recording) + len(pcm) > LONGEST_BYTES:
            self._recording.clear()
            raise InvalidParameter(f"more than {LONGEST_S:g} s of sound", hint="cut it at a pause")
        self._recording += pcm

    async def _heard(self) -> None:
        self._input = None
        if self._detector is not None:
            if not self._detected:
                await self._stream.write(NotDetected().event())
            return
        pcm = bytes(self._recording)
        self._recording.clear()
        ears = self._mind.speech.ears()
        language = self._language.partition("-")[0]
        known = language if language in ears.languages else self._mind.configuration.settings.speech.language
        heard = await ears.transcribe(pcm, language=known)
        await self._stream.write(Transcript(text=heard.text, language=known).event())

    async def _listen_for(self, names: list[str] | None) -> None:
        known = wyoming_info.wake_words(self._mind)
        if not known:
            raise NotReady("there are no wake words here", hint=f"reachy-mind models pull {wake_word_model.ASSET}")
        word = next((name for name in names or known if name in known), known[0])
        if self._detector is not None:
            await self._detector.aclose()
        self._detector = wake_word_model.detector(Store(self._mind.configuration.models_folder), word)

    # Text to speech, the mind's answer

    async def _speak(self, wanted: Synthesize) -> None:
        if not wanted.text or len(wanted.text) > LONGEST_TEXT:
            raise InvalidParameter("nothing to say", hint=f"some words, at most {LONGEST_TEXT} characters")
        name = (wanted.voice.name if wanted.voice is not None else None) or ""
        async with self._mind.speech.speaking_as(name[:100], None) as voice:
            await self._stream.write(AudioStart(SAMPLE_RATE_HZ, 2, 1).event())
            async with contextlib.aclosing(voice.synthesize(wanted.text)) as pieces:
                async for pcm in pieces:
                    for chunk in wyoming_audio.chunks(pcm):
                        await self._stream.write(chunk.event())
            await self._stream.write(AudioStop().event())

    async def _handle(self, said: Transcript) -> None:
        context: dict[str, Any] = said.context or {}
        conversation = str(context.get("conversation_id") or "")[:40]
        try:
            answer = await self._mind.ask(
                said.text, conversation=f"wyoming-{conversation}" if conversation else None, scopes=SCOPES
            )
        except (InvalidParameter, TooMany) as error:
            await self._stream.write(NotHandled(text=error.message).event())
            return
        text = answer.text or (answer.error or {}).get("message", "")
        failed = answer.error is not None or not answer.understood
        told = NotHandled(text=text, context=context) if failed else Handled(text=text, context=context)
        await self._stream.write(told.event())

    async def _run_satellite(self) -> None:
        if self._satellite is not None:
            return
        satellite = Satellite(self._mind, self._stream.write)
        await satellite.open()
        self._satellite = satellite
