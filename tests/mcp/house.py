"""A mind without a robot, with a film for a camera, behind its real server, the owner of its data folder, with a few
tools of a test's own; and the library's own client, by each way and in each generation of the protocol."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
from mcp.client.streamable_http import streamable_http_client
from PIL import Image

from mcp import Client, StdioServerParameters, stdio_client
from reachy_mind.access.loopback import listen
from reachy_mind.access.tokens import Tokens
from reachy_mind.config.configuration import load
from reachy_mind.mind import Mind
from reachy_mind.server.app import Server
from reachy_mind.storage.owner import Ownership
from reachy_mind.tools.context import Context
from reachy_mind.tools.definition import Tool, tool
from tests.body.media.films import film
from tests.tools import bench

MODERN = "2026-07-28"
WAYS = [(way, mode) for way in ("stdio", "http") for mode in ("legacy", MODERN)]


def jpeg(colour: str = "red") -> bytes:
    kept = io.BytesIO()
    Image.new("RGB", (32, 24), colour).save(kept, "JPEG")
    return kept.getvalue()


@tool(group="perception", tier="autonomous")
async def snapshot(ctx: Context) -> dict[str, Any]:
    """A small picture."""
    return {"message": "a picture", "image": base64.b64encode(jpeg()).decode(), "mime": "image/jpeg"}


@tool(group="perception", tier="autonomous")
async def peek(ctx: Context) -> dict[str, Any]:
    """A photo with the name of something else."""
    (ctx.parts.configuration.home.folder / "secret.jpg").write_bytes(jpeg())
    return {"photo": "../secret.jpg"}


@tool(group="test", tier="autonomous")
async def climb(ctx: Context, steps: int = 3) -> dict[str, Any]:
    """Tells how far it has got."""
    for step in range(steps):
        ctx.progress(step / steps, f"step {step}")
        await asyncio.sleep(0.01)
    return {"steps": steps}


TOOLS: tuple[Tool, ...] = (climb, bench.unlock, bench.transfer, bench.light, bench.hold, snapshot, peek)


@dataclass
class House:
    """The mind, where it is, and how to come in."""

    mind: Mind
    home: Path
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def token(self, name: str) -> tuple[str, str]:
        """Id and text of a new one."""
        token, text = Tokens(self.mind.configuration.home).new(name)
        return token.id, text

    async def audited(self, tool: str) -> dict[str, Any]:
        """The newest call of a tool, as it was written down."""
        rows, _ = await self.mind.toolbox.audit.query(tool=tool, limit=1)
        return rows[0]


def _camera(home: Path) -> str:
    home.mkdir(parents=True, exist_ok=True)
    return film(home / "camera.avi", [250] * 5)


@contextlib.asynccontextmanager
async def opened(home: Path, **settings: str) -> AsyncIterator[House]:
    """A house at a data folder, with the tools of these tests."""
    environ = {**os.environ, "REACHY_MIND_HOME": str(home), **settings}
    flags = {"robot.address": "none", "media.provider": "local", "media.camera": _camera(home)}
    configuration = load(flags=flags, environ=environ)
    with Ownership(configuration.home) as ownership, contextlib.closing(listen(0)) as listener:
        async with Mind(configuration, thinks=False).session() as mind:
            for each in TOOLS:
                mind.toolbox.registry.add(each, replace=True)
            server = Server(mind)
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            try:
                port = listener.getsockname()[1]
                ownership.announce(port)
                yield House(mind, home, port)
            finally:
                server.should_exit = True
                await serving


@dataclass
class Person:
    """Who sits at a client: what they were asked, and what they say."""

    says: types.ElicitResult = field(
        default_factory=lambda: types.ElicitResult(action="accept", content={"approve": True})
    )
    asked: list[str] = field(default_factory=list)
    thinks: asyncio.Event | None = None
    """Until when they think about it."""

    async def answer(self, _: Any, params: Any) -> types.ElicitResult:
        self.asked.append(params.message)
        if self.thinks is not None:
            await self.thinks.wait()
        return self.says


@contextlib.asynccontextmanager
async def client(
    house: House,
    way: str,
    mode: str,
    *,
    name: str = "tester",
    person: Person | None = None,
    server: str = "all",
    token: str = "",
) -> AsyncIterator[Client]:
    """The official client. Over HTTP it comes with a token of its own unless one is given."""
    about = types.Implementation(name=name, version="1")
    asks = {"elicitation_callback": person.answer} if person else {}
    if way == "stdio":
        env = {key: value for key, value in os.environ.items() if key.startswith(("REACHY_MIND", "COVERAGE"))}
        env["REACHY_MIND_HOME"] = str(house.home)
        start = StdioServerParameters(
            command=sys.executable, args=["-m", "reachy_mind", "mcp", "--server", server], env=env
        )
        async with Client(stdio_client(start), mode=mode, client_info=about, **asks) as made:  # type: ignore[arg-type]
            yield made
        return
    bearer = token or house.token(f"{name}-{os.urandom(4).hex()}")[1]
    path = house.url if server == "all" else f"{house.url}/{server}"
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {bearer}"}, timeout=30, trust_env=False) as http:
        transport = streamable_http_client(path, http_client=http)
        async with Client(transport, mode=mode, client_info=about, **asks) as made:  # type: ignore[arg-type]
            yield made


def said(result: types.CallToolResult) -> dict[str, Any]:
    """The outcome that a result carries."""
    content = result.structured_content
    assert isinstance(content, dict)
    return content
