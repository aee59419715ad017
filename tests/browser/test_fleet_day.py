"""A day in the life of a fleet: a control plane, two devices and the network between, as real processes; an operator.

Enrolled by code and given a personality, the devices lose their network for an hour. What is pressed and talked about
meanwhile arrives once and in order, and the operator sees it on the page.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from reachy_mind.bench.fault_proxy import FaultProxy
from reachy_mind.bench.fleet_processes import ControlNode
from reachy_mind.body import wav
from reachy_mind.errors import MindError
from reachy_mind.fleet.agent.control_socket import ask_agent
from reachy_mind.fleet.device.enrolment import enrol
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.speech import flite
from reachy_mind.storage.home import Home
from tests.browser.browsing import DESKTOP, PATIENCE_MS, TELL_VIOLATIONS, Visit, in_chromium, launched
from tests.speech.conftest import needs_flite
from tests.waiting import until

pytestmark = [*in_chromium, pytest.mark.process, needs_flite]

HOUR_S = 3600
QUESTION = "What time is it?"
TALK_S = 90.0
"""Until a device has loaded what it needs to answer by itself, on a busy machine."""


class Agent:
    """`reachy-mind device run` without hardware; `clock` is the file that moves its clock."""

    def __init__(self, folder: Path, clock: Path, question: Path) -> None:
        self.home, self._clock, self._log = folder, clock, folder / "log"
        self._environment = os.environ | {
            "REACHY_MIND_HOME": str(folder),
            "REACHY_MIND_SPEECH__VOICE": "flite",
            "REACHY_MIND_DEVICE__MICROPHONE_FILE": str(question),
        }
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Agent:
        module = (sys.executable, "-m", "reachy_mind.bench.jumping_clock", str(self._clock), "reachy_mind")
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(*module, "device", "run", "--pins", "mock", "--sound", "null"),
                env=self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        await until(self._answers)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        await self._process.wait()

    async def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.returncode is None, self._log.read_text()
        with contextlib.suppress(MindError):
            return bool(await self.told())
        return False

    async def told(self) -> dict[str, Any]:
        return await self._ask("status")

    async def press(self, button: str, press: str = "single") -> None:
        await self._ask("press", button=button, press=press)

    async def until(self, within: float = 30.0, **wanted: Any) -> None:
        """Until its status has these values."""

        async def has_them() -> bool:
            told = await self.told()
            return all(told[key] == value for key, value in wanted.items())

        await until(has_them, within)

    async def _ask(self, do: str, **about: Any) -> dict[str, Any]:
        return await ask_agent(self.home / "fleet" / "device", {"do": do, **about})


@contextlib.asynccontextmanager
async def operator(node: ControlNode) -> AsyncIterator[Page]:
    """The page, as an operator who has logged in; nothing may have gone wrong on it at the end."""
    key = (await node.request("POST", "operators", {"name": "Ada", "role": "operator"}))["key"]
    async with launched() as browser:
        how: dict[str, Any] = {"viewport": DESKTOP, "reduced_motion": "reduce"}
        context = await browser.new_context(**how)
        context.set_default_timeout(PATIENCE_MS)
        await context.add_init_script(TELL_VIOLATIONS)
        here = Visit(context, await context.new_page(), node.url)
        await here.open()
        await here.page.get_by_label("Your key").fill(key)
        await here.page.get_by_role("button", name="Log in").click()
        await expect(here.page.locator("#connection")).to_have_text("Live")
        yield here.page
        assert not here.faults, "\n".join(here.faults)


async def enrolled(page: Page, url: str, agent: Agent, name: str) -> None:
    """The operator makes a code on the page, and it is typed in at the device."""
    await page.goto(f"{page.url.partition('#')[0]}#/enrol")
    await page.get_by_label("What it shall be called").fill(name)
    await page.get_by_label("Groups").fill("ward")
    await page.get_by_role("button", name="Make a code").click()
    code = await page.locator(".code").inner_text()
    await enrol(Home(agent.home), HubAddress(url), code)
    await agent.until(fleet="connected")


def row(page: Page, name: str) -> Any:
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


async def events(node: ControlNode, device: str) -> list[dict[str, Any]]:
    """What the control plane has of a device, oldest first."""
    return (await node.pages("events", device=device))[::-1]


@dataclass
class House:
    """Two devices that reach their control plane by a network. `clock` moves the clocks of all of them."""

    node: ControlNode
    network: FaultProxy
    hall: Agent
    kitchen: Agent
    page: Page
    clock: Path


@contextlib.asynccontextmanager
async def a_house(folder: Path) -> AsyncIterator[House]:
    question, clock = folder / "question.wav", folder / "clock"
    clock.write_text("0")
    spoken = b"".join([piece async for piece in flite.voice().synthesize(QUESTION)])
    question.write_bytes(wav.write(spoken + bytes(64_000)))
    for name in ("hall", "kitchen"):
        (folder / name).mkdir()
    async with (
        ControlNode(folder / "node", clock=clock) as node,
        FaultProxy(node.port) as network,
        Agent(folder / "hall", clock, question) as hall,
        Agent(folder / "kitchen", clock, question) as kitchen,
        operator(node) as page,
    ):
        yield House(node, network, hall, kitchen, page, clock)


async def roll_out_to_the_ward(house: House) -> None:
    page = house.page
    await page.goto(f"{house.node.url}/#/personas")
    await page.locator("summary").filter(has_text="companion").click()
    await page.get_by_role("button", name="Roll out").click()
    await page.get_by_label("Devices", exact=True).select_option("group ward")
    await page.get_by_role("button", name="Begin").click()
    await expect(page.locator(".rollout").filter(has_text="companion")).to_contain_text("2 have it")
    for agent in (house.hall, house.kitchen):
        await agent.until(persona="companion", state="idle")


async def an_hour_offline(house: House) -> None:
    """Buttons, a conversation and an emergency while the network is down; each is felt at the device."""
    house.network.refuse = True
    house.network.cut()
    await house.page.goto(f"{house.node.url}/#/devices")
    for name in ("hall", "kitchen"):
        await expect(row(house.page, name)).to_contain_text("Offline")
    await house.hall.press("blue", "double")
    house.clock.write_text(str(HOUR_S))
    await house.hall.press("green")
    await house.hall.until(state="responding", conversation="device", within=TALK_S)
    await house.kitchen.press("green", "double")
    await house.hall.press("red")
    await house.hall.until(state="emergency", emergencies=1, conversation="")


async def the_network_is_back(house: House) -> None:
    """The operator sees the alarm, answers it, and ends it; the device says so, and is what it was before."""
    house.network.refuse = False
    alarm = house.page.get_by_role("alertdialog")
    await expect(alarm).to_contain_text("Help is needed: hall")
    await house.hall.until(persona="emergency", waiting=0)
    await alarm.get_by_label("Note").fill("I am on my way.")
    await alarm.get_by_role("button", name="I take care of it").click()
    await house.hall.until(alarm=None, said="I am on my way.")
    (emergency,) = await house.node.pages("emergencies")
    await house.node.request("POST", f"emergencies/{emergency['id']}/close")
    await house.hall.until(persona="companion", waiting=0)
    await house.kitchen.until(waiting=0)


async def test_an_hour_without_a_network_loses_and_repeats_nothing(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        node, page = house.node, house.page
        for agent, name in ((house.hall, "hall"), (house.kitchen, "kitchen")):
            await enrolled(page, f"http://127.0.0.1:{house.network.port}", agent, name)
        await roll_out_to_the_ward(house)
        await an_hour_offline(house)
        dinner = {"type": "speak", "payload": {"text": "Dinner is ready."}}
        sent = await node.request("POST", "devices/hall/commands", dinner)
        await the_network_is_back(house)

        found = await events(node, "hall")
        assert len({each["id"] for each in found}) == len(found)
        pressed = [each for each in found if each["type"] in ("button.pressed", "emergency.pressed")]
        assert [(each["type"], each["payload"].get("press")) for each in pressed] == [
            ("emergency.pressed", None),
            ("button.pressed", "double"),
            ("button.pressed", "single"),
        ], "the emergency first, then what was pressed, as it was pressed"
        assert pressed[2]["ts"] - pressed[1]["ts"] >= 1000 * HOUR_S, "an event says when it was, not when it arrived"
        others = [each["payload"] for each in await events(node, "kitchen") if each["type"] == "button.pressed"]
        assert others == [{"button": "green", "press": "double"}]
        (command,) = [each for each in await node.pages("devices/hall/commands") if each["id"] == sent["id"]]
        assert command["state"] == "done"

        await page.goto(f"{node.url}/#/devices")
        await row(page, "hall").get_by_role("link", name="hall", exact=True).click()
        log = page.locator(".log")
        for seen in ("button: blue, press: double", "request persona: emergency", "text: Dinner is ready."):
            await expect(log).to_contain_text(seen)
