"""A broker of MQTT 3.1.1 in this process, as far as a device of Home Assistant needs one: retained messages, wills,
wildcards of one level, QoS 0 and 1. Compared with Mosquitto by tests/home_assistant, where that is installed."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from dataclasses import dataclass, field
from typing import Self


@dataclass(eq=False)
class _Session:
    writer: asyncio.StreamWriter
    filters: list[str] = field(default_factory=list)
    will: tuple[str, bytes, bool] | None = None


class MqttBroker:
    """Use as `async with`. `password`: what has to be sent, if anything; `drop` cuts all connections."""

    def __init__(self, password: str = "") -> None:
        self.password, self.port = password, 0
        self.retained: dict[str, bytes] = {}
        self._sessions: set[_Session] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.drop()

    def drop(self) -> None:
        for session in tuple(self._sessions):
            session.writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session = _Session(writer)
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while await self._packet(session, reader):
                pass
        self._sessions.discard(session)
        if session.will is not None:
            self._publish(*session.will)
        writer.close()

    async def _packet(self, session: _Session, reader: asyncio.StreamReader) -> bool:
        head = (await reader.readexactly(1))[0]
        size = shift = 0
        while True:
            byte = (await reader.readexactly(1))[0]
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        body = await reader.readexactly(size)
        match head >> 4:
            case 1:
                return self._connect(session, body)
            case 3:
                self._published(session, head, body)
            case 8:
                self._subscribe(session, body)
            case 12:
                session.writer.write(b"\xd0\x00")
            case 14:
                session.will = None
                return False
        return True

    def _connect(self, session: _Session, body: bytes) -> bool:
        flags, at = body[7], 10
        fields = []
        wanted = 1 + (2 if flags & 4 else 0) + bool(flags & 128) + bool(flags & 64)
        for _ in range(wanted):
            (length,) = struct.unpack_from(">H", body, at)
            fields.append(body[at + 2 : at + 2 + length])
            at += 2 + length
        accepted = not self.password or (flags & 64 and fields[-1].decode() == self.password)
        session.writer.write(b"\x20\x02\x00" + (b"\x00" if accepted else b"\x05"))
        if accepted and flags & 4:
            session.will = fields[1].decode(), fields[2], bool(flags & 32)
        self._sessions.add(session)
        return bool(accepted)

    def _published(self, session: _Session, head: int, body: bytes) -> None:
        (length,) = struct.unpack_from(">H", body)
        topic, at = body[2 : 2 + length].decode(), 2 + length
        if head & 6:
            session.writer.write(b"\x40\x02" + body[at : at + 2])
            at += 2
        self._publish(topic, body[at:], bool(head & 1))

    def _publish(self, topic: str, payload: bytes, retain: bool) -> None:
        if retain:
            self.retained[topic] = payload
        for session in self._sessions:
            if any(_matches(each, topic) for each in session.filters):
                _send(session, topic, payload, retained=False)

    def _subscribe(self, session: _Session, body: bytes) -> None:
        at, codes = 2, bytearray()
        while at < len(body):
            (length,) = struct.unpack_from(">H", body, at)
            wanted = body[at + 2 : at + 2 + length].decode()
            at += 3 + length
            session.filters.append(wanted)
            codes.append(0)
        session.writer.write(bytes((0x90, 2 + len(codes))) + body[:2] + codes)
        for topic, payload in self.retained.items():
            if any(_matches(each, topic) for each in session.filters[-len(codes) :]):
                _send(session, topic, payload, retained=True)


def _send(session: _Session, topic: str, payload: bytes, *, retained: bool) -> None:
    name = topic.encode()
    body = struct.pack(">H", len(name)) + name + payload
    size, length = len(body), bytearray()
    while True:
        length.append(size & 127 | (128 if size > 127 else 0))
        size >>= 7
        if not size:
            break
    session.writer.write(bytes((0x31 if retained else 0x30,)) + length + body)


def _matches(wanted: str, topic: str) -> bool:
    parts, levels = wanted.split("/"), topic.split("/")
    if parts[-1] == "#":
        return levels[: len(parts) - 1] == parts[:-1]
    return len(parts) == len(levels) and all(part in ("+", level) for part, level in zip(parts, levels, strict=True))
