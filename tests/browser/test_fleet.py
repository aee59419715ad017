"""The fleet's page in Chromium: who is there, what they get, and an alarm that nobody can miss."""

from __future__ import annotations

import asyncio
import contextlib
import io
import wave
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Route, expect
from websockets.asyncio.client import connect

from reachy_mind.bench.fleet_servers import free_port
from reachy_mind.config.configuration import load
from reachy_mind.fleet.control import bulk, device_socket, devices, emergencies, operators, personas, service
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.operators import Role
from reachy_mind.fleet.control.service import ControlService
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import Frame, decode, encode, new_frame
from tests.browser.browsing import DESKTOP, PATIENCE_MS, PHONE, TELL_VIOLATIONS, Visit, in_chromium, launched
from tests.waiting import until

pytestmark = [*in_chromium, pytest.mark.process]

VIEWS = ("devices", "activities", "enrol", "personas", "rollouts", "emergencies", "escalation")
VILE = "<img src=x onerror=alert(1)>"


@dataclass
class Companion:
    """A device that is connected and does what it is told. `heard`: the commands."""

    device: Device
    url: str
    token: str
    heard: list[Frame] = field(default_factory=list)
    _seq: int = 0
    _usual: int = 0

    @contextlib.asynccontextmanager
    async def connected(self) -> AsyncIterator[Companion]:
        authorization = {"Authorization": f"Bearer {self.token}"}
        how: dict[str, Any] = {"subprotocols": ["cp1"], "additional_headers": authorization}
        async with connect(self.url, compression=None, proxy=None, **how) as socket:
            self._socket = socket
            await self._say("hello", {"device": self.device.id, "boot": "boot", "epoch": "epoch", "agent": "test 1.0"})
            welcome = decode(str(await socket.recv()))
            self._seq = welcome.p["up"].get("seq0", 0)
            self._usual = welcome.p["up"].get("seq", 0)
            await self._say("heartbeat", {"battery_percent": 80, "stored": 2, "state": "idle"})
            listening = asyncio.create_task(self._listen())
            try:
                yield self
            finally:
                listening.cancel()
                await asyncio.wait([listening])

    async def press(self, message: str) -> None:
        self._seq += 1
        await self._say("emergency.pressed", {"message": message}, prio=0, seq=self._seq)

    async def press_button(self, button: str, wanted: str) -> None:
        self._usual += 1
        await self._say("button.pressed", {"button": button, "request_persona": wanted}, seq=self._usual)

    async def beat(self, **about: Any) -> None:
        """Say how it is."""
        await self._say("heartbeat", about)

    async def _say(self, type_: str, payload: dict[str, Any], **fields: Any) -> None:
        await self._socket.send(encode(new_frame(type_, payload, **fields)))

    async def _listen(self) -> None:
        async for text in self._socket:
            frame = decode(str(text))
            self.heard.append(frame)
            if frame.seq is not None:
                await self._say("ack", {}, **{"ack0" if frame.prio == 0 else "ack": frame.seq})
            if frame.type == "twin.desired":
                await self._say(
                    "twin.reported", {key: frame.p[key] for key in ("version", "persona", "config", "volume")}
                )


@dataclass
class Fleet:
    """A control plane that serves."""

    service: ControlService
    tenant: str
    keys: dict[Role, str]
    logins: dict[Role, Any] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return self.service.local.url

    async def companion(self, name: str, *groups: str) -> Companion:
        def add(sql: Sql) -> tuple[Device, str]:
            made = devices.add(sql, self.tenant, name, groups)
            return made, devices.new_token(sql, made.id)

        device, token = await self.service.plane.store.write(add)
        return Companion(device, self.url.replace("http", "ws") + device_socket.PATH, token)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with launched("--autoplay-policy=user-gesture-required") as one:
        yield one


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def fleet(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Fleet]:
    home = tmp_path_factory.mktemp("fleet")
    environ = {"REACHY_MIND_HOME": str(home)}
    async with service.running(load(flags={"fleet.port": str(free_port())}, environ=environ, folder=home)) as served:

        def people(sql: Sql) -> tuple[str, dict[Role, str]]:
            tenant = sql.row("SELECT id FROM tenant")
            assert tenant is not None
            roles: tuple[Role, ...] = ("viewer", "operator", "admin")
            keys = {role: operators.add(sql, tenant["id"], f"the {role}", role)[1] for role in roles}
            return tenant["id"], keys

        yield Fleet(served, *await served.plane.store.write(people))


Coming = Callable[..., Awaitable[Visit]]


@pytest_asyncio.fixture(loop_scope="module")
async def come(browser: Browser, fleet: Fleet, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Coming]:
    """Visitors of the page, who have logged in. At the end nobody may have seen an error or another host."""
    open_ones: list[Visit] = []

    async def one(role: Role | None = "admin", view: str = "devices", **how: Any) -> Visit:
        state = await _login(browser, fleet, role) if role is not None else None
        usual: dict[str, Any] = {"viewport": DESKTOP, "reduced_motion": "reduce", "storage_state": state}
        context = await browser.new_context(**usual | how)
        context.set_default_timeout(PATIENCE_MS)
        await context.add_init_script(TELL_VIOLATIONS)
        here = Visit(context, await context.new_page(), fleet.url)
        open_ones.append(here)
        await here.open(f"/#/{view}")
        if role is not None:
            await expect(here.page.locator("#connection")).to_have_text("Live")
        return here

    yield one
    for number, here in enumerate(open_ones):
        await here.page.screenshot(path=tmp_path / f"visitor-{number}.png")
        await here.context.close()
    faults = [fault for here in open_ones for fault in here.faults]
    assert not faults, "\n".join(faults)


async def _login(browser: Browser, fleet: Fleet, role: Role) -> Any:
    """The state of a browser that has logged in; once for each role, because attempts are limited."""
    if role not in fleet.logins:
        context = await browser.new_context()
        page = await context.new_page()
        await page.goto(fleet.url)
        await page.get_by_label("Your key").fill(fleet.keys[role])
        await page.get_by_role("button", name="Log in").click()
        await expect(page.get_by_role("heading", name="Devices")).to_be_visible()
        fleet.logins[role] = await context.storage_state()
        await context.close()
    return fleet.logins[role]


def row(page: Page, name: str) -> Any:
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


async def test_only_a_key_lets_people_in_and_logging_out_ends_it(fleet: Fleet, come: Coming) -> None:
    here = await come(None)
    here.forgive("401")
    await here.page.get_by_label("Your key").fill("op_000000000000_" + "x" * 43)
    await here.page.get_by_role("button", name="Log in").click()
    await expect(here.page.get_by_role("alert")).to_be_visible()
    await here.page.get_by_label("Your key").fill(fleet.keys["viewer"])
    await here.page.get_by_role("button", name="Log in").click()
    await expect(here.page.get_by_role("heading", name="Devices")).to_be_visible()
    assert await here.page.evaluate("document.cookie") == "", "scripts must not see the login"
    await expect(here.page.get_by_role("link", name="Enrol a device")).to_be_hidden()
    await here.page.get_by_role("button", name="Log out").click()
    await expect(here.page.get_by_label("Your key")).to_be_visible()
    await here.page.reload()
    await expect(here.page.get_by_label("Your key")).to_be_visible()


async def test_a_device_that_comes_and_goes_is_seen_without_a_reload(fleet: Fleet, come: Coming) -> None:
    kitchen = await fleet.companion("kitchen", "downstairs")
    here = await come()
    await expect(row(here.page, "kitchen")).to_contain_text("Offline")
    async with kitchen.connected():
        await expect(row(here.page, "kitchen")).to_contain_text("Online")
        await fleet.service.plane.hub.flush_presence()
        await here.page.reload()
        await expect(row(here.page, "kitchen")).to_contain_text("80 %")
        await expect(row(here.page, "kitchen")).to_contain_text("2 events on it")
    await expect(row(here.page, "kitchen")).to_contain_text("Offline")
    await here.page.get_by_label("Find").fill("no such")
    await expect(row(here.page, "kitchen")).to_be_hidden()


async def test_many_devices_are_searched_by_the_server_page_by_page(fleet: Fleet, come: Coming) -> None:
    def add(sql: Sql) -> None:
        made = bulk.add(sql, fleet.tenant, bulk.names("ward", 120), "wards")
        sql.run("UPDATE device SET trouble = 'hot', heartbeat = ? WHERE id = ?", '{"temperature_c": 91}', made[99].id)

    await fleet.service.plane.store.write(add)
    here = await come("operator")
    rows = here.page.locator("tbody tr")
    await here.page.get_by_label("Group").select_option("wards")
    await expect(here.page.locator(".sum")).to_contain_text("120 devices of these")
    await expect(rows).to_have_count(50)
    await here.page.get_by_role("button", name="Show more").click()
    await expect(rows).to_have_count(100)
    await here.page.get_by_role("button", name="Show more").click()
    await expect(rows).to_have_count(120)
    await here.page.get_by_label("Find").fill("WARD-00117")
    await expect(rows).to_have_count(1)
    await here.page.get_by_role("button", name="Show all again").click()
    await here.page.get_by_label("Problem").select_option("hot")
    await expect(rows).to_have_count(1)
    await expect(row(here.page, "ward-00100")).to_contain_text("91 °C")
    await here.page.get_by_role("link", name="ward-00100").click()
    await here.page.get_by_role("link", name="All devices").click()
    await expect(rows).to_have_count(1)
    await here.page.get_by_role("button", name="Show all again").click()


async def test_what_a_device_does_is_seen_and_logged_as_it_happens(fleet: Fleet, come: Coming) -> None:
    salon = await fleet.companion("salon")
    async with salon.connected():
        here, there = await come("operator"), await come("operator", f"device/{salon.device.id}", viewport=PHONE)
        await expect(row(here.page, "salon")).to_contain_text("idle")
        await salon.beat(state="listening", temperature_c=85)
        await expect(row(here.page, "salon")).to_contain_text("listening")
        await expect(row(here.page, "salon")).to_contain_text("Too hot")
        await salon.press_button("green", "companion")
        await expect(row(here.page, "salon")).to_contain_text("companion")
        log = there.page.locator(".log")
        await expect(log).to_contain_text("button: green, request persona: companion")
        await there.page.get_by_label("What it says then").fill("Now we sing.")
        await there.page.get_by_label("Its latest version").select_option("entertainer")
        await there.page.get_by_role("button", name="Give it this one").click()
        await expect(row(here.page, "salon")).to_contain_text("entertainer")
        assert salon.heard[-1].p["config"] == {"transition_message": "Now we sing."}
        await there.page.get_by_label("Say", exact=True).fill("Hello")
        await there.page.get_by_role("button", name="Say it").click()
        await expect(log).to_contain_text("text: Hello")
        await there.page.get_by_label("Show", exact=True).select_option("command")
        await expect(log).not_to_contain_text("button pressed")
        await there.page.get_by_label("Play a sound").set_input_files(
            {"name": "bell.wav", "mimeType": "audio/wav", "buffer": silence()}
        )
        await there.page.get_by_role("button", name="Play it").click()
        await until(lambda: any(frame.type == "audio.play" for frame in salon.heard))


async def test_a_group_hears_a_text_and_does_something_together(fleet: Fleet, come: Coming) -> None:
    one, two = await fleet.companion("oak", "trees"), await fleet.companion("pine", "trees")
    async with one.connected(), two.connected():
        here = await come("operator")
        await here.page.get_by_label("Group").select_option("trees")
        await here.page.get_by_text("Tell all of trees").click()
        await here.page.get_by_label("Text").fill("Coffee is ready.")
        await here.page.get_by_role("button", name="Say it").click()
        for each in (one, two):
            await until(lambda each=each: any(frame.type == "speak" for frame in each.heard))  # type: ignore[misc]
        await here.page.get_by_role("button", name="Show all again").click()
        await here.open("/#/activities")
        await here.page.get_by_text("New activity").click()
        await here.page.get_by_label("What", exact=True).select_option("music")
        await here.page.get_by_label("With whom").select_option("trees")
        await here.page.get_by_role("button", name="Begin").click()
        made = here.page.locator(".rollout")
        await expect(made).to_contain_text("Music for trees")
        await until(lambda: any(frame.type == "activity.prepare" for frame in two.heard))
        await made.get_by_role("button", name="End it").click()
        await expect(made).to_contain_text("ended")


async def test_a_press_for_help_is_an_alarm_until_a_person_answers_and_the_device_learns_who(
    fleet: Fleet, come: Coming
) -> None:
    bedroom = await fleet.companion("bedroom")
    here, there = await come("operator"), await come("viewer", "emergencies", viewport=PHONE)
    async with bedroom.connected():
        await bedroom.press(VILE)
        alarm = here.page.get_by_role("alertdialog")
        await expect(alarm).to_contain_text("Help is needed: bedroom")
        await expect(alarm).to_contain_text(VILE)
        await until(lambda: _title(here.page, "Help is needed: bedroom"))
        assert await here.hits(".alarm-card .strong")
        assert await here.axe() == []
        assert await here.page.evaluate("document.activeElement.getAttribute('role')") == "alertdialog"
        await bedroom.press("")
        await expect(alarm).to_contain_text("pressed 2 times")
        await expect(there.page.get_by_role("alertdialog")).to_contain_text("You may look only")
        await expect(there.page.get_by_role("button", name="I take care of it")).to_have_count(0)
        await alarm.get_by_label("Note").fill("on my way")
        await alarm.get_by_role("button", name="I take care of it").click()
        for visitor in (here, there):
            await expect(visitor.page.get_by_role("alertdialog")).to_be_hidden()
        await until(lambda: [frame for frame in bedroom.heard if frame.type == "emergency.acknowledged"])
    answer = next(frame for frame in bedroom.heard if frame.type == "emergency.acknowledged")
    assert (answer.p["by"], answer.p["note"]) == ("the operator", "on my way")
    await until(lambda: _title(here.page, "Reachy Mind fleet"))
    await there.page.locator("summary").filter(has_text="bedroom").click()
    await expect(there.page.locator(".inside").first).to_contain_text("by the operator")


async def test_a_test_of_the_alarm_says_that_it_is_one(fleet: Fleet, come: Coming) -> None:
    garage = await fleet.companion("garage")
    here = await come("operator", f"device/{garage.device.id}")
    await here.page.get_by_role("button", name="Test its alarm").click()
    alarm = here.page.get_by_role("alertdialog")
    await expect(alarm).to_contain_text("TEST of the alarm: garage")
    assert await here.axe() == []
    await alarm.get_by_role("button", name="I take care of it").click()
    await expect(alarm).to_be_hidden()


async def test_an_alarm_that_was_put_aside_comes_back(fleet: Fleet, come: Coming) -> None:
    attic = await fleet.companion("attic")
    here = await come("operator", viewport=PHONE)
    async with attic.connected():
        await attic.press("first")
        await here.page.get_by_role("button", name="Show the page").click()
        await expect(here.page.get_by_role("alertdialog")).to_be_hidden()
        bar = here.page.get_by_role("button", name="Help is needed: attic")
        await expect(bar).to_be_visible()
        await attic.press("again")
        await expect(here.page.get_by_role("alertdialog")).to_contain_text("pressed 2 times")
        await here.page.get_by_role("button", name="I take care of it").click()
        await expect(here.page.get_by_role("alertdialog")).to_be_hidden()
        await expect(bar).to_be_hidden()


async def test_an_alarm_comes_without_the_live_stream_and_silence_of_the_server_is_told(
    fleet: Fleet, come: Coming
) -> None:
    hall = await fleet.companion("hall")
    here = await come("operator")
    here.forgive("ERR_FAILED", "ERR_CONNECTION", "live")

    async def refuse(route: Route) -> None:
        await route.abort()

    await here.page.route("**/fleet/v1/live", refuse)
    await here.page.clock.install()
    await here.page.reload()
    await expect(here.page.locator("#connection")).to_have_text("Not live")
    async with hall.connected():
        await hall.press("")
        await until(lambda: _open_emergencies(fleet))
        await here.page.clock.fast_forward(5_000)
        await expect(here.page.get_by_role("alertdialog")).to_contain_text("Help is needed: hall")
        await here.page.get_by_role("button", name="I take care of it").click()
        await expect(here.page.get_by_role("alertdialog")).to_be_hidden()
    await here.page.route("**/fleet/v1/**", refuse)
    await here.page.clock.fast_forward(5_000)
    await expect(here.page.locator("#banner")).to_contain_text("no alarm reaches this page")
    await here.page.unroute("**/fleet/v1/**")
    await here.page.unroute("**/fleet/v1/live")
    await here.page.clock.fast_forward(30_000)
    await expect(here.page.locator("#banner")).to_be_hidden()
    await expect(here.page.locator("#connection")).to_have_text("Live")


async def test_the_siren_sounds_after_a_click_and_ends_with_the_answer(fleet: Fleet, come: Coming) -> None:
    cellar = await fleet.companion("cellar")
    here = await come("operator")
    await here.page.clock.install()
    await here.page.reload()
    await expect(here.page.get_by_role("heading", name="Devices")).to_be_visible()
    await here.page.evaluate(
        """() => {
          window.tones = 0;
          const start = OscillatorNode.prototype.start;
          OscillatorNode.prototype.start = function (...at) { window.tones += 1; return start.apply(this, at); };
        }"""
    )
    button = here.page.get_by_role("button", name="Switch the alarm's sound on")
    await expect(button).to_be_visible()
    await here.page.keyboard.press("Tab")
    await expect(button).to_be_hidden()
    async with cellar.connected():
        await cellar.press("")
        await expect(here.page.get_by_role("alertdialog")).to_be_visible()
        await here.page.clock.fast_forward(10_000)
        await until(lambda: _evaluates(here.page, "window.tones >= 8"))
        await here.page.get_by_role("button", name="I take care of it").click()
        await expect(here.page.get_by_role("alertdialog")).to_be_hidden()
    before = await here.page.evaluate("window.tones")
    await here.page.clock.fast_forward(60_000)
    assert await here.page.evaluate("window.tones") == before


async def test_a_device_says_what_is_typed_and_gets_its_settings(fleet: Fleet, come: Coming) -> None:
    porch = await fleet.companion("porch")
    async with porch.connected():
        here = await come("operator", f"device/{porch.device.id}")
        await here.page.get_by_label("Say", exact=True).fill("Dinner is ready.")
        await here.page.get_by_role("button", name="Say it").click()
        await until(lambda: any(frame.p == {"text": "Dinner is ready."} for frame in porch.heard))
        await here.page.get_by_text("Settings", exact=True).click()
        await here.page.get_by_label("Volume").fill("30")
        await here.page.get_by_role("button", name="Set the volume").click()
        await until(lambda: any(frame.p.get("volume") == 30 for frame in porch.heard))
        await here.page.get_by_label("As JSON").fill('{"wake_word": "reachy"}')
        await here.page.get_by_role("button", name="Send it").click()
        await until(lambda: any(frame.p.get("config") == {"wake_word": "reachy"} for frame in porch.heard))
        await here.page.get_by_label("Name", exact=True).fill("veranda")
        await here.page.get_by_label("Groups").fill("outside, quiet")
        await here.page.get_by_role("button", name="Save").click()
        await expect(here.page.get_by_role("heading", name="veranda")).to_be_visible()
        await expect(here.page.get_by_role("definition").filter(has_text="outside, quiet")).to_be_visible()
        await expect(here.page.get_by_text("Revoke it")).to_be_hidden()


async def test_revoking_needs_the_name(fleet: Fleet, come: Coming) -> None:
    shed = await fleet.companion("shed")
    async with shed.connected():
        here = await come("admin", f"device/{shed.device.id}")
        await here.page.get_by_text("Revoke it").click()
        await here.page.get_by_label("Type its name").fill("shet")
        await here.page.get_by_role("button", name="Revoke this device").click()
        await expect(here.page.get_by_role("alert").filter(has_text="That is not its name")).to_be_visible()
        await here.page.get_by_label("Type its name").fill("shed")
        await here.page.get_by_role("button", name="Revoke this device").click()
        await expect(here.page.get_by_role("heading", name="Devices")).to_be_visible()
        await expect(row(here.page, "shed")).to_be_hidden()


async def test_a_device_is_enrolled_with_the_code_on_the_page(fleet: Fleet, come: Coming) -> None:
    here = await come("operator", "enrol")
    await here.page.get_by_label("What it shall be called").fill("garden")
    await here.page.get_by_role("button", name="Make a code").click()
    await expect(here.page.get_by_alt_text("QR code")).to_be_visible()
    assert await here.page.get_by_alt_text("QR code").evaluate(
        "(image) => image.decode().then(() => image.naturalWidth)"
    )
    code = (await here.page.locator(".code").inner_text()).replace(" ", "")
    phone = await come(None, viewport=PHONE)
    await phone.open(f"/enrol#{code}")
    await expect(phone.page.locator(".code")).to_have_text(f"{code[:4]} {code[4:]}")
    async with httpx.AsyncClient(base_url=fleet.url, trust_env=False) as http:
        assert (await http.post("/fleet/v1/enrol", json={"code": code, "agent": "test"})).status_code == 200
    await expect(here.page.get_by_role("heading", name="garden")).to_be_visible()


async def test_a_personality_is_rolled_out_and_back(fleet: Fleet, come: Coming) -> None:
    bundle = personas.from_shipped("storyteller")
    for name in ("study", "library"):
        await fleet.companion(name, "books")
    one = await fleet.companion("reading room", "books")
    async with one.connected():
        here = await come("operator", "personas")
        rollout = here.page.locator(".rollout").filter(has_text="storyteller")
        await here.page.get_by_label("Which").select_option("storyteller")
        await here.page.get_by_role("button", name="Store it").click()
        await here.page.locator("summary").filter(has_text="storyteller").click()
        await here.page.get_by_role("button", name="Texts", exact=True).click()
        await expect(here.page.locator("pre").first).to_be_visible()
        await here.page.get_by_role("button", name="Roll out").click()
        await here.page.get_by_label("Devices", exact=True).select_option("group books")
        await here.page.get_by_role("button", name="Begin").click()
        await expect(rollout).to_contain_text("1 have it")
        await expect(rollout).to_contain_text("2 of those sent are offline")
        persona = {"id": "storyteller", "etag": bundle.etag}
        assert any(frame.p.get("persona") == persona for frame in one.heard)
        await rollout.get_by_role("button", name="Roll back", exact=True).click()
        await here.page.get_by_role("button", name="Roll back now").click()
        await expect(rollout).to_contain_text("3 went back")
        await until(lambda: one.heard[-1].p.get("persona", ...) is None)


async def test_an_admin_sets_the_alarm_and_others_only_see_it(come: Coming) -> None:
    here = await come("admin", "escalation")
    here.forgive("422")
    await here.page.get_by_role("button", name="Add a step").click()
    step = here.page.locator(".steps > li").nth(1)
    await step.get_by_label("Web address").fill("https://10.0.0.1/alarm/key")
    await here.page.get_by_role("button", name="Save").click()
    await expect(here.page.get_by_role("alert").filter(has_text="private network")).to_be_visible()
    await step.get_by_label("Web address").fill("https://8.8.8.8/alarm/key")
    await step.get_by_label("Secret").fill("s3cret")
    await step.get_by_label("After").fill("3600")
    await here.page.get_by_role("button", name="Save").click()
    await expect(here.page.get_by_text("One is stored")).to_be_visible()
    other = await come("viewer", "escalation")
    await expect(other.page.get_by_text("Webhook https://8.8.8.8")).to_be_visible()
    assert "key" not in await other.page.inner_text("main")
    await step.get_by_role("button", name="Remove this step").click()
    await here.page.get_by_role("button", name="Save").click()
    await expect(here.page.get_by_text("Saved.").first).to_be_visible()


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "dark"), (PHONE, "light")])
async def test_every_view_is_usable_by_all(fleet: Fleet, come: Coming, size: dict[str, int], scheme: str) -> None:
    """Contrast, names and roles, and no scrolling sideways."""
    one = await fleet.companion(f"{'long ' * 11}{size['width']}".strip())
    here = await come("admin", viewport=size, color_scheme=scheme)
    for view in (*VIEWS, f"device/{one.device.id}"):
        await here.open(f"/#/{view}")
        await expect(here.page.locator(".panel h2").first).to_be_visible()
        await here.page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        assert await here.axe() == [], view
        assert await here.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view


def silence() -> bytes:
    """A WAV file."""
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        file.writeframes(bytes(3200))
    return made.getvalue()


async def _open_emergencies(fleet: Fleet) -> list[dict[str, Any]]:
    return await fleet.service.plane.store.read(lambda sql: emergencies.listed(sql, fleet.tenant, state="open"))


async def _title(page: Page, part: str) -> bool:
    return part in await page.title()


async def _evaluates(page: Page, script: str) -> bool:
    return bool(await page.evaluate(script))
