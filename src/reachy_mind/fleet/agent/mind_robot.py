"""`MindRobot`: a Reachy Mini whose mind runs on the same machine. What the fleet asks of it goes through that mind."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final

from reachy_mind import log
from reachy_mind.client import Client
from reachy_mind.errors import MindError, NotReady
from reachy_mind.fleet.device.personas import PersonaTexts
from reachy_mind.storage.home import Home
from reachy_mind.storage.owner import OwnerRecord

STOP_TIMEOUT_S: Final = 3.0
PARTS: Final = {
    "instructions": "instructions.txt",
    "voice": "voice.txt",
    "greeting": "greeting.txt",
    "about": "about.txt",
}
"""What a profile takes over of a personality; its tools stay those of the mind."""

_log = log.get(__name__)


class MindRobot:
    """Raises NotReady while no mind runs, RemoteError for what it refuses."""

    def __init__(self, home: Home, usual: str) -> None:
        """`usual`: the profile without one of the fleet, when it is not known which one the mind had before."""
        self._record = OwnerRecord(home)
        self._usual = usual
        self._of_fleet = False

    async def set_persona(self, persona: PersonaTexts | None) -> None:
        """Switch the mind's profile to the one of this name; None: to what it had before the fleet asked for any. The
        fleet's texts are saved where it has none, or has them from before; a profile that came with the program is as
        it is there."""
        if persona is None:
            await self._ask("POST", f"profiles/{self._usual}/activate", {})
            self._of_fleet = False
            return
        found = await self._ask("GET", "profiles?limit=500")
        known = {each["name"]: each for each in found["profiles"]}
        if not self._of_fleet and found["active"] != persona.id:
            self._usual = found["active"]
        texts = {part: text for part, file in PARTS.items() if (text := persona.files.get(file, "").strip())}
        if persona.id not in known:
            await self._ask("POST", "profiles", {"name": persona.id, **texts})
        elif known[persona.id]["source"] == "user":
            await self._ask("PUT", f"profiles/{persona.id}", texts)
        await self._ask("POST", f"profiles/{persona.id}/activate", {})
        self._of_fleet = True

    async def stop(self) -> None:
        """Stop every movement."""
        await self._ask("POST", "robot/stop", timeout=STOP_TIMEOUT_S)

    async def stop_moves(self) -> None:
        """As `stop`; the robot of an activity."""
        await self.stop()

    async def move(self, name: str) -> None:
        """Play a recorded move, to its end."""
        await self._call("robot.play_move", {"name": name})

    async def play_move(self, name: str, *, at: float) -> None:
        """The same, beginning at a time of time.monotonic."""
        await asyncio.sleep(max(0.0, at - time.monotonic()))
        await self.move(name)

    async def health(self) -> dict[str, Any]:
        """What the robot reports; why it can't, as `trouble`."""
        try:
            return await self._ask("GET", "robot/state", timeout=STOP_TIMEOUT_S)
        except MindError as error:
            return {"trouble": error.message}

    async def _call(self, tool: str, arguments: dict[str, Any]) -> None:
        answer = await self._ask("POST", "tools/execute", {"tool_name": tool, "parameters": arguments})
        error = answer.get("error")
        if error is not None:
            raise NotReady(f"the robot refuses {tool}: {error.get('message', '')}", hint=str(error.get("hint", "")))

    async def _ask(
        self, method: str, route: str, content: dict[str, Any] | None = None, *, timeout: float = 30.0
    ) -> dict[str, Any]:
        owner = await asyncio.to_thread(self._record.read)
        if owner is None:
            raise NotReady("no mind runs on this machine", hint="start it: reachy-mind run")
        return await Client(owner).ask(method, route, content, timeout=timeout)
