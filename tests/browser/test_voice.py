"""Talking to the page through the browser's own microphone.

That is a file: a question, and another one while the first is being answered, over and over.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, WebSocketRoute, expect

from reachy_mind.body import wav
from tests.browser.browsing import Served, Visit, in_chromium, launched, served
from tests.browser.conftest import Visiting
from tests.fakes.people import RATE_HZ, said

pytestmark = in_chromium

NOTE_WHAT_IS_SHOWN = """
window.shown = { words: [], states: [], level: 0 };
new MutationObserver(() => {
  const words = document.querySelector(".voice-said")?.textContent;
  if (words && window.shown.words.at(-1) !== words) window.shown.words.push(words);
  const state = document.getElementById("voice")?.dataset.state;
  if (state && window.shown.states.at(-1) !== state) window.shown.states.push(state);
  const level = Number(document.querySelector(".voice-meter")?.getAttribute("aria-valuenow") ?? 0);
  window.shown.level = Math.max(window.shown.level, level);
}).observe(document, { attributes: true, childList: true, characterData: true, subtree: true });
"""
KEEP_TRACKS = """
window.tracks = [];
const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
navigator.mediaDevices.getUserMedia = async (wanted) => {
  if (window.refusal) throw new DOMException("made up", window.refusal);
  const stream = await open(wanted);
  window.tracks.push(...stream.getTracks());
  return stream;
};
"""
SAID = re.compile("can you do|time")
"""Of what is said; a busy machine drops some of the sound."""
ON = re.compile("listening|hearing|thinking|speaking")
HOLD = """localStorage.setItem("voice", JSON.stringify({ mode: "hold" }));"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mind(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    async with served(tmp_path_factory.mktemp("voice")) as one:
        yield one


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hearing(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    """A browser whose microphone hears two questions again and again, the second in the middle of an answer."""
    first, second = await said("What can you do?"), await said("What time is it?")
    sound = _silence(0.5) + first + _silence(3.5) + second + _silence(3)
    file = tmp_path_factory.mktemp("sound") / "questions.wav"
    file.write_bytes(wav.write(sound))
    flags = ("--disable-3d-apis", "--use-fake-device-for-media-stream", f"--use-file-for-fake-audio-capture={file}")
    async with launched(*flags) as one:
        yield one


def _silence(seconds: float) -> bytes:
    return bytes(2 * round(seconds * RATE_HZ))


class Speaker:
    """Somebody who talks to the page."""

    def __init__(self, here: Visit) -> None:
        self.here, self.page = here, here.page
        self.switch = here.page.locator("#voice-switch")
        self.dock = here.page.locator("#voice")
        self.trouble = here.page.locator(".voice-trouble")

    async def is_in_state(self, state: str | re.Pattern[str]) -> None:
        await expect(self.dock).to_have_attribute("data-state", state)

    async def until(self, condition: str) -> None:
        """JavaScript that is true then; the page's policy lets nobody evaluate text in it again and again."""
        look = f"const look = () => ({condition} ? done() : setTimeout(look, 20)); look();"
        await self.page.evaluate(f"() => new Promise((done) => {{ {look} }})")

    async def measured(self) -> dict[str, Any]:
        found: dict[str, Any] = await self.page.evaluate("import('/web/app.js').then((page) => page.sound())")
        return found


async def _speaker(
    visit: Visiting, hearing: Browser, *scripts: str, lines: list[WebSocketRoute] | None = None, **how: Any
) -> Speaker:
    """`lines`: gets those to the mind, to be cut."""
    here = await visit(arrive=False, at=hearing, **how)
    here.forgive("WebGL|THREE")
    await here.context.add_init_script(NOTE_WHAT_IS_SHOWN + KEEP_TRACKS + "".join(scripts))
    if lines is not None:

        def pass_on(line: WebSocketRoute) -> None:
            line.connect_to_server()
            lines.append(line)

        await here.page.route_web_socket(re.compile("ws/voice"), pass_on)
    await here.open()
    return Speaker(here)


async def test_it_is_heard_answered_aloud_and_interrupted(visit: Visiting, mind: Served, hearing: Browser) -> None:
    one = await _speaker(visit, hearing, permissions=["microphone"])
    await one.switch.click()
    await expect(one.here.turns.filter(has_text=SAID).first).to_be_visible()
    await one.is_in_state("speaking")
    await expect(one.here.turns.locator(".meta", has_text=re.compile("Cut short after “.+”")).first).to_be_visible()
    await expect(one.here.turns.nth(1).locator(".words")).not_to_be_empty()
    assert (await one.measured())["loudest"] > 0.05, "nothing was to be heard"
    shown = await one.page.evaluate("window.shown")
    assert any(SAID.search(words) for words in shown["words"]), "words are shown before they are a turn"
    assert shown["level"] > 20, "the meter never moved"
    assert await one.here.axe() == []
    await one.switch.click()
    await expect(one.dock).to_be_hidden()
    assert await one.page.evaluate("window.tracks.map((track) => track.readyState)") == ["ended"], "it is still open"

    typed = await one.here.hear("again")
    await expect(typed.locator(".words")).not_to_be_empty()
    talk = await one.page.evaluate("localStorage.getItem('conversation')")
    async with httpx.AsyncClient() as http:
        history = (await http.get(f"{mind.url}/api/v1/session/{talk}/history")).json()["messages"]
    told = [message["content"] for message in history if message["role"] == "user"]
    assert "again" in told and SAID.search(" ".join(told)), "it is not one conversation"


async def test_it_is_heard_only_while_a_key_is_held(visit: Visiting, hearing: Browser) -> None:
    one = await _speaker(visit, hearing, HOLD, permissions=["microphone"])
    await one.switch.click()
    await one.is_in_state("waiting")
    assert (await one.measured())["sent"] == 0
    await one.page.keyboard.down(" ")
    await expect(one.here.turns).to_have_count(1)
    await one.page.keyboard.up(" ")
    await one.is_in_state("speaking")
    await one.until("!window.tracks.at(-1).enabled")
    sent = (await one.measured())["sent"]
    assert sent > 0
    await one.page.get_by_text("Sound settings").click()
    await expect(one.page.get_by_label("While I hold a button or the space bar")).to_be_checked()
    await expect(one.page.get_by_label("Microphone", exact=True)).to_be_visible()
    assert await one.here.axe() == []
    assert (await one.measured())["sent"] == sent, "it goes on listening"
    await one.page.locator(".voice-hold").press("Enter")  # a tap: until the next one
    await expect(one.here.turns.first.locator(".meta", has_text="Cut short")).to_have_count(1)
    await expect(one.page.locator(".voice-hold")).to_have_attribute("aria-pressed", "true")
    await one.page.locator(".voice-hold").click()
    await expect(one.page.locator(".voice-hold")).to_have_attribute("aria-pressed", "false")


async def test_what_is_in_the_way_is_told(visit: Visiting, hearing: Browser) -> None:
    one = await _speaker(visit, hearing, permissions=[])
    await one.switch.click()
    await expect(one.trouble).to_contain_text("does not let this page use the microphone")
    await expect(one.switch).to_have_attribute("aria-pressed", "false")
    assert await one.here.axe() == []
    for refusal, told in (("NotFoundError", "There is no microphone"), ("NotReadableError", "could not be opened")):
        await one.page.evaluate("(name) => { window.refusal = name; }", refusal)
        await one.trouble.get_by_role("button", name="Try again").click()
        await expect(one.trouble).to_contain_text(told)
    await one.page.evaluate("Object.defineProperty(window, 'isSecureContext', { value: false })")
    await one.switch.click()
    await expect(one.trouble).to_contain_text("run --lan")


async def test_a_microphone_or_a_line_that_is_lost_comes_back(visit: Visiting, hearing: Browser) -> None:
    lines: list[WebSocketRoute] = []
    one = await _speaker(visit, hearing, lines=lines, permissions=["microphone"])
    await one.switch.click()
    await one.is_in_state(ON)
    await lines[0].close()
    await one.until("window.shown.states.includes('lost')")
    await one.is_in_state(ON)
    lose = "window.tracks.at(-1).dispatchEvent(new Event('ended'))"
    await one.page.evaluate(lose)
    await expect(one.here.toasts).to_contain_text(["another one listens now"])
    await expect(one.switch).to_have_attribute("aria-pressed", "true")
    await one.page.evaluate(f"window.refusal = 'NotFoundError'; {lose}")
    await expect(one.trouble).to_contain_text("Your microphone has gone")
    await one.page.evaluate("window.refusal = ''")
    await one.trouble.get_by_role("button", name="Try again").click()
    await one.is_in_state(ON)
