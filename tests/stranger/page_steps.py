"""The steps on the page, in a browser: type, change the personality, have a tool made, teach by dragging."""

from __future__ import annotations

import asyncio

import httpx
from playwright.async_api import Locator, Page, expect

from tests.browser.browsing import Robot, Visit
from tests.stranger.machine import Machine, StepFailed

REQUEST = "take a photo every 2 seconds for 6 seconds"
SKILL = "look_as_shown"
PATIENCE_MS = 60_000


async def open_page(visit: Visit) -> str:
    await visit.arrive()
    await visit.page.wait_for_selector("#picture:not([hidden])", timeout=PATIENCE_MS)
    return "the robot in 3D, its camera and the conversation"


async def talk(visit: Visit, *sentences: str) -> str:
    """Says them in the conversation, answers questions with yes, and tells the last reply."""
    turn = visit.turns.last
    for sentence in sentences:
        turn = await visit.say(sentence)
        await answered(visit, turn)
    return f'"{(await turn.locator(".reply .words").inner_text()).strip()}"'


async def answered(visit: Visit, turn: Locator) -> None:
    reply = turn.locator(".reply:not(.waiting)")
    yes = visit.page.locator(".question .yes:enabled")
    async with asyncio.timeout(PATIENCE_MS / 1000):
        while not await reply.count():
            if await yes.count():
                await yes.first.click()
            await visit.page.wait_for_timeout(200)


async def switch(visit: Visit) -> str:
    poet = await talk(visit, "be a poet", "hello")
    await talk(visit, "be yourself again")
    return f"as a poet: {poet}"


async def make_tool(visit: Visit, here: Machine) -> str:
    reply = await talk(visit, REQUEST)
    tools = here.asked("workshop", "list")["tools"]
    if not tools:
        raise StepFailed(f"no tool was made: {reply}")
    photos = len(list((here.data / "photos").glob("*.jpg")))
    return f"`{tools[0]['name']}`, approved on the page, took {photos} photos: {reply}"


async def go(page: Page, name: str) -> Locator:
    await page.evaluate("(name) => { location.hash = `/${name}`; }", name.lower())
    view = page.locator("#view")
    await expect(view.get_by_role("heading", level=2)).to_have_text(name)
    return view


async def teach(visit: Visit, here: Machine) -> str:
    """Drags the head to the apple, twice from elsewhere, while the page records."""
    robot = Robot(here.page)
    try:
        await robot.post("chat", message="look at the apple")
        pose = (await robot.http.get("/robot/state")).json()["pose"]
        target = (pose["yaw"], pose["pitch"])
        for yaw in (-30.0, 5.0):
            await robot.post("robot/look", yaw=yaw, pitch=-5, duration=1.0)
            await show(visit, target)
        kept = (await robot.http.get("/demonstrations")).json()["demonstrations"]
    except httpx.HTTPError as error:
        raise StepFailed(str(error)) from error
    finally:
        await robot.http.aclose()
    return f'{len(kept)} demonstrations of "{kept[0]["task_description"]}", in the dataset {kept[0]["dataset"]}'


async def show(visit: Visit, target: tuple[float, float]) -> None:
    view = await go(visit.page, "Training")
    await view.get_by_role("tab", name="Demonstrations").click()
    await view.get_by_label("What you show me", exact=True).fill("look at the apple")
    camera = view.get_by_label("With my camera")
    if await camera.is_checked():
        await camera.uncheck()
    await view.get_by_role("button", name="Record", exact=True).click()
    await expect(view.get_by_role("button", name="Let go")).to_be_visible(timeout=PATIENCE_MS)
    await drag(visit.page, view, target)
    await visit.page.wait_for_timeout(1500)  # the head follows within its limits
    await view.get_by_role("button", name="Stop recording").click()
    await expect(view.locator(".result svg.curves")).to_be_visible(timeout=PATIENCE_MS)
    await view.get_by_role("button", name="Save").click()
    await expect(view.locator(".result svg.curves")).to_have_count(0, timeout=PATIENCE_MS)
    await view.get_by_role("button", name="Let go").click()
    await expect(view.get_by_role("button", name="Take the head")).to_be_visible()


async def drag(page: Page, view: Locator, target: tuple[float, float]) -> None:
    """Moves the pointer until the head is wanted where `target` is; the page's sliders tell where that is."""
    await view.locator("summary", has_text="Sliders").evaluate("(sliders) => (sliders.parentElement.open = true)")
    place = await page.locator("#canvas").bounding_box()
    assert place is not None
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    await page.mouse.move(x, y)
    await page.mouse.down()
    sliders = [view.get_by_label(name, exact=True) for name in ("Left and right", "Up and down")]
    step = [4.0, 4.0]
    before = [float(await slider.input_value()) for slider in sliders]
    for _ in range(60):
        x, y = x + step[0], y + step[1]
        await page.mouse.move(x, y, steps=2)
        now = [float(await slider.input_value()) for slider in sliders]
        slopes = [(new - old) / moved if moved else 0.0 for new, old, moved in zip(now, before, step, strict=True)]
        off = [wanted - angle for wanted, angle in zip(target, now, strict=True)]
        if max(map(abs, off)) < 1.5:
            break
        step = [max(-8.0, min(8.0, gap / slope if abs(slope) > 0.05 else step[i] or 1.0))
                for i, (gap, slope) in enumerate(zip(off, slopes, strict=True))]  # fmt: skip
        before = now
    await page.mouse.up()


async def learn(visit: Visit, here: Machine) -> str:
    """Trains on what was dragged, publishes it as a tool and asks for it."""
    async with httpx.AsyncClient(base_url=f"{here.page}/api/v1", trust_env=False) as http:
        (first, *_) = (await http.get("/demonstrations")).json()["demonstrations"]
    await asyncio.to_thread(here.run, here.python, "-m", "pip", "install", "--quiet", "torch==2.13.0", "gymnasium")
    await asyncio.to_thread(here.mind, "learn", "train", "--demonstrations", first["dataset"], "--name", "shown")
    await asyncio.to_thread(here.mind, "learn", "publish", "shown", "--as", SKILL, "--yes")
    return await talk(visit, "look at the apple the way you learned it")


async def see_fleet(page: Page, address: str) -> None:
    url, key = address.split(" ", 1)
    await page.goto(url)
    await page.get_by_label("Your key").fill(key)
    await page.keyboard.press("Enter")
    await expect(page.locator("main")).to_contain_text("kitchen", timeout=PATIENCE_MS)
