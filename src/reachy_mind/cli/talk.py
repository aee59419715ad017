"""Talking with a mind from the terminal, whether it runs in another process or in this one for a moment."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from reachy_mind.config import Configuration
    from reachy_mind.mind import Mind
    from reachy_mind.owner import Owner
    from reachy_mind.server.dialogue import Dialogue

Told = dict[str, Any]
YES = ("y", "yes", "ja", "oui", "si", "sí")
NO = ("n", "no", "nein", "non")


class Talk(Protocol):
    """What `ask` and `chat` need of a mind; events are those of `server.dialogue`."""

    async def say(self, text: str) -> None: ...

    async def answer(self, question: str, *, approved: bool) -> None: ...

    async def interrupt(self) -> None: ...

    async def new_conversation(self) -> None: ...

    def events(self) -> AsyncIterator[Told]: ...

    async def ask(self, method: str, route: str, content: Told | None = None) -> Told:
        """One call of the REST API, or what it would answer."""
        ...


class Near:
    """A mind in this process."""

    def __init__(self, mind: Mind, dialogue: Dialogue) -> None:
        self._mind, self._dialogue = mind, dialogue

    async def say(self, text: str) -> None:
        self._dialogue.say(text)

    async def answer(self, question: str, *, approved: bool) -> None:
        self._dialogue.answer(question, approved=approved)

    async def interrupt(self) -> None:
        await self._dialogue.interrupt()

    async def new_conversation(self) -> None:
        self._dialogue.conversation = None

    def events(self) -> AsyncIterator[Told]:
        return self._dialogue.events()

    async def ask(self, method: str, route: str, content: Told | None = None) -> Told:
        return await over_api(self._mind, method, route, content)


async def over_api(mind: Mind, method: str, route: str, content: Told | None = None) -> Told:
    """One call of the API of a mind in this process: through the server's own app, without a network."""
    import httpx

    from reachy_mind.client import told
    from reachy_mind.server.app import House

    transport = httpx.ASGITransport(House(mind, within=True))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=900) as http:
        return told(await http.request(method, f"/api/v1/{route}", json=content))


class Far:
    """A mind in another process, over its chat socket."""

    def __init__(self, owner: Owner, socket: Any) -> None:
        self._owner, self._socket = owner, socket
        self._conversation: str | None = None

    async def say(self, text: str) -> None:
        await self._send({"type": "say", "message": text, "session_id": self._conversation})

    async def answer(self, question: str, *, approved: bool) -> None:
        await self._send({"type": "confirm", "id": question, "approve": approved})

    async def interrupt(self) -> None:
        await self._send({"type": "interrupt"})

    async def new_conversation(self) -> None:
        from uuid import uuid4

        self._conversation = uuid4().hex

    async def events(self) -> AsyncIterator[Told]:
        async for frame in self._socket:
            yield json.loads(frame)

    async def _send(self, frame: Told) -> None:
        await self._socket.send(json.dumps(frame))

    async def ask(self, method: str, route: str, content: Told | None = None) -> Told:
        from reachy_mind.client import Client

        return await Client(self._owner).ask(method, route, content, timeout=900)


@contextlib.asynccontextmanager
async def connected(
    configuration: Configuration,
    *,
    channel: bool,
    lasting: bool = False,
    thinks: bool = True,
    robot: str | None = None,
) -> AsyncIterator[Talk]:
    """The mind that runs, else one of our own. `channel`: whether there is a person here who can be asked; `lasting`:
    whether they stay, so that timers can be told to them; `thinks`: as `Mind` has it; `robot`: the one that was named,
    if any.

    Raises AlreadyRunning when the mind that runs has another robot.
    """
    from reachy_mind import owner
    from reachy_mind.cli.attach import own, require_same

    running = owner.find(configuration.home)
    if running is not None:
        if robot is not None:
            await require_same(running, robot)
        async with _far(running, channel=channel) as talk:
            yield talk
        return
    from reachy_mind.server.dialogue import Dialogue

    async with (
        own(configuration, owner=lasting, thinks=thinks) as mind,
        Dialogue(mind, "terminal", channel=channel) as dialogue,
    ):
        if lasting:
            mind.announce()
        yield Near(mind, dialogue)


@contextlib.asynccontextmanager
async def _far(running: Owner, *, channel: bool) -> AsyncIterator[Talk]:
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed, InvalidHandshake

    from reachy_mind.errors import NotReady

    url = f"ws://127.0.0.1:{running.port}/api/v1/ws/chat?channel={str(channel).lower()}"
    headers = {"Authorization": f"Bearer {running.token}"}
    try:
        async with connect(url, additional_headers=headers, proxy=None) as socket:
            yield Far(running, socket)
    except (OSError, InvalidHandshake, ConnectionClosed) as error:
        raise NotReady(
            f"the mind (process {running.pid}) does not answer: {error}",
            hint="it may be starting or stopping: try again",
        ) from error


def ended(event: Told) -> Told | None:
    """The end of a turn, as the `done` event tells it, if this is one. An error with an id is about a question."""
    if event["type"] == "done":
        return event
    if event["type"] == "error" and "id" not in event:
        error = {key: event[key] for key in ("code", "message", "hint")}
        return {"type": "done", "reply": "", "tools": [], "error": error}
    return None


def show_question(question: Told) -> None:
    """What is asked, before the person says yes or no."""
    arguments = ", ".join(f"{key}={value!r}" for key, value in question["arguments"].items())
    print(f"\nMay I do this? {question['tool']}({arguments})", flush=True)
    print(f"  {question['consequence']}  [{question['reason']}]", flush=True)


async def yes_or_no(question: Told) -> bool:
    """Ask the person at the terminal."""
    show_question(question)
    try:
        answer = await asyncio.to_thread(input, "  yes or no: ")
    except EOFError:
        return False
    return answer.strip().casefold() in YES
