"""One session with a hub that says strange things: a device believes nothing that can't be, and comes back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from reachy_mind.fleet.device.enrolment import DeviceIdentity
from reachy_mind.fleet.device.inbox import Command
from reachy_mind.fleet.protocol.audio import SPEAKER, AudioFlags, AudioFrame
from reachy_mind.fleet.protocol.close_codes import CloseCode
from reachy_mind.fleet.protocol.frame import Frame, decode, encode, new_frame, now_ms
from tests.fleet.device.linked_device import linked
from tests.waiting import until

WELCOME: dict[str, Any] = {"conn": "c", "generation": 1, "up": {}, "down": "hub", "time": 0}


class StrangeHub:
    """A WebSocket server; `behave` is called with each connection of a device and its hello."""

    def __init__(self) -> None:
        self.port = 0
        self.behave: Callable[[ServerConnection, Frame], Awaitable[None]] = self.be_kind
        self.hellos: list[Frame] = []
        self.codes: list[int | None] = []
        """With which the devices closed their connections."""
        self.heard: list[Frame] = []

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[DeviceIdentity]:
        """The identity of a device that knows it."""
        async with serve(self._serve, "127.0.0.1", 0, subprotocols=["cp1"], compression=None) as server:  # type: ignore[list-item]
            port = next(iter(server.sockets)).getsockname()[1]
            yield DeviceIdentity(f"http://127.0.0.1:{port}", "device", "token")

    async def be_kind(self, socket: ServerConnection, hello: Frame) -> None:  # noqa: ARG002
        await say(socket, "welcome", WELCOME)
        await self.acknowledge(socket)

    async def acknowledge(self, socket: ServerConnection) -> None:
        """All that the device says."""
        async for message in socket:
            frame = decode(str(message))
            self.heard.append(frame)
            if frame.seq is not None:
                await say(socket, "ack", **{"ack0" if frame.prio == 0 else "ack": frame.seq})

    async def _serve(self, socket: ServerConnection) -> None:
        hello = decode(str(await socket.recv()))
        self.hellos.append(hello)
        with contextlib.suppress(Exception):  # the device closes it
            await self.behave(socket, hello)
        await socket.wait_closed()
        self.codes.append(socket.close_code)


@pytest.fixture
def hub() -> StrangeHub:
    return StrangeHub()


async def say(socket: ServerConnection, type_: str, payload: dict[str, Any] | None = None, **fields: Any) -> None:
    await socket.send(encode(new_frame(type_, payload, **fields)))


def saying(*texts: str | bytes) -> Callable[[ServerConnection, Frame], Awaitable[None]]:
    async def behave(socket: ServerConnection, _: Frame) -> None:
        for text in texts:
            await socket.send(text)

    return behave


def frame(type_: str, payload: dict[str, Any] | None = None, **fields: Any) -> str:
    return encode(new_frame(type_, payload, **fields))


SOUND = AudioFrame(SPEAKER, AudioFlags(0), 1, 0, 0, b"ab").encode()
GOOD = frame("welcome", WELCOME)


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        (("nonsense",), CloseCode.NOT_UNDERSTOOD),
        ((frame("ack"),), CloseCode.NOT_UNDERSTOOD),
        ((SOUND,), CloseCode.NOT_UNDERSTOOD),
        ((frame("welcome", {}),), CloseCode.NOT_UNDERSTOOD),
        ((frame("welcome", WELCOME | {"down": "../hub"}),), CloseCode.NOT_UNDERSTOOD),
        ((GOOD, GOOD), CloseCode.NOT_UNDERSTOOD),
        ((GOOD, frame("ack", ack=1)), CloseCode.NOT_UNDERSTOOD),
        ((GOOD, frame("ack", ack0=1)), CloseCode.NOT_UNDERSTOOD),
        ((GOOD, frame("speak", seq=2)), CloseCode.GAP),
        ((GOOD, b"\x09" * 20), CloseCode.NOT_UNDERSTOOD),
        ((GOOD, frame("twin.desired", {"version": 1, "volume": 1000})), CloseCode.NOT_UNDERSTOOD),
        ((GOOD, frame("speak", seq=1).replace("speak", "spook")), CloseCode.DAMAGED),
        ((GOOD, "x" * (300 << 10)), CloseCode.TOO_LARGE),
    ],
)
async def test_what_cannot_be_closes_the_connection_and_the_device_comes_back(
    hub: StrangeHub, file: Path, texts: tuple[str | bytes, ...], code: int
) -> None:
    hub.behave = saying(*texts)
    async with hub.serving() as identity, linked(file, identity) as link:
        await until(lambda: hub.codes)
        hub.behave = hub.be_kind
        await link.outbox.accept("button.pressed", {"n": 1})
        await until(lambda: any(each.type == "button.pressed" for each in hub.heard))
    assert hub.codes[0] == code
    assert [each.seq for each in hub.heard if each.type == "button.pressed"] == [1]


async def test_a_hub_that_claims_more_than_was_ever_sent_is_given_a_new_epoch(hub: StrangeHub, file: Path) -> None:
    async def claim(socket: ServerConnection, _: Frame) -> None:
        await say(socket, "welcome", WELCOME | {"up": {"seq": 7, "seq0": 0}})

    hub.behave = claim
    async with hub.serving() as identity, linked(file, identity) as link:
        await until(lambda: link.counters.new_epochs or hub.codes)
        hub.behave = hub.be_kind
        await link.outbox.accept("button.pressed")
        await until(lambda: any(each.type == "button.pressed" for each in hub.heard))
    assert hub.codes[0] == CloseCode.EPOCH_CONFLICT
    assert hub.hellos[0].p["epoch"] != hub.hellos[-1].p["epoch"]


async def test_events_are_kept_until_the_hub_has_confirmed_that_it_has_them(hub: StrangeHub, file: Path) -> None:
    """A hub that says it has them, and then that it has others, does not make the device drop its own."""
    async with hub.serving() as identity:
        hub.behave = saying(GOOD)
        async with linked(file, identity) as link:
            for number in (1, 2):
                await link.outbox.accept("button.pressed", {"n": number})
            await until(lambda: link.counters.sent >= 2)
            assert (await link.outbox.totals()).events == 2
            repeated = list[Frame]()

            async def conflict(socket: ServerConnection, _: Frame) -> None:
                await say(socket, "welcome", WELCOME | {"up": {"seq": 2, "seq0": 0}})
                await say(socket, "weather.report")  # which confirms nothing
                async for message in socket:
                    repeated.append(decode(str(message)))
                    if repeated[-1].seq is not None:
                        await socket.close(CloseCode.EPOCH_CONFLICT)
                        return

            hub.behave = conflict
            link._connection._transport._socket.transport.abort()  # type: ignore[union-attr]
            await until(lambda: link.counters.new_epochs)
            hub.behave = hub.be_kind
            await until(lambda: len([each for each in hub.heard if each.type == "button.pressed"]) == 2)
    assert [each.seq for each in repeated if each.seq] == [2], "the last one is shown to the hub"
    assert [each.p["n"] for each in hub.heard if each.type == "button.pressed"] == [1, 2]


async def test_the_hubs_sound_is_handed_on_and_a_listener_that_breaks_costs_only_sound(
    hub: StrangeHub, file: Path
) -> None:
    heard, handled = list[int](), list[str]()

    class Listener:
        def sound(self, frame: AudioFrame) -> None:
            heard.append(frame.chunk)
            if frame.chunk == 2:
                raise OSError("no loudspeaker")

        def message(self, frame: Frame) -> None: ...

        def connection_lost(self) -> None: ...

    async def speak(command: Command) -> None:
        handled.append(command.id)

    async def play(socket: ServerConnection, _: Frame) -> None:
        await say(socket, "welcome", WELCOME)
        for chunk in (1, 2, 3):
            await socket.send(AudioFrame(SPEAKER, AudioFlags(0), 1, chunk, 0, b"ab").encode())
        await say(socket, "speak", seq=1)
        async for _ in socket:
            pass

    hub.behave = play
    async with hub.serving() as identity, linked(file, identity, handlers={"speak": speak}) as link:
        link.listen(Listener())
        await until(lambda: handled)
        assert link.state == "connected" and len(hub.hellos) == 1
    assert heard == [1, 2]


async def test_limits_that_let_nothing_through_hold_back_no_emergency(hub: StrangeHub, file: Path) -> None:
    async def stingy(socket: ServerConnection, _: Frame) -> None:
        limits = {"rate_per_s": 0, "burst": 0, "window": 0, "heartbeat_s": 0}
        await say(socket, "welcome", WELCOME | {"limits": limits, "time": now_ms()})
        await hub.acknowledge(socket)

    hub.behave = stingy
    async with hub.serving() as identity, linked(file, identity) as link:
        for number in range(3):
            await link.outbox.accept("button.pressed", {"n": number})
            await link.accept_emergency("emergency.pressed", {"n": number})
        await until(lambda: [each.p["n"] for each in hub.heard if each.prio == 0] == [0, 1, 2])
        assert link.counters.connects == 1


async def test_a_newer_command_type_and_unknown_messages_do_no_harm(hub: StrangeHub, file: Path) -> None:
    async def chat(socket: ServerConnection, _: Frame) -> None:
        await say(socket, "welcome", WELCOME | {"later": 1})
        await say(socket, "weather.report", {"sun": True})
        await say(socket, "fly.away", seq=1)
        async for message in socket:
            hub.heard.append(decode(str(message)))

    hub.behave = chat
    async with hub.serving() as identity, linked(file, identity):
        await until(lambda: any(each.type == "command.done" for each in hub.heard))
        assert len(hub.hellos) == 1
    answers = [each.p["status"] for each in hub.heard if each.type == "command.done"]
    assert answers == ["unsupported"]
    assert max(each.ack or 0 for each in hub.heard) == 1


async def test_it_says_who_it_is_and_what_it_has(hub: StrangeHub, file: Path) -> None:
    async with hub.serving() as identity:
        for _ in range(2):
            async with linked(file, identity, caps=["speaker", "light"]) as link:
                await until(lambda link=link: link.state == "connected")
    first, second = hub.hellos
    assert first.p["device"] == "device" and first.p["caps"] == ["speaker", "light"]
    assert first.p["epoch"] == second.p["epoch"] and first.p["boot"] != second.p["boot"]
    assert second.p["down"] == {"epoch": "hub", "seq": 0, "seq0": 0}


async def test_a_server_that_speaks_something_else_is_not_taken_for_the_hub(file: Path) -> None:
    async def chatter(socket: ServerConnection) -> None:
        await socket.send("hello, I am a chat")

    async with serve(chatter, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with linked(file, DeviceIdentity(f"http://127.0.0.1:{port}", "d", "t")) as link:
            await until(lambda: link.counters.attempts > 2)
            assert link.state != "refused" and link.counters.connects == 0
            await asyncio.sleep(0)
