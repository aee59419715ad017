"""Devices talk with their control plane: real sound, real ears, a real voice, over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal

import pytest

from reachy_mind.config.configuration import Configuration
from reachy_mind.fleet.control import personas
from reachy_mind.fleet.device.personas import PersonaTexts
from reachy_mind.fleet.protocol.close_codes import CloseCode
from reachy_mind.fleet.voice.hub_voice import HubVoice
from reachy_mind.fleet.voice.local_voice import LocalVoiceBackend
from reachy_mind.fleet.voice.session import VoiceRefused
from reachy_mind.speech.transcriber import Transcriber
from tests.fleet.hub_server import TENANT
from tests.fleet.voice.conftest import VoiceNode
from tests.fleet.voice.talking_device import speech, talking
from tests.speech.conftest import needs_flite
from tests.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.asyncio(loop_scope="module"), needs_flite]


async def test_two_devices_talk_at_once_and_know_nothing_of_each_other(node: VoiceNode, ears: Transcriber) -> None:
    kitchen, study = await node.device("kitchen"), await node.device("study")
    async with node.link(kitchen) as first, node.link(study) as second:
        opened = await asyncio.gather(*(HubVoice(link).open(None, "en") for link in (first, second)))
        async with talking(opened[0]) as ada, talking(opened[1]) as other:
            await asyncio.gather(ada.ask("My name is Ada."), other.ask("What time is it?"))
            known, unknown = await asyncio.gather(ada.ask("What is my name?"), other.ask("What is my name?"))
            assert "Ada" in known
            assert "Ada" not in unknown
            spoken = await ears.transcribe(bytes(ada.sound), language="en")
            assert "your name is" in spoken.text.lower()  # flite's "Ada" is heard as many things
            assert ada.heard == ["What is my name?"]
            assert ada.states[-3:] == ["processing", "responding", "listening"]
            assert len(node.pool) == 2
    await node.quiet()


async def test_a_person_who_interrupts_is_heard_and_the_answer_is_flushed(node: VoiceNode) -> None:
    kitchen = await node.device("kitchen")
    async with node.link(kitchen) as link, talking(await HubVoice(link).open(None, "en")) as device:
        await device.say(await speech("Tell me a story."))
        await until(lambda: len(device.sound) > 96000)  # one who goes on at once adds to the question
        told = "".join(device.said)
        await device.is_answered("What time is it?")
        assert device.flushes >= 1
        assert "It is" in "".join(device.said)
        assert len(told) > 100, "the story was interrupted long before its end"


async def test_the_personality_of_the_device_speaks(node: VoiceNode) -> None:
    kitchen = await node.device("kitchen")
    manner = "en:\n  greet: [Ahoy there landlubber.]\n"
    files = {"instructions.txt": "You are a pirate.", "manner.yaml": manner, "voice.txt": "slt\nspeed: 1.2\n"}
    bundle = personas.PersonaBundle("pirate", files)
    await node.server.hub.store.write(lambda sql: personas.put(sql, TENANT, bundle, by="test"))
    texts = PersonaTexts(bundle.id, bundle.etag, files)
    async with node.link(kitchen) as link:
        with pytest.raises(VoiceRefused, match="no personality"):
            await HubVoice(link).open(PersonaTexts("pirate", "0" * 64, files), "en")
        async with talking(await HubVoice(link).open(texts, "en")) as device:
            assert "Ahoy" in await device.ask("Hello there!")


async def test_when_all_sessions_are_in_use_a_device_is_told_when_to_ask_again(node: VoiceNode) -> None:
    await node.quiet()
    async with contextlib.AsyncExitStack() as stack:
        homes = [await node.device(name) for name in ("kitchen", "study", "hall")]
        school = [await node.device(name, "tenant-2") for name in ("first", "second")]
        at_home = [HubVoice(await stack.enter_async_context(node.link(each))) for each in homes]
        at_school = [HubVoice(await stack.enter_async_context(node.link(each))) for each in school]
        for voice in at_home[:2]:
            stack.push_async_callback((await voice.open(None, "en")).aclose)
        with pytest.raises(VoiceRefused, match="sessions of yours are in use") as share:
            await at_home[2].open(None, "en")
        theirs = await at_school[0].open(None, "en")
        with pytest.raises(VoiceRefused, match="all 3 voice sessions are in use") as full:
            await at_school[1].open(None, "en")
        assert share.value.retry_after_s > 1 and full.value.retry_after_s > 1
        await theirs.aclose()
        await until(lambda: len(node.pool) == 2)
        stack.push_async_callback((await at_school[1].open(None, "en")).aclose)


async def test_a_device_has_one_session_and_the_newer_one_counts(node: VoiceNode) -> None:
    await node.quiet()
    kitchen = await node.device("kitchen")
    async with node.server.client(kitchen) as client:
        await client.say("voice.open", {"stream": 7})
        await client.next("voice.opened")
        await client.say("voice.open", {"stream": 7})
        assert "in use" in (await client.next("voice.refused")).p["reason"]
        await client.say("voice.open", {"stream": 8})
        await client.say("voice.open", {"stream": 9})
        assert (await client.next("voice.ended")).p == {"stream": 7, "reason": "the device opened another one"}
        assert (await client.next("voice.ended")).p["stream"] == 8
        assert (await client.next("voice.opened")).p == {"stream": 9}
        assert len(node.pool) == 1
        await client.say("voice.open", {"stream": 1 << 20})
        assert await client.closed() == CloseCode.NOT_UNDERSTOOD
    await node.quiet()


async def test_a_session_ends_with_its_connection(node: VoiceNode) -> None:
    kitchen = await node.device("kitchen")
    async with node.link(kitchen) as link:
        async with talking(await HubVoice(link).open(None, "en")) as device:
            await device.say(await speech("Tell me a story."))
            await until(lambda: device.sound)
            await node.server.hub.close_all()
            await until(lambda: device.ended is not None)
            assert "connection" in str(device.ended)
            await node.quiet()
        await until(lambda: link.state == "connected")
        async with talking(await HubVoice(link).open(None, "en")) as device:
            await device.is_answered("Tell me a joke.")


async def test_a_worker_that_dies_ends_its_sessions_and_the_next_one_works(node: VoiceNode) -> None:
    kitchen = await node.device("kitchen")
    async with node.link(kitchen) as link:
        async with talking(await HubVoice(link).open(None, "en")) as device:
            await device.say(await speech("Tell me a story."))
            await until(lambda: device.sound)
            os.kill(node.pool.pids[0], signal.SIGKILL)
            await until(lambda: device.ended is not None)
            assert "SIGKILL" in str(device.ended)
        assert link.state == "connected"
        async with talking(await HubVoice(link).open(None, "en")) as device:
            await device.is_answered("Tell me a joke.")


async def test_silence_and_garbage_are_no_conversation(node: VoiceNode) -> None:
    kitchen = await node.device("kitchen")
    async with node.link(kitchen) as link, talking(await HubVoice(link).open(None, "en")) as device:
        await device.say(bytes(16000))
        await device.say(os.urandom(16000))
        await link.say("voice.played", {"stream": 9, "samples": 5})
        await link.say("voice.unheard_of", {"stream": 1})
        assert device.ended is None and not device.sound
        await device.is_answered("What time is it?")
        assert device.heard == ["What time is it?"]


async def test_a_device_that_does_not_play_loses_its_session_and_nothing_else(node: VoiceNode) -> None:
    kitchen, study = await node.device("kitchen"), await node.device("study")
    async with node.link(kitchen) as link, node.link(study) as other:
        async with talking(await HubVoice(link).open(None, "en"), plays=False) as device:
            await device.say(await speech("Tell me a story."))
            await until(lambda: device.ended is not None)
            assert "voice.played" in str(device.ended)
        assert link.state == "connected"
        async with talking(await HubVoice(other).open(None, "en")) as next_one:
            await next_one.is_answered("Tell me a joke.")


async def test_a_device_talks_alone_while_its_control_plane_is_away(configuration: Configuration) -> None:
    async with LocalVoiceBackend(configuration, idle_s=3.0, unused_s=0.1) as voice:
        async with talking(await voice.open(None, "en")) as device:
            assert "Ada" in await device.ask("My name is Ada.")
            await until(lambda: device.ended == "nobody spoke for 3 s")
        await until(lambda: voice.pid is None)
        with pytest.raises(VoiceRefused, match="language"):
            await voice.open(None, "xx")
    kept = [file for file in configuration.home.folder.rglob("*") if file.is_file()]
    assert not kept, "nothing of a conversation is written to the disk"
