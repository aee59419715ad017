"""A Reachy Mini in the fleet: a device that attaches to the mind on the same machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.client import Client
from reachy_mind.errors import MindError, NotReady
from reachy_mind.fleet.agent.mind_robot import MindRobot
from reachy_mind.fleet.device.personas import PersonaTexts
from reachy_mind.storage.home import Home
from reachy_mind.storage.owner import OwnerRecord
from tests.fakes.minds import running

pytestmark = pytest.mark.process


async def test_the_fleet_s_personality_becomes_its_profile(tmp_path: Path) -> None:
    robot = MindRobot(Home(tmp_path), "default")
    with pytest.raises(NotReady, match="no mind runs"):
        await robot.stop()
    assert "no mind runs" in (await robot.health())["trouble"]
    with running(tmp_path, "--robot", "none"):
        owner = OwnerRecord(Home(tmp_path)).read()
        assert owner is not None
        mind = Client(owner)

        async def active() -> str:
            return str((await mind.ask("GET", "profiles"))["active"])

        await robot.set_persona(PersonaTexts("companion", "", {"instructions.txt": "Something else."}))
        assert await active() == "companion"
        for text in ("Be kind.", "Be very kind."):
            await robot.set_persona(PersonaTexts("of-the-fleet", "", {"instructions.txt": text}))
            assert await active() == "of-the-fleet"
            assert text in str(await mind.ask("GET", "profiles/of-the-fleet"))
        await robot.set_persona(None)
        assert await active() == "default", "what it had before the fleet asked for any"
        shipped = await mind.ask("GET", "profiles/companion")
        assert "Something else." not in str(shipped), "what came with the program stays"
        with pytest.raises(MindError):
            await robot.move("nothing of this name")
