"""The page opened, talked to, left and come back to."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.async_api import expect

from tests.browser.browsing import Robot, in_chromium, watched
from tests.browser.conftest import Visiting
from tests.fakes.minds import Run

pytestmark = in_chromium

MARKUP = "<img src=x onerror=alert(1)>"
PICTURE_WIDTH = """(image) => new Promise((done) => {
  const look = () => (image.naturalWidth ? done(image.naturalWidth) : setTimeout(look, 20));
  look();
})"""
WATCH_THE_REPLY = """() => {
  window.stages = [];
  const look = () => {
    const reply = document.querySelector(".turn:last-child .reply");
    if (!reply) return;
    const words = reply.querySelector(".words").textContent;
    const deeds = reply.querySelectorAll(".deed").length;
    window.stages.push({ words, deeds, waiting: reply.classList.contains("waiting") });
  };
  new MutationObserver(look).observe(document.getElementById("log"), {
    childList: true, subtree: true, characterData: true, attributes: true,
  });
}"""


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """A mind whose wave fails, in words that are markup."""
    home = tmp_path_factory.mktemp("talk")
    tools = home / "own"
    tools.mkdir(mode=0o700)
    (tools / "wave.py").write_text(
        "from reachy_mind.tools.definition import ToolError, tool\n"
        "@tool(group='home', tier='autonomous')\n"
        "async def wave(ctx) -> dict:\n"
        "    '''Wave.'''\n"
        f"    raise ToolError('TOOL_FAILED', '{MARKUP}', hint='<b>bold</b>')\n"
    )
    (home / "permissions.yaml").write_text("rules:\n  - {pattern: profile.wave, tier: autonomous}\n")
    with watched(home, tools__folder=str(tools)) as run:
        yield run


async def test_it_opens_with_the_robot_and_what_it_sees(visit: Visiting, robot: Robot) -> None:
    here = await visit(whole=True)
    await expect(here.page).to_have_title("Reachy Mind")
    await expect(here.banner).to_be_hidden()
    await expect(here.page.get_by_role("heading", name="Hello, I am Reachy.")).to_be_visible()
    await expect(here.page.locator("#doing")).to_have_text("Awake, waiting for you")
    await expect(here.page.locator("#picture")).to_be_visible()
    assert await here.page.locator("#picture").evaluate(PICTURE_WIDTH) > 0

    cost = await here.page.evaluate("import('/web/app.js').then(page => page.cost())")
    assert 5 <= cost["calls"] <= 40 and 5_000 <= cost["triangles"] <= 60_000
    before = await here.figure()
    await robot.post("robot/look", yaw=40, duration=0.5)
    await expect(here.page.locator("#doing")).to_have_text("Awake, waiting for you")
    after = await here.figure()
    await here.page.locator("#canvas").evaluate("(canvas) => { canvas.style.visibility = 'hidden'; }")
    bare = await here.figure()
    assert np.abs(before - bare).mean() > 5, "nothing is drawn"
    assert np.abs(after - before).mean() > 1, "the robot turned, the figure did not"

    await here.page.locator("#numbers summary").click()
    await expect(here.page.locator("#pose")).to_contain_text(re.compile("Head left4[01]°"))


async def test_a_typed_turn_grows_while_the_robot_does_it(visit: Visiting, robot: Robot) -> None:
    here = await visit()
    await here.page.evaluate(WATCH_THE_REPLY)
    async with robot.watched() as poses:
        turn = await here.hear("hello, look left and dance")
    await expect(turn.locator(".said")).to_contain_text("hello, look left and dance")
    await expect(turn.locator(".words")).to_contain_text("Hello! I am looking to my left. I danced")
    await expect(turn.locator(".deed")).to_have_text(["move head left: done", "dance: done"])
    await expect(turn.locator(".meta")).to_contain_text("ms")
    await expect(here.page.locator("#last")).to_contain_text("Answered in ")

    stages = await here.page.evaluate("window.stages")
    assert {"words": "Hello!", "deeds": 0, "waiting": True} in stages, "the greeting does not wait for the robot"
    assert {"words": "Hello! I am looking to my left.", "deeds": 1, "waiting": True} in stages
    assert all(later["words"].startswith(sooner["words"]) for sooner, later in itertools.pairwise(stages))
    assert not stages[-1]["waiting"]
    assert max(pose[5] for pose in poses) > 20, "it never looked left"
    at_end = "(box) => box.scrollHeight - box.scrollTop - box.clientHeight"
    await expect(here.page.locator("#chips")).to_be_visible()
    assert await here.page.locator("#scroll").evaluate(at_end) < 2, "the end of the answer is out of sight"


async def test_a_suggestion_is_said_with_a_click(visit: Visiting, robot: Robot) -> None:
    here = await visit()
    first = here.page.locator("#tries button").first
    text = await first.inner_text()
    await first.click()
    await expect(here.turns).to_have_count(1)
    await expect(here.turns.locator(".said")).to_have_text(f"You: {text}")
    await expect(here.turns.locator(".words")).to_contain_text("Hello!")
    await expect(first).to_be_hidden()
    await here.stop.click()
    await here.answered(here.turns)
    await expect(here.page.locator("#chips button")).to_have_count(4)
    assert await robot.stands_still()


async def test_the_keyboard_is_enough(visit: Visiting) -> None:
    here = await visit()
    await expect(here.box).to_be_focused()
    keys = here.page.keyboard
    for text in ("what time is it?", "tell me your pose"):
        await keys.type(text)
        await keys.press("Enter")
        await here.answered(here.turns.last)
    await expect(here.turns).to_have_count(2)
    for key, text in (
        ("ArrowUp", "tell me your pose"),
        ("ArrowUp", "what time is it?"),
        ("ArrowDown", "tell me your pose"),
        ("ArrowDown", ""),
    ):
        await keys.press(key)
        await expect(here.box).to_have_value(text)
    await keys.type("what time")
    await keys.press("Shift+Enter")
    await keys.type("is it?")
    await expect(here.box).to_have_value("what time\nis it?")
    await expect(here.turns).to_have_count(2)
    await here.box.fill("")

    reached: list[str] = []
    for _ in range(60):
        await keys.press("Tab")
        reached.append(await here.page.evaluate("document.activeElement.id || document.activeElement.className"))
    round_trip = reached[reached.index("skip") :]
    places = [round_trip.index(name) for name in ("skip", "new-talk", "theme", "stop", "canvas", "say", "send")]
    assert places == sorted(places)
    while await here.page.evaluate("document.activeElement.className") != "skip":
        await keys.press("Tab")
    await expect(here.page.locator(".skip")).to_be_in_viewport()
    await keys.press("Enter")
    await expect(here.box).to_be_focused()


async def test_a_conversation_outlives_a_reload_and_a_new_one_is_empty(visit: Visiting, robot: Robot) -> None:
    here = await visit()
    await here.hear("tell me your pose")
    cut = await here.say("dance")
    await robot.moves()
    await here.stop.click()
    await here.answered(cut)
    await here.hear("what time is it?")
    before = await here.page.locator("#log .deed, #log .said, #log .trouble").all_inner_texts()
    assert len(before) == 7
    await here.page.reload()
    await expect(here.turns).to_have_count(3)
    await expect(here.page.locator("#hello")).to_be_hidden()
    assert await here.page.locator("#log .deed, #log .said, #log .trouble").all_inner_texts() == before

    await here.page.get_by_role("button", name="New talk").click()
    await expect(here.turns).to_have_count(0)
    await expect(here.page.locator("#hello")).to_be_visible()
    await here.hear("what time is it?")
    await here.page.reload()
    await expect(here.turns).to_have_count(1)
    sessions = (await robot.http.get("/session")).json()["sessions"]
    assert [each["message_count"] for each in sessions[:2]] == [2, 6], "the old one is kept"


async def test_what_is_said_and_told_is_never_markup(visit: Visiting, robot: Robot) -> None:
    here = await visit()
    said = await here.hear(MARKUP)
    await expect(said.locator(".said")).to_have_text(f"You: {MARKUP}")
    failed = await here.hear("wave")
    await expect(failed.locator(".words")).to_contain_text(MARKUP)
    await expect(failed.locator(".deed")).to_have_attribute("data-status", "error")
    await expect(failed.locator(".deed")).to_have_attribute("title", f"{MARKUP}. <b>bold</b>")
    asking = robot.post("tools/execute", tool_name="task_cancel", parameters={"task_id": MARKUP})
    answer = asyncio.create_task(asking)
    await expect(here.cards.locator("td")).to_have_text(MARKUP)
    await here.cards.get_by_role("button", name="No").click()
    assert (await answer)["outcome"] == "denied"
    await robot.post("tools/execute", tool_name="set_timer", parameters={"seconds": 1, "label": MARKUP})
    await expect(here.page.locator(".told")).to_contain_text(MARKUP)
    await here.page.reload()
    await expect(here.turns).to_have_count(2)
    assert await here.page.locator("#log img, #log b, #questions img").count() == 0


async def test_a_timer_is_announced_by_itself(visit: Visiting) -> None:
    here, other = await visit(), await visit()
    turn = await here.hear("set a timer for one second")
    await expect(turn.locator(".deed")).to_contain_text("set timer")
    for page in (here, other):
        await expect(page.page.locator(".told")).to_have_text("Time is up: timer of 1 second.")


async def test_a_background_task_shows_how_far_it_is(visit: Visiting) -> None:
    here = await visit()
    await here.page.evaluate(
        """() => {
          window.bars = [];
          const look = () => document.querySelectorAll("#tasks progress").forEach((bar) => window.bars.push(bar.value));
          const changes = { childList: true, subtree: true, attributes: true, characterData: true };
          new MutationObserver(look).observe(document.getElementById("tasks"), changes);
        }"""
    )
    await expect(here.page.locator("#tasks")).to_be_hidden()
    turn = await here.hear("start the demo for 2 seconds in the background")
    await expect(turn.locator(".deed")).to_have_attribute("data-status", "started")
    await expect(here.page.locator(".task .name")).to_have_text("background demo")
    await expect(here.page.locator(".told")).to_have_text("The demo of 2 seconds is done.")
    await expect(here.page.locator("#tasks")).to_be_hidden()
    bars = await here.page.evaluate("window.bars")
    assert bars == sorted(bars) and bars[-1] == 1 and len(set(bars)) > 3


async def test_the_routes_are_shown_without_another_host(visit: Visiting) -> None:
    here = await visit(arrive=False)
    await here.open("/docs")
    await expect(here.page).to_have_title("Reachy Mind: API")
    routes = here.page.locator(".opblock")
    await expect(routes.filter(has_text="/api/v1/chat")).to_be_visible()
    assert await routes.count() > 30
    await routes.filter(has_text="/healthz").locator("button").first.click()
    await here.page.get_by_role("button", name="Try it out").click()
    await here.page.get_by_role("button", name="Execute", exact=True).click()
    await expect(here.page.locator(".live-responses-table .response-col_status")).to_contain_text(["200"])
