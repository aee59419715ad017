"""Connections to processes that we start: on an inherited socket, and over loopback with a secret."""

from __future__ import annotations

import asyncio
import os
import socket
import sys

import pytest

from reachy_mind.system.child_socket import VARIABLE, ChildSocket
from reachy_mind.system.packets import child_packets, connection_name, packets

pytestmark = pytest.mark.process

ECHO = """
import os, sys
from reachy_mind.system.child_socket import VARIABLE, connect
connection = connect(sys.argv[1])
assert VARIABLE not in os.environ, "its children could use it"
while data := connection.recv(100):
    connection.sendall(data.upper())
"""
ECHO_PACKETS = """
import select, sys
from reachy_mind.system.packets import connect_packets
connection = connect_packets(sys.argv[1])
while True:
    try:
        if not (packet := connection.recv(1 << 17)):
            break
        connection.send(packet.upper())
    except BlockingIOError:
        continue
"""


async def started(link: ChildSocket, program: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(sys.executable, "-c", program, link.argument, **link.options())


@pytest.mark.usefixtures("way")
async def test_both_ends_talk_and_the_child_sees_the_end() -> None:
    loop = asyncio.get_running_loop()
    with ChildSocket() as link:
        process = await started(link, ECHO)
        connection = await link.connected(process)
    await loop.sock_sendall(connection, b"hello")
    assert await loop.sock_recv(connection, 100) == b"HELLO"
    connection.close()
    assert await process.wait() == 0


async def test_packets_stay_apart(way: str) -> None:
    with child_packets(1 << 17) as link:
        process = await started(link, ECHO_PACKETS)
        connection = packets(await link.connected(process))
    for packet in (b"a", b"bc" * 1000, b"d"):
        connection.send(packet)
    assert [await connection.arrival(1 << 17) for _ in range(3)] == [b"A", b"BC" * 1000, b"D"]
    connection.close()
    assert await process.wait() == 0
    assert ("SEQPACKET" in connection_name()) == (way == "native")


@pytest.mark.usefixtures("way")
async def test_a_child_that_dies_before_it_connects_is_noticed() -> None:
    with ChildSocket() as link:
        process = await started(link, "import os; os._exit(3)")
        if link.argument.startswith("port:"):
            with pytest.raises(EOFError, match="ended before"):
                await link.connected(process)
        else:  # an inherited socket is connected from the beginning, and says so at its end
            connection = await link.connected(process)
            assert await asyncio.get_running_loop().sock_recv(connection, 1) == b""
            connection.close()
    assert await process.wait() == 3


async def test_another_program_that_finds_the_port_is_not_taken_for_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACHY_MIND_PORTABLE", "1")
    with ChildSocket() as link:
        stranger = socket.create_connection(("127.0.0.1", int(link.argument.removeprefix("port:"))))
        stranger.sendall(os.urandom(32))
        assert VARIABLE not in os.environ
        process = await started(link, ECHO)
        connection = await link.connected(process)
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(connection, b"ours")
        assert await loop.sock_recv(connection, 100) == b"OURS"
        assert stranger.recv(1) == b""
    stranger.close()
    connection.close()
    assert await process.wait() == 0
