"""The Developer view: repositories of real git, pull requests of a fake GitHub, actions with a question, tasks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import pytest
import pytest_asyncio
from playwright.async_api import Locator, expect

from reachy_mind.config.configuration import load
from reachy_mind.mind import Mind
from reachy_mind.tools.context import Caller
from tests.browser.browsing import PHONE, Served, Visit, in_chromium
from tests.browser.conftest import Visiting
from tests.conftest import MODELS
from tests.developer import repositories
from tests.developer.repositories import commit, git, write
from tests.fakes.github import GitHub, Job, failing, waiting
from tests.fakes.github_branches import BareRepository
from tests.fakes.github_shapes import MOMENT

pytestmark = in_chromium

HOSTILE = "<img src=x onerror=alert(1)> \x1b[31m"
MANY = 250


@dataclass
class Desk:
    """A mind with repositories, and what they are connected to."""

    url: str
    mind: Mind
    hub: GitHub
    bare: BareRepository
    folder: Path

    @property
    def house(self) -> Path:
        return self.folder / "house"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mind(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    home = tmp_path_factory.mktemp("developer")
    folder, bare = home / "repos", BareRepository.create(home / "remotes" / "house.git")
    folder.mkdir()
    git(folder, "clone", "--quiet", str(bare.path), "house")
    commit(folder / "house", "feat: a door", {"door.py": "STATE = 'shut'\n-- a comment\n"})
    git(folder / "house", "push", "--quiet", "origin", "HEAD:work")
    write(folder / "house", {"door.py": f"STATE = 'open'\n# {HOSTILE}{'x' * 300}\n", "window.py": "GLASS = True\n"})
    large = repositories.made(folder / "large", {f"{number:04}.txt": "a\n" for number in range(MANY)})
    write(large, {f"{number:04}.txt": "b\n" for number in range(MANY)})
    with GitHub() as hub, pytest.MonkeyPatch.context() as patch:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            patch.delenv(name, raising=False)
            patch.delenv(name.lower(), raising=False)
        there = hub.add("me/house", bare, required=["tests"])
        there.ci = lambda _: [Job("lint"), Job("tests", "failure", "", (("Run pytest", "failure", MOMENT, MOMENT),))]
        there.pull("work", title=f"A door {HOSTILE}")
        environ = {"REACHY_MIND_HOME": str(home / "data"), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
        for name, value in environ.items():
            patch.setenv(name, value)
        flags = hub.settings(repository_folder=str(folder), local_remotes=True)
        flags |= {"mind.brain": "reflex", "robot.address": "none", "speech.ears": "none", "speech.voice": "none"}
        async with Mind(load(flags=flags, environ=environ, folder=home)).session() as awake:
            served = Served(awake)
            yield Desk(served.url, awake, hub, bare, folder)
            await served.end()


async def developer(visit: Visiting, path: str = "") -> tuple[Visit, Locator]:
    here = await visit(arrive=False)
    await here.open(f"/#/developer{path}")
    view = here.page.locator("#view")
    await expect(view.get_by_role("heading", level=2)).to_have_text("Developer")
    return here, view


def tab(view: Locator, name: str) -> Locator:
    return view.get_by_role("tab", name=name)


async def keeps_nobody_out(here: Visit) -> None:
    assert await here.axe("#view") == []
    await here.page.emulate_media(color_scheme="dark")
    assert await here.axe("#view", "color-contrast") == []
    await here.page.emulate_media(color_scheme="light")
    before = here.page.viewport_size
    await here.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    for selector in ("#view", "html"):
        wider = await here.page.locator(selector).evaluate("(box) => box.scrollWidth - box.clientWidth")
        assert wider <= 0, f"{selector} is wider than a phone"
    await here.page.set_viewport_size(before)  # type: ignore[arg-type]


async def test_a_repository_its_difference_its_history_and_the_checks_of_a_pull_request(
    visit: Visiting, mind: Desk
) -> None:
    here, view = await developer(visit)
    row = view.locator("[data-repository=house]")
    await expect(row).to_contain_text("main, follows origin/main")
    await expect(row.locator(".tag")).to_have_text(["1 ahead", "2 changed"])
    await row.get_by_role("link").press("Enter")  # all of it works without a pointer
    await expect(view.get_by_role("heading", level=3, name="house")).to_be_focused()
    door = view.locator("[data-path='door.py']")
    await expect(door.locator(".removed")).to_have_text(["-STATE = 'shut'", "--- a comment"])
    await expect(door.locator(".added").first).to_have_text("+STATE = 'open'")
    await expect(door.locator(".added").last).to_contain_text("<img src=x onerror=alert(1)>")
    assert await view.locator("img").count() == 0, "what others wrote is text"
    await view.locator("[data-path='window.py'] summary").press("Enter")
    await expect(view.locator("[data-path='window.py'] .added")).to_have_text("+GLASS = True")
    await keeps_nobody_out(here)

    await mind.mind.act("github.github_add", {"repo": "house", "paths": ["window.py"]})  # by whoever: it is shown
    await expect(view.locator("[data-path='window.py'] summary .tag")).to_have_text("staged")
    await expect(door).to_have_attribute("open", "")
    await tab(view, "History").click()
    await expect(view.locator("[data-commit] strong")).to_have_text(["feat: a door", "first"])
    await view.locator("[data-commit] summary").first.click()
    await expect(view.locator("[data-commit]").first.locator(".file")).to_have_text("door.py")
    await keeps_nobody_out(here)

    await tab(view, "Pull requests").click()
    pull = view.locator("[data-pull='1']")
    await expect(pull.locator(".tag")).to_have_text("checks failed")
    await expect(pull.locator("strong").first).to_have_text("1: A door <img src=x onerror=alert(1)>")
    await pull.locator("summary").click()
    await expect(pull.locator("[data-check=tests]")).to_contain_text("failed at: Run pytest")
    await expect(pull.get_by_role("link", name="See it on GitHub")).to_have_attribute("rel", "noopener noreferrer")
    await keeps_nobody_out(here)
    assert mind.hub.changes() == []


async def test_thousands_of_files_come_in_parts(visit: Visiting) -> None:
    _, view = await developer(visit, "/large")
    await expect(view.locator(".count").first).to_have_text(f"{MANY} not staged")
    await expect(view.locator("[data-path]")).to_have_count(100)
    await view.get_by_role("button", name="More").click()
    await expect(view.locator("[data-path]")).to_have_count(200)
    await view.get_by_role("button", name="More").click()
    await expect(view.locator("[data-path]")).to_have_count(MANY)
    await expect(view.get_by_role("button", name="More")).to_be_hidden()
    await expect(view.locator("[data-path='0000.txt'] .removed")).to_have_text("-a")


async def test_a_push_is_asked_about_and_done(visit: Visiting, mind: Desk) -> None:
    here, view = await developer(visit, "/house")
    push = view.get_by_role("button", name="Push")
    await push.click()
    await expect(here.cards).to_contain_text("feat: a door")
    await here.cards.locator(".yes").click()
    await expect(here.toasts.last).to_have_text("I pushed the branch main of house.")
    await expect(view.locator(".sheet-head .tag")).to_have_text(["2 changed"])
    await expect(push).to_be_disabled()
    assert mind.bare.heads()["main"] == git(mind.house, "rev-parse", "HEAD")


async def test_github_out_of_reach_is_told_and_the_rest_works(visit: Visiting, mind: Desk) -> None:
    here, view = await developer(visit, "/house")
    mind.hub.manners += [failing()] * 3
    await tab(view, "Pull requests").click()
    await expect(view.locator(".problems")).to_contain_text("GitHub can't be asked: GitHub has trouble of its own")
    await expect(view.locator("[data-pull]")).to_have_count(0)
    await tab(view, "History").click()
    await expect(view.locator("[data-commit]")).to_have_count(2)
    await tab(view, "Pull requests").click()
    await expect(view.locator("[data-pull]")).to_be_visible()
    await expect(view.locator(".problems")).to_have_count(0)
    await here.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert await here.hits("#stop")


async def test_a_task_shows_how_far_it_is_and_is_ended_after_a_yes(visit: Visiting, mind: Desk) -> None:
    here, view = await developer(visit)
    await expect(view.locator("[data-repository]")).to_have_count(2)
    never = Event()
    mind.hub.always["/me/slow.git/info/refs"] = waiting(never)
    started = await mind.mind.toolbox.call(
        "github.github_clone", {"repo": "me/slow", "background": True}, caller=Caller("person", "rest")
    )
    task = view.locator(f"[data-task='{started.data['task_id']}']")
    await expect(task.get_by_role("progressbar")).to_be_visible()
    mind.mind.tasks.report_progress(started.data["task_id"], 0.4, "receiving objects: 40%")
    await expect(task).to_contain_text("receiving objects: 40%")
    assert await task.get_by_role("progressbar").evaluate("(bar) => bar.value") == 0.4
    await task.get_by_role("button", name="End: github clone").click()
    await here.cards.locator(".yes").click()
    await expect(task.locator(".tag")).to_have_text("ended early")
    await expect(task.get_by_role("progressbar")).to_be_hidden()
    never.set()
    await keeps_nobody_out(here)
