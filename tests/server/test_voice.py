"""Ears and mouth over the network: speech to text, text to speech, the robot's own conversation, and calls.

Those who need no robot share one mind: ears take a second to load.
"""

from __future__ import annotations

import asyncio
import io
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect

from reachy_mind.access.tokens import Tokens
from reachy_mind.body.address import Address
from reachy_mind.body.wav import read_pcm
from reachy_mind.config.configuration import load
from reachy_mind.events import TurnEnded, TurnStarted
from reachy_mind.mind import Mind
from reachy_mind.server import voice_socket as calls
from reachy_mind.tools import context
from tests.conftest import MODELS
from tests.fakes.people import Beside, length_s, said, stereo
from tests.server.served import calling, serving
from tests.waiting import until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]

Told = dict[str, Any]
BLOCK = 640
FLAGS = {"mind.brain": "reflex", "robot.address": "none", "robot.idle": False, "speech.voice": "flite"}


def mind(robot: str = "none", **settings: str) -> Mind:
    flags = FLAGS | {"robot.address": robot}
    return Mind(load(flags=flags | {name.replace("__", "."): value for name, value in settings.items()}))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Mind]:
    """A mind without a robot, with ears that are loaded once."""
    home = tmp_path_factory.mktemp("home")
    environ = {"REACHY_MIND_HOME": str(home), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    async with Mind(load(flags=FLAGS, environ=environ, folder=home)).session() as one:
        yield one


@pytest_asyncio.fixture(loop_scope="module")
async def http(shared: Mind) -> AsyncIterator[httpx.AsyncClient]:
    async with calling(shared) as client:
        client.timeout = httpx.Timeout(60)
        yield client


# Speech to text, text to speech


async def test_what_was_made_of_a_text_is_heard_as_that_text(http: httpx.AsyncClient) -> None:
    spoken = await http.post("voice/tts", json={"text": "Hello there, my friend."})
    assert spoken.headers["content-type"] == "audio/wav" and 1 < length_s(spoken.content) < 4
    pcm = read_pcm(spoken.content, 60)
    assert len(pcm) == 2 * 16_000 * length_s(spoken.content)
    faster = await http.post("voice/tts", json={"text": "Hello there, my friend.", "voice": "rms", "speed": 2})
    assert length_s(faster.content) < 0.7 * length_s(spoken.content) and faster.headers["x-voice"] == "flite rms"
    for body, kind in ((spoken.content, "audio/wav"), (pcm, "audio/l16"), (pcm, "application/octet-stream")):
        heard = (await http.post("voice/stt", content=body, headers={"Content-Type": kind})).json()
        assert heard["transcription"] == "Hello there, my friend.", kind
        assert heard["language"] == "en" and heard["duration"] == pytest.approx(length_s(spoken.content), abs=0.01)


@pytest.mark.parametrize(
    ("form", "codec", "kind"),
    [("OGG", "VORBIS", "audio/ogg"), ("OGG", "OPUS", "audio/ogg"), ("MP3", "MPEG_LAYER_III", "audio/mpeg")],
)
async def test_ogg_and_mp3_are_understood_with_a_confidence(
    http: httpx.AsyncClient, form: str, codec: str, kind: str
) -> None:
    import numpy as np
    import soundfile

    pcm = np.frombuffer(await said("What is the weather in Lisbon tomorrow?"), "<i2")
    file = io.BytesIO()
    soundfile.write(file, pcm, 16000, format=form, subtype=codec)
    for headers in ({"Content-Type": kind}, {}):
        heard = (await http.post("voice/stt", content=file.getvalue(), headers=headers)).json()
        assert "weather in Lisbon" in heard["transcription"], heard
        assert 0.5 < heard["confidence"] <= 1 and heard["duration"] == pytest.approx(len(pcm) / 16000, abs=0.2)


async def test_sound_of_another_rate_and_with_two_channels_is_understood(http: httpx.AsyncClient) -> None:
    import numpy as np
    import soxr

    pcm = np.frombuffer(await said("What is the weather in Lisbon tomorrow?"), "<i2")
    for rate in (8000, 44100):
        wav = stereo(soxr.resample(pcm, 16000, rate).tobytes(), rate)
        heard = (await http.post("voice/stt", content=wav)).json()
        assert "weather in Lisbon" in heard["transcription"], rate


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"", "audio/wav", 422),
        (b"", "", 422),
        (b"abc", "application/octet-stream", 422),
        (b"RIFF\x00\x00\x00\x00WAVEfmt nonsense", "audio/wav", 422),
        (b"ID3\x03 some music", "audio/mpeg", 422),
        (b"OggS" + bytes(200), "audio/ogg", 422),
        (b"\xff\xfb\x90\x00" + bytes(50), "audio/mpeg", 422),
        (b"{}", "application/json", 422),
        (bytes(21 << 20), "audio/l16", 413),
        (bytes((20 << 20) - 2), "audio/l16", 422),
    ],
)
async def test_what_is_no_sound_is_refused(http: httpx.AsyncClient, content: bytes, kind: str, status: int) -> None:
    answer = await http.post("voice/stt", content=content, headers={"Content-Type": kind} if kind else {})
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["code"] == "INVALID_PARAMETER" and answer.json()["error"]["hint"]


async def test_noise_and_silence_have_no_words_and_nothing_to_say_has_no_sound(http: httpx.AsyncClient) -> None:
    for noise in (bytes(64000), bytes(range(256)) * 200):
        heard = (await http.post("voice/stt", content=noise)).json()
        assert heard["transcription"] == ""
    assert length_s((await http.post("voice/tts", json={"text": "...!"})).content) == 0
    for wrong in ({}, {"text": ""}, {"text": "x" * 5001}, {"text": "hello", "speed": 9}, {"text": "hello", "pitch": 1}):
        assert (await http.post("voice/tts", json=wrong)).status_code == 422


@pytest.mark.parametrize(
    ("settings", "reason", "hint"),
    [
        ({"speech__ears": "none"}, "speech.ears: none", "auto"),
        ({"speech__voice": "none"}, "speech.voice: none", "auto"),
        ({"speech__language": "xx"}, "language xx", "speech.language"),
        ({"media__provider": "none"}, "microphone", "media.provider=local"),
    ],
)
async def test_what_is_missing_is_told_with_what_to_do(
    robot: Address, settings: dict[str, str], reason: str, hint: str
) -> None:
    async with mind(str(robot), **settings).session() as one, calling(one) as client:
        one.speech.start()
        await one.speech.opened()
        told = (await client.get("voice")).json()
        assert not told["available"] and reason in told["reason"] and hint in told["hint"], told
        assert one.speech.talking is None and told["microphone"] == "off"
        refused = await client.post("voice/microphone", json={"enabled": True})
        assert refused.status_code == 503 and reason in refused.json()["error"]["message"]
        assert (await client.post("voice/microphone", json={"enabled": False})).json()["microphone"] == "off"
        deaf = (await client.post("voice/stt", content=bytes(3200))).status_code
        mute = (await client.post("voice/tts", json={"text": "hello"})).status_code
        broken = {"speech__ears": (503, 200), "speech__voice": (200, 503), "speech__language": (503, 503)}
        assert (deaf, mute) == broken.get(next(iter(settings)), (200, 200))
        assert (await client.get("/readyz", timeout=20)).status_code in (200, 404), "nothing failed"


async def test_it_says_so_when_it_was_not_to_listen(robot: Address) -> None:
    async with mind(str(robot)).session() as one, calling(one) as client:
        one.speech.refuse("run was started with --no-voice", "start it without")
        assert (await client.get("voice")).json()["reason"] == "run was started with --no-voice"
        for tool, args in (("speak", {"text": "hello"}), ("listen", {}), ("set_microphone", {"enabled": True})):
            answer = (await client.post("tools/execute", json={"tool_name": tool, "parameters": args})).json()
            assert answer["error"]["code"] == "NOT_READY" and "--no-voice" in answer["error"]["message"], tool
        assert await Beside(robot).listeners() == 0


# The robot's own conversation


async def test_somebody_beside_the_robot_is_answered_aloud_and_asked_about_what_others_want(robot: Address) -> None:
    person = Beside(robot)
    async with mind(str(robot)).session() as one, calling(one) as client:
        client.timeout = httpx.Timeout(60)
        one.speech.start()
        assert (await client.get("voice")).json()["state"] == "opening", "nobody waits for it"
        await one.speech.opened()
        told = (await client.post("voice/microphone", json={"enabled": True})).json()
        assert (told["microphone"], told["ears"].split()[0], told["voice"]) == ("open", "moonshine", "flite slt")
        one.announce()
        await one.timers.add("reminder", time.time(), "feed the cat")
        await _spoken(client)
        assert len(await one.timers.announcements.missed()) == 1, "it was said to an empty room"
        with one.bus.subscribe(TurnStarted, TurnEnded) as turns:
            await person.say("What time is it?")
            started, ended = await turns.get(), await turns.get()
        assert isinstance(started, TurnStarted) and started.spoken and started.text == "What time is it?"
        assert isinstance(ended, TurnEnded) and ended.reply.startswith("It is ")
        assert "Reminder: feed the cat" in ended.reply, "who comes next is told"
        history = (await client.get(f"session/{told['session_id']}/history")).json()["messages"]
        assert [message["content"] for message in history] == ["What time is it?", ended.reply]
        await _spoken(client)
        aloud = await client.post("voice/stt", content=await person.heard(10))
        assert "missed" in aloud.json()["transcription"].lower(), "the end of the answer, aloud"

        # A program wants something that needs a person's yes: whoever is there is asked, aloud.
        program = context.Caller("program", "mcp:somebody")
        call = asyncio.create_task(one.toolbox.call("task_cancel", {"task_id": "1"}, caller=program))
        await _spoken(client)
        while not call.done():
            await person.say("Yes, please.")
            await asyncio.wait([call], timeout=8)
        rows, _ = await one.toolbox.audit.query(tool="tasks.task_cancel")
        assert rows[0]["confirmed_by"] == "voice" and rows[0]["channel"] == "mcp:somebody"


async def _spoken(client: httpx.AsyncClient) -> None:
    """Until the robot has said what it is about to say."""
    for doing in ("speaking", "listening"):
        await until(lambda doing=doing: _doing(client, doing))


async def _doing(client: httpx.AsyncClient, doing: str) -> bool:
    return bool((await client.get("voice")).json()["doing"] == doing)


async def test_a_microphone_that_is_off_is_closed(robot: Address) -> None:
    person = Beside(robot)
    async with mind(str(robot), speech__wake="push").session() as one, calling(one) as client:
        one.speech.start()
        await one.speech.opened()
        assert (await client.get("voice")).json()["microphone"] == "off" and await person.listeners() == 0
        for enabled, state, listeners in ((True, "open", 1), (True, "open", 1), (False, "off", 0), (True, "open", 1)):
            told = (await client.post("voice/microphone", json={"enabled": enabled})).json()
            assert (told["microphone"], await person.listeners()) == (state, listeners)
        audited = (await client.get("audit")).json()["entries"][0]
        assert audited["tool"] == "perception.set_microphone", "it went through the gate"
    assert await person.listeners() == 0


# Calls


class Caller:
    """Somebody at the other end of a line, whose microphone is a file."""

    def __init__(self, raw: ClientConnection) -> None:
        self.raw, self.sound, self.told = raw, bytearray(), list[Told]()

    async def speak(self, text: str, *, share: float = 1.0) -> None:
        """As it comes from a microphone, then silence: nothing is sent any more."""
        pcm = await said(text)
        for at in range(0, round(len(pcm) * share), BLOCK):
            await self.raw.send(pcm[at : at + BLOCK])
            await asyncio.sleep(0.02)

    async def until(self, kind: str, **about: Any) -> Told:
        async with asyncio.timeout(60):
            while True:
                frame = await self.raw.recv()
                if isinstance(frame, bytes):
                    self.sound += frame
                    continue
                told: Told = json.loads(frame)
                self.told.append(told)
                if told["type"] == kind and all(told.get(name) == value for name, value in about.items()):
                    return told

    async def until_told(self) -> Told:
        """How the microphone is, or why there is none."""
        told: Told = {}
        while told.get("type") != "error" and told.get("microphone") != "open":
            told = json.loads(await self.raw.recv())
        return told

    async def until_spoken(self) -> None:
        """The answer may be heard before all of it is there."""
        if not any(told.get("doing") == "speaking" for told in self.told):
            await self.until("state", doing="speaking")
        await self.until("state", doing="listening")


def line(place: str, query: str = "", headers: dict[str, str] | None = None) -> connect:
    # Without a limit to what is kept unread: else it would not see the end of a call in which nobody reads the sound.
    url = f"ws://{place}/api/v1/ws/voice{query}"
    return connect(url, additional_headers=headers, proxy=None, max_size=None, max_queue=None)


@pytest_asyncio.fixture(loop_scope="module")
async def place(shared: Mind) -> AsyncIterator[str]:
    async with serving(shared) as where:
        yield where


async def test_a_call_is_heard_and_answered(place: str) -> None:
    async with line(place, "?session_id=mine") as raw, httpx.AsyncClient() as http:
        caller = Caller(raw)
        assert (await caller.until("state", microphone="open"))["session_id"] == "mine"
        await caller.speak("What time is it?")
        assert (await caller.until("transcription", final=True))["text"] == "What time is it?"
        reply = await caller.until("response", final=True)
        assert reply["text"].startswith("It is ") and reply["tools"][0]["name"] == "get_time" and not reply["error"]
        await caller.until_spoken()
        heard = await http.post(f"http://{place}/api/v1/voice/stt", content=bytes(caller.sound), timeout=60)
        assert "it is" in heard.json()["transcription"].casefold()
        history = (await http.get(f"http://{place}/api/v1/session/mine/history")).json()
        assert history["messages"][0]["content"] == "What time is it?"


async def test_who_may_only_talk_can_not_say_yes(shared: Mind, place: str) -> None:
    def bearer(*scopes: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {Tokens(shared.configuration.home).new('t{id}', scopes)[1]}"}

    async with line(place, headers=bearer("talk", "confirm")) as raw:
        await Caller(raw).until("state", microphone="open")
        assert shared.confirmations.channels == ("voice",)
    async with line(place, "?session_id=theirs", bearer("talk")) as raw:
        caller = Caller(raw)
        await caller.until("state", microphone="open")
        asking = context.Caller("person", "page", conversation="theirs")
        with shared.confirmations.channel("page"):
            await caller.speak("Yes, please.")  # and before that is understood the question is there
            call = asyncio.create_task(shared.toolbox.call("task_cancel", {"task_id": "1"}, caller=asking))
            await caller.until("transcription", final=True)
            assert len(shared.confirmations.pending) == 1 and shared.confirmations.channels == ("page",)
        assert (await call).status == "denied"
        assert not any(told.get("doing") == "speaking" for told in caller.told), "they were not asked, either"


async def test_an_answer_is_cut_short(place: str) -> None:
    async with line(place) as raw:
        caller = Caller(raw)
        await caller.until("state", microphone="open")
        await caller.speak("What time is it?")
        await caller.until("state", doing="speaking")
        await raw.send(json.dumps({"type": "interrupt"}))
        flushed = await caller.until("flush")
        assert flushed["number"] == 1
        cut = await caller.until("interrupted")
        reply = next(told for told in caller.told if told["type"] == "response" and told["final"])
        assert len(cut["heard"]) < len(reply["text"]) and reply["text"].startswith(cut["heard"][:5])


async def test_what_is_no_frame_is_told_and_the_call_goes_on(place: str) -> None:
    async with line(place) as raw:
        caller = Caller(raw)
        await caller.until("state", microphone="open")
        wrong = (
            "{",
            "[]",
            '{"type": "sing"}',
            '{"type": "played", "samples": -1}',
            '{"type": "start", "x": 1}',
            b"abc",
        )
        for frame in wrong:
            await raw.send(frame)
            assert (await caller.until("error"))["code"] == "INVALID_PARAMETER"
        await raw.send(bytes(range(256)) * 200)  # noise is no error
        await raw.send(json.dumps({"type": "stop"}))
        await caller.until("state", microphone="off")
        await caller.speak("Nobody hears this.")
        await raw.send(json.dumps({"type": "start"}))
        await caller.until("state", microphone="open")
        await caller.speak("What time is it?")
        assert (await caller.until("transcription", final=True))["text"] == "What time is it?"


async def test_who_stops_in_mid_sentence_is_answered_and_who_leaves_is_forgotten(place: str) -> None:
    async with line(place) as raw:
        caller = Caller(raw)
        await caller.until("state", microphone="open")
        await caller.speak("What time is it over there in Lisbon today?", share=0.4)
        raw.transport.abort()  # type: ignore[attr-defined]
    async with line(place) as raw:
        caller = Caller(raw)
        await caller.until("state", microphone="open")
        await caller.speak("What time is it?")
        assert (await caller.until("transcription", final=True))["text"] == "What time is it?"


async def test_two_callers_have_a_conversation_each(place: str) -> None:
    async with line(place) as first, line(place) as second:
        callers = [Caller(first), Caller(second)]
        ids = {(await caller.until("state", microphone="open"))["session_id"] for caller in callers}
        assert len(ids) == 2
        await asyncio.gather(callers[0].speak("What time is it?"), callers[1].speak("Tell me a joke."))
        heard = [(await caller.until("transcription", final=True))["text"] for caller in callers]
        assert heard == ["What time is it?", "Tell me a joke."]
        replies = [(await caller.until("response", final=True))["text"] for caller in callers]
        assert replies[0].startswith("It is ") and not replies[1].startswith("It is ")


async def test_more_callers_than_there_is_room_for_are_told(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MOST_CALLS", 1)
    async with line(place) as raw:
        caller = Caller(raw)
        await caller.until("state", microphone="open")
        async with line(place) as second:
            assert (await Caller(second).until("error"))["code"] == "BUSY"
            await second.wait_closed()
            assert second.close_code == 1013
    told: Told = {}
    while told.get("microphone") != "open":  # until the first call has ended there too
        async with line(place) as raw:
            told = await Caller(raw).until_told()


async def test_a_call_without_ears_is_told_why() -> None:
    async with mind(speech__ears="none").session() as one, serving(one) as where, line(where) as raw:
        told = await Caller(raw).until("error")
        assert told["code"] == "NOT_READY" and "speech.ears" in told["message"] and told["hint"]


# Voices to choose from


async def test_every_voice_is_listed_and_the_one_in_use_is_marked(http: httpx.AsyncClient) -> None:
    found = (await http.get("voice/voices")).json()
    assert found["total"] == len(found["voices"]) >= 38 and found["in_use"] == "flite slt"
    assert [voice["name"] for voice in found["voices"] if voice["in_use"]] == ["slt"]
    assert "calm" in found["moods"] and (found["voice"], found["voice_name"]) == ("flite", "")
    few = (await http.get("voice/voices", params={"limit": 2, "offset": 1})).json()
    assert few["voices"] == found["voices"][1:3] and few["total"] == found["total"]


async def test_a_sample_is_in_the_voice_and_the_mood_that_were_asked_for(http: httpx.AsyncClient) -> None:
    plain = await http.post("voice/sample", json={"engine": "flite", "voice": "rms"})
    assert plain.headers["content-type"] == "audio/wav" and plain.headers["x-voice"] == "flite rms"
    sad = await http.post("voice/sample", json={"engine": "flite", "voice": "rms", "mood": "sad"})
    assert 2 < length_s(plain.content) < length_s(sad.content) < 9
    other = await http.post("voice/sample", json={"engine": "flite", "voice": "slt", "text": "Hello."})
    assert 0.2 < length_s(other.content) < 2
    assert (await http.get("voice/voices")).json()["in_use"] == "flite slt", "hearing one is not choosing it"


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({"engine": "flite", "voice": "nobody"}, 422, "INVALID_PARAMETER"),
        ({"engine": "nothing", "voice": "slt"}, 422, "INVALID_PARAMETER"),
        ({"engine": "flite", "voice": "slt", "mood": "odd"}, 422, "INVALID_PARAMETER"),
        ({"engine": "flite", "voice": "slt", "text": "x" * 301}, 422, "INVALID_PARAMETER"),
        ({"engine": "flite"}, 422, "INVALID_PARAMETER"),
    ],
)
async def test_a_sample_that_can_not_be_made_is_refused(
    http: httpx.AsyncClient, asked: dict[str, str], status: int, code: str
) -> None:
    answer = await http.post("voice/sample", json=asked)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


async def test_a_sample_of_a_voice_that_is_not_here_says_how_to_get_it(tmp_path: Any) -> None:
    async with mind(models__folder=str(tmp_path / "none")).session() as one, calling(one) as client:
        answer = await client.post("voice/sample", json={"engine": "kokoro", "voice": "af_heart"})
        assert answer.status_code == 503
        assert answer.json()["error"]["hint"] == "reachy-mind models pull kokoro-voice"


async def test_a_voice_that_is_chosen_speaks_at_once(tmp_path: Any) -> None:
    async with mind(speech__voice="auto", models__folder=str(tmp_path / "none")).session() as one:
        assert one.speech.mouth().name == "flite slt"
        await one.preferences.change("speech.voice_name", "awb")
        await until(lambda: one.speech.mouth().name == "flite awb")
        await one.preferences.change("speech.voice_name", "")
        await until(lambda: one.speech.mouth().name == "flite slt")
        await one.preferences.change("speech.voice", "none")  # there is none then: the one in use stays
        await one.preferences.change("speech.voice_name", "rms")
        assert one.speech.mouth().name == "flite slt"
