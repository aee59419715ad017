"""`ChatConnection`: a typed conversation from a command, with the running mind or with one in this process."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

    from reachy_mind.cli.connection import Json, LocalConnection, RemoteConnection
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.conversation.chat_session import ChatSession
    from reachy_mind.conversation.wire import ChatFrame


class ChatConnection(Protocol):
    """What `ask`, `chat` and `tools` need of a mind."""

    async def say(self, text: str) -> None: ...

    async def answer(self, confirmation_id: str, *, approved: bool) -> None: ...

    async def interrupt(self) -> None: ...

    async def new_conversation(self) -> None: ...

    def frames(self) -> AsyncIterator[ChatFrame]:
        """The events of the conversation, as the chat socket sends them."""

    async def request(self, method: str, route: str, content: Json | None = None) -> Json:
        """One call of the REST API."""


class LocalChat:
    """With a mind in this process."""

    def __init__(self, connection: LocalConnection, session: ChatSession) -> None:
        self.request, self._session = connection.request, session

    async def say(self, text: str) -> None:
        self._session.say(text)

    async def answer(self, confirmation_id: str, *, approved: bool) -> None:
        self._session.answer(confirmation_id, approved=approved)

    async def interrupt(self) -> None:
        await self._session.interrupt()

    async def new_conversation(self) -> None:
        self._session.conversation = None

    async def frames(self) -> AsyncIterator[ChatFrame]:
        from reachy_mind.conversation.wire import chat_frame

        async for event in self._session.events():
            if frame := chat_frame(event):
                yield frame


class RemoteChat:
    """With a mind in another process, over its chat socket."""

    def __init__(self, connection: RemoteConnection, socket: ClientConnection) -> None:
        self.request, self._socket = connection.request, socket
        self._conversation: str | None = None

    async def say(self, text: str) -> None:
        await self._send(type="say", message=text, session_id=self._conversation)

    async def answer(self, confirmation_id: str, *, approved: bool) -> None:
        await self._send(type="confirm", id=confirmation_id, approve=approved)

    async def interrupt(self) -> None:
        await self._send(type="interrupt")

    async def new_conversation(self) -> None:
        self._conversation = uuid4().hex

    async def frames(self) -> AsyncIterator[ChatFrame]:
        async for frame in self._socket:
            yield json.loads(frame)

    async def _send(self, **control: Any) -> None:
        await self._socket.send(json.dumps(control))


@contextlib.asynccontextmanager
async def connect_chat(
    configuration: Configuration,
    *,
    channel: bool,
    lasting: bool = False,
    thinks: bool = True,
    robot: str | None = None,
) -> AsyncIterator[ChatConnection]:
    """`channel`: a person here can be asked for confirmations; `lasting`: they stay, so that timers can be announced;
    `thinks` and `robot` as in `connect`. Raises AlreadyRunning when the running mind has another robot."""
    from reachy_mind.cli.connection import RemoteConnection, connect

    async with connect(configuration, robot=robot, owner=lasting, thinks=thinks) as connection:
        if isinstance(connection, RemoteConnection):
            async with connection.socket(f"ws/chat?channel={str(channel).lower()}") as socket:
                yield RemoteChat(connection, socket)
            return
        from reachy_mind.conversation.chat_session import ChatSession

        async with ChatSession(connection.mind, "terminal", channel=channel) as session:
            if lasting:
                connection.mind.announce()
            yield LocalChat(connection, session)
