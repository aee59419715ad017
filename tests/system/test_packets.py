"""Packets on a stream: a slow reader loses whole packets, never pieces of them."""

from __future__ import annotations

import socket

import pytest

from reachy_mind.system.packets import FramedPackets, PacketSocket, packets


@pytest.fixture
def ends() -> tuple[PacketSocket, PacketSocket]:
    ours, theirs = socket.socketpair()
    return packets(ours), packets(theirs)


def received(connection: PacketSocket) -> list[bytes]:
    found = []
    try:
        while packet := connection.recv(1 << 16):
            found.append(packet)
    except BlockingIOError:
        pass
    return found


def test_what_does_not_fit_is_refused_as_a_whole_and_later_packets_arrive(
    ends: tuple[PacketSocket, PacketSocket],
) -> None:
    writer, reader = ends
    taken, refused = [], 0
    for number in range(50):
        packet = f"{number:>6}".encode() * 20_000  # more than a socket takes at once
        try:
            writer.send(packet)
            taken.append(packet)
        except BlockingIOError:
            refused += 1
    assert refused and taken
    found = received(reader)
    while more := (writer.send(b"newest"), received(reader))[1]:  # the rest of the last packet goes before it
        found += more
        if found[-1] == b"newest":
            break
    assert found == [*taken, b"newest"]


def test_the_end_is_an_empty_packet(ends: tuple[PacketSocket, PacketSocket]) -> None:
    writer, reader = ends
    writer.send(b"last")
    writer.close()
    assert reader.recv(100) == b"last"
    assert reader.recv(100) == b""


def test_a_length_that_no_packet_has_ends_the_connection() -> None:
    ours, theirs = socket.socketpair()
    ours.sendall(b"\xff\xff\xff\xff")
    theirs.setblocking(False)  # noqa: FBT003
    with pytest.raises(ConnectionError):
        FramedPackets(theirs).recv(100)
    ours.close()
    theirs.close()
