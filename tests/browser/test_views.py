"""The other views of the page: who the robot is, its moves, tools, memory and settings, on a desk and on a phone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Locator, expect

from tests.browser.browsing import PHONE, Robot, Visit, in_chromium, watched
from tests.browser.conftest import Visiting
from tests.fakes.minds import Run
from tests.speech.conftest import needs_flite

pytestmark = in_chromium

VIEWS = ("Talk", "Camera", "Personality", "Moves", "Tools", "Workshop", "Memory", "Learning", "Training")
VIEWS += ("Developer", "Settings")
RULES = "# mine\nrules:\n  - {pattern: robot.dance, tier: confirm, reason: it is loud}\n"


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    home = tmp_path_factory.mktemp("views")
    (home / "permissions.yaml").write_text(RULES)
    with watched(home) as run:
        yield run


async def go(here: Visit, name: str, tab: str = "") -> Locator:
    """The view of that name, by the bar."""
    await here.page.get_by_role("navigation").get_by_role("link", name=name).click()
    view = here.page.locator("#view")
    if name != "Talk":
        await expect(view.get_by_role("heading", level=2)).to_be_focused()
    if tab:
        await view.get_by_role("tab", name=tab).click()
    return view


async def yes(here: Visit) -> None:
    await expect(here.cards).to_have_count(1)
    await here.cards.locator(".yes").click()
    await expect(here.cards).to_have_count(0)


async def test_a_personality_is_written_and_changed_while_it_is_in_use(visit: Visiting, robot: Robot) -> None:
    here, other = await visit(), await visit()
    view, theirs = await go(here, "Personality"), await go(other, "Personality")
    await view.locator("[data-profile=coach]").click()
    await expect(view.get_by_role("heading", level=3)).to_have_text("Coach")
    await view.get_by_label("Says hello with").fill("Ahoy, mate.")
    await view.get_by_label("Voice").select_option("f2")
    await view.locator("summary", has_text="Tools it may use").click()
    await view.get_by_label("dance", exact=True).uncheck()
    await view.get_by_label("Name of your own").fill("sea_captain")
    await view.get_by_role("button", name="Save as my own").click()
    await expect(view.get_by_role("heading", level=3)).to_have_text("Sea captain")
    await view.get_by_role("button", name="Be this").click()
    for each in (view, theirs):  # both see who it is now
        await expect(each.locator("[data-profile=sea_captain] .tag")).to_have_text("now")
    await view.get_by_label("Says hello with").fill("Land ahead!")
    await view.get_by_role("button", name="Save", exact=True).click()
    await expect(here.toasts.last).to_have_text("Saved: from now on I am like that.")
    told = (await robot.http.get("/profiles/sea_captain")).json()
    assert told["active"] and told["greeting"] == "Land ahead!" and told["voice"] == "f2"
    assert "nod" in told["tools"] and "dance" not in told["tools"]
    for visitor in (here, other):  # whoever asks about it while it goes is told so, and the list that follows shows it
        visitor.forgive("404.*profiles/sea_captain")
    await view.get_by_role("button", name="Delete").click()
    for each in (view, theirs):
        await expect(each.locator("[data-profile=sea_captain]")).to_have_count(0)
        await expect(each.locator("[data-profile=default] .tag")).to_have_text("now")


async def test_the_head_is_dragged_and_what_it_did_is_kept(visit: Visiting, robot: Robot, mind: Run) -> None:
    here = await visit()
    view = await go(here, "Moves")
    await view.get_by_role("button", name="Record").click()
    await expect(view.get_by_role("button", name="Stop recording")).to_be_visible()
    await expect(view.get_by_role("button", name="Let go")).to_be_visible()
    place = await here.page.locator("#canvas").bounding_box()
    assert place is not None
    middle, height = place["x"] + place["width"] / 2, place["y"] + place["height"] * 0.5
    async with robot.watched() as poses:
        await here.page.mouse.move(middle, height)
        await here.page.mouse.down()
        await here.page.mouse.move(middle + 60, height, steps=6)
        await expect(here.page.locator("#canvas.gripped")).to_have_count(1)
        await view.locator("summary", has_text="Sliders").evaluate(
            "(sliders) => { sliders.parentElement.open = true; }"
        )
        wished = float(await view.get_by_label("Left and right").input_value())
        assert abs(wished) > 10, "the pointer turned nothing"
        await here.page.mouse.up()
        while not poses or abs(poses[-1][5] - wished) > 4:
            await here.page.wait_for_timeout(50)
    await view.get_by_role("button", name="Stop recording").click()
    await expect(view.locator(".result svg.curves")).to_be_visible()
    await view.get_by_label("Name").fill("look_there")
    await view.get_by_role("button", name="Save").click()
    await expect(view.get_by_role("button", name="Play look there")).to_be_visible()
    kept = json.loads((mind.home / "moves" / "look_there.json").read_text())
    assert len(kept["time"]) > 10

    await here.stop.click()  # which takes the head out of every hand
    await expect(view.get_by_role("button", name="Take the head")).to_be_visible()
    await robot.look_ahead()
    async with robot.watched() as poses:
        await view.get_by_role("button", name="Play look there").click()
        await here.cards.get_by_role("button", name="Yes, do it").click()  # it may be a dance, and dances ask
        await expect(view.get_by_role("button", name="Play look there")).to_be_enabled()
    assert max(abs(pose[5]) for pose in poses) > abs(wished) - 6, "it is not what was recorded"
    row = view.locator(".row", has_text="look there")
    await row.locator("summary").click()
    await expect(row.locator("svg.curves")).to_be_visible()
    await row.get_by_role("button", name="Delete").click()
    await yes(here)
    await expect(view.get_by_role("button", name="Play look there")).to_have_count(0)


async def test_a_tool_is_called_by_its_form_and_stands_in_the_history(visit: Visiting) -> None:
    here = await visit()
    view = await go(here, "Tools")
    await view.get_by_role("searchbox", name="Search").fill("move head")
    row = view.locator("[data-tool='robot.move_head']")
    await row.locator("summary").click()
    await row.get_by_label("pitch").fill("99")
    await row.get_by_role("button", name="Do it").click()
    assert not await row.get_by_label("pitch").evaluate("(input) => input.validity.valid"), "the form knows the limits"
    await row.get_by_label("pitch").fill("")
    await row.get_by_label("direction").select_option("left")
    await row.get_by_role("button", name="Do it").click()
    await expect(row.locator(".outcome")).to_contain_text("Done")
    await view.get_by_role("tab", name="History").click()
    await view.get_by_label("Tool", exact=True).fill("move_head")
    call = view.locator("[role=tabpanel]:not([hidden]) .row")
    await expect(call.locator("strong")).to_have_text(["move head"])
    await call.locator("summary").click()
    await expect(call).to_contain_text('{"direction":"left"}')


async def test_a_permission_is_changed_after_a_yes_and_the_file_keeps_its_words(
    visit: Visiting, robot: Robot, mind: Run
) -> None:
    here, other = await visit(), await visit()
    view, theirs = await go(here, "Tools", "Permissions"), await go(other, "Tools", "Permissions")
    select = view.locator("[data-tool='robot.nod'] select")
    await select.select_option("forbidden")
    await expect(here.cards).to_have_count(1)
    here.forgive("status of 403")
    await here.cards.locator(".no").click()
    await expect(select).to_have_value("autonomous")
    assert (mind.home / "permissions.yaml").read_text() == RULES
    await select.select_option("forbidden")
    await expect(here.cards).to_have_count(1)
    await yes(other)  # everybody is asked, and one answers
    for each in (view, theirs):
        await expect(each.locator("[data-tool='robot.nod'] select")).to_have_value("forbidden")
    assert "# mine" in (mind.home / "permissions.yaml").read_text()
    refused = (await robot.http.post("/tools/execute", json={"tool_name": "nod"})).json()
    assert refused["outcome"] == "denied"
    await expect(view.locator("[data-tool='robot.stop'] select")).to_be_disabled()
    await select.select_option("declared")
    await yes(here)
    await expect(select).to_have_value("autonomous")
    assert (mind.home / "permissions.yaml").read_text() == RULES


def saved_text(file: Path) -> str:
    return file.read_text()


async def test_what_is_remembered_is_found_saved_and_forgotten(visit: Visiting, robot: Robot) -> None:
    for content in ("I like green tea", "my sister is called Ines"):
        (await robot.http.post("/memory", json={"content": content, "person": "Ada"})).raise_for_status()
    here = await visit()
    view = await go(here, "Memory")
    await expect(view.get_by_label("About")).to_have_value("Ada")
    await expect(view.locator(".rows .line")).to_have_count(2)
    await view.get_by_label("Search").fill("tea")
    await expect(view.locator(".rows .line").first).to_contain_text("green tea")
    async with here.page.expect_download() as saving:
        await view.get_by_role("button", name="Save a copy").click()
    assert "green tea" in saved_text(await (await saving.value).path())
    await view.get_by_label("Search").fill("")
    await view.get_by_role("button", name="Forget: I like green tea").click()
    await yes(here)
    await expect(view.locator(".rows .line")).to_have_count(1)
    assert (await robot.http.get("/memory", params={"person": "Ada"})).json()["total"] == 1


async def test_settings_say_where_they_are_from_and_what_a_change_needs(
    visit: Visiting, robot: Robot, mind: Run
) -> None:
    here = await visit()
    view = await go(here, "Settings")
    await expect(view.locator(".sum")).to_contain_text("All is well.")
    await expect(view.locator(".line", has_text="Voice")).to_contain_text("What to do:")
    await view.get_by_role("tab", name="Settings").click()
    form, idle = (view.locator(f"[data-setting='{key}']") for key in ("log.format", "robot.idle"))
    await expect(idle).to_contain_text("from command line · changes at once")
    await form.locator("select").select_option("json")
    await yes(here)
    await expect(form).to_contain_text("After the next start: json.")
    await idle.locator("input").check()
    await yes(here)
    await expect(here.toasts.last).to_contain_text("robot.idle is True from now on.")
    assert "idle: true" in (mind.home / "config.yaml").read_text()
    await idle.locator("input").uncheck()
    await yes(here)
    await expect(here.toasts.last).to_contain_text("robot.idle is False from now on.")
    told = (await robot.http.get("/settings")).json()
    assert not any(row["kind"] == "secret" and row["value"] not in (None, "", "**********") for row in told["settings"])


@needs_flite
async def test_a_voice_is_heard_and_chosen(visit: Visiting, robot: Robot, mind: Run) -> None:
    here = await visit()
    view = await go(here, "Settings", "Voice")
    await view.get_by_role("searchbox").fill("flite")
    rms, slt = (view.locator(f"[data-voice='flite {name}']") for name in ("rms", "slt"))
    await expect(rms).to_contain_text("man, American")
    for name in ("rms", "slt"):  # one at a time
        await view.get_by_role("button", name=f"Play a sample of {name}").click()
        await expect(view.get_by_role("button", name=f"Play a sample of {name}")).to_have_text("Stop")
    await expect(view.get_by_role("button", name="Play a sample of rms")).to_have_text("Play")
    await view.get_by_role("button", name="Use rms").click()
    await yes(here)
    await expect(rms).to_contain_text(re.compile("in use|chosen"))
    assert 'voice_name: "rms"' in (mind.home / "config.yaml").read_text()
    assert (await robot.http.get("/voice/voices")).json()["voice_name"] == "rms"
    await view.get_by_role("button", name="The usual voice").click()
    await yes(here)
    await expect(view.get_by_role("button", name="Use rms")).to_be_enabled()
    await view.get_by_role("searchbox").fill("espeak")
    await expect(slt).to_be_hidden()


async def test_nobody_is_kept_out_of_any_view(visit: Visiting) -> None:
    here = await visit()
    for name in VIEWS:
        view = await go(here, name)
        tabs = await view.get_by_role("tab").all() if name in ("Tools", "Training", "Settings") else [None]
        for tab in tabs:
            if tab is not None:
                await tab.click()
            await expect(view.locator("[aria-busy]")).to_have_count(0)
            await few(view, {"Moves": "nod", "Tools": "nod", "Settings": "robot"}.get(name, ""))
            for scheme, only in (("light", ""), ("dark", "color-contrast")):
                await here.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                assert await here.axe("body" if name == "Talk" else "#view", only) == [], f"{name}, {scheme}"


async def few(view: Locator, word: str) -> None:
    """Only some of many rows that are alike, the first of them open: axe-core takes its time for each."""
    if await view.locator(".row:visible, .line:visible").count() > 15:
        await view.locator("input[type=search]:visible").first.fill(word)
        await expect(view.locator(".row:visible, .line:visible").nth(15)).to_have_count(0)
    if await view.locator(".row:visible > summary").count():
        await view.locator(".row:visible > summary").first.click()
        await expect(view.locator(".row[open]:visible")).to_have_count(1)


async def test_on_a_phone_every_view_fits_and_stop_is_above_it(visit: Visiting) -> None:
    here = await visit(viewport=PHONE, has_touch=True)
    for name in VIEWS:
        await go(here, name)
        assert await here.hits("#stop"), name
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert await here.page.evaluate(wide) <= 0, f"{name} is wider than the phone"
        link = here.page.get_by_role("link", name=name)
        await expect(link).to_have_attribute("aria-current", "page")
        assert (await link.bounding_box() or {"height": 0})["height"] >= 40
    await here.page.go_back()
    await expect(here.page.get_by_role("link", name="Developer")).to_have_attribute("aria-current", "page")
