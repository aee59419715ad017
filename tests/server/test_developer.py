"""Repositories over REST: real git, a fake GitHub, and a mind without a robot."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from reachy_mind.access.tokens import Tokens
from reachy_mind.config.configuration import load
from reachy_mind.developer import repository_overview
from reachy_mind.developer.service import of_parts
from reachy_mind.mind import Mind
from tests.developer import repositories
from tests.developer.hub_fixtures import no_proxy
from tests.developer.repositories import commit, git, write
from tests.fakes.github import TOKEN, GitHub, Job, failing, limited
from tests.fakes.github_branches import BareRepository
from tests.fakes.github_shapes import MOMENT
from tests.fakes.minds import free_port
from tests.server.served import serving

__all__ = ["no_proxy"]
pytestmark = [pytest.mark.process, pytest.mark.usefixtures("no_proxy")]

ROUTE = "developer/repositories"
Told = dict[str, Any]


@pytest.fixture
def bare(tmp_path: Path) -> BareRepository:
    return BareRepository.create(tmp_path / "remotes" / "house.git")


@pytest.fixture
def hub(bare: BareRepository) -> Iterator[GitHub]:
    with GitHub() as running:
        running.add("me/house", bare, required=["tests", "docs"])
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "repos"


@pytest.fixture
def settings(hub: GitHub, folder: Path) -> Told:
    return hub.settings(repository_folder=str(folder), local_remotes=True)


@pytest.fixture
async def mind(settings: Told) -> AsyncIterator[Mind]:
    async with Mind(load(flags=settings | {"robot.address": "none", "mind.brain": "reflex"})).session() as awake:
        yield awake


@pytest.fixture
def house(folder: Path, bare: BareRepository) -> Path:
    """A clone with a commit that is not pushed, and a file of each kind of change."""
    folder.mkdir()
    git(folder, "clone", "--quiet", str(bare.path), "house")
    place = folder / "house"
    commit(place, "feat: a door", {"door.py": "STATE = 'shut'\n", "old.txt": "old\n"})
    write(place, {"door.py": "STATE = 'open'\n", "window.py": "GLASS = True\n", "new folder/a.txt": "a\n"})
    git(place, "mv", "old.txt", "renamed.txt")
    return place


async def get(http: httpx.AsyncClient, route: str, status: int = 200, **params: Any) -> Told:
    answer = await http.get(f"{ROUTE}{route}", params=params)
    assert answer.status_code == status, answer.text
    told: Told = answer.json()
    assert TOKEN not in answer.text
    return told


async def error(http: httpx.AsyncClient, route: str, status: int, **params: Any) -> Told:
    told: Told = (await get(http, route, status, **params))["error"]
    assert told["message"] and told["hint"]
    return told


async def test_repositories_are_listed_with_their_state(http: httpx.AsyncClient, folder: Path, house: Path) -> None:
    for name in ("alpha", "zeta"):
        repositories.made(folder / name)
    (folder / "not-a-repository").mkdir()
    git(folder / "zeta", "config", "core.worktree", "/")
    told = await get(http, "")
    assert told["folder"] == str(folder) and told["total"] == 3
    alpha, mine, zeta = told["repositories"]
    assert (alpha["name"], alpha["branch"], alpha["changed"], alpha["problem"]) == ("alpha", "main", 0, "")
    assert (mine["branch"], mine["upstream"], mine["ahead"], mine["behind"]) == ("main", "origin/main", 1, 0)
    assert mine["changed"] == 4
    assert "core.worktree" in zeta["problem"] and zeta["branch"] == ""
    second = await get(http, "", offset=1, limit=1)
    assert [each["name"] for each in second["repositories"]] == ["house"] and second["total"] == 3


@pytest.mark.usefixtures("house")
async def test_one_that_takes_long_does_not_hold_up_the_list(
    http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository_overview, "OVERVIEW_TIMEOUT_S", 0.0)
    (told,) = (await get(http, ""))["repositories"]
    assert told["name"] == "house" and told["problem"] == "git took longer than 0 s"


async def test_without_a_folder_there_is_none(http: httpx.AsyncClient) -> None:
    assert (await get(http, ""))["repositories"] == []
    assert (await error(http, "/house/status", 404))["code"] == "UNKNOWN_REPOSITORY"


async def test_the_status_tells_each_changed_file(http: httpx.AsyncClient, house: Path) -> None:
    told = await get(http, "/house/status")
    assert told["counts"] == {"conflict": 0, "staged": 1, "modified": 1, "untracked": 2}
    files = [(each["path"], each["state"], each["change"], each["before"]) for each in told["files"]]
    assert files == [
        ("renamed.txt", "staged", "renamed", "old.txt"),
        ("door.py", "modified", "modified", ""),
        ("new folder/", "untracked", "new folder", ""),
        ("window.py", "untracked", "new", ""),
    ]
    assert [each["addressable"] for each in told["files"]] == [True, True, False, True]
    page = await get(http, "/house/status", offset=1, limit=2)
    assert [each["path"] for each in page["files"]] == ["door.py", "new folder/"] and page["total"] == 4


async def test_differences_of_the_working_tree_of_what_is_staged_and_of_a_new_file(
    http: httpx.AsyncClient, house: Path
) -> None:
    told = await get(http, "/house/diff", which="unstaged")
    assert [(each["path"], each["added"], each["removed"]) for each in told["files"]] == [("door.py", 1, 1)]
    assert "-STATE = 'shut'\n+STATE = 'open'\n" in told["diff"]
    staged = await get(http, "/house/diff", which="staged", path=["old.txt", "renamed.txt"])
    assert "rename from old.txt\nrename to renamed.txt" in staged["diff"] and staged["files"][0]["before"] == "old.txt"
    assert (await get(http, "/house/diff"))["total"] == 2
    new = await get(http, "/house/diff", which="untracked", path="window.py")
    assert new["diff"] == "@@ -0,0 +1,1 @@\n+GLASS = True\n" and new["files"][0]["added"] == 1
    (house / "picture").write_bytes(b"\0\1\2")
    binary = await get(http, "/house/diff", which="untracked", path="picture")
    assert binary["files"] == [{"path": "picture", "added": None, "removed": None, "before": ""}]
    assert (await error(http, "/house/diff", 422, which="untracked"))["code"] == "INVALID_PARAMETER"


async def test_the_history_is_paged_and_each_commit_tells_what_it_changed(http: httpx.AsyncClient, house: Path) -> None:
    told = await get(http, "/house/log", limit=1)
    assert [each["subject"] for each in told["commits"]] == ["feat: a door"] and told["more"]
    assert "HEAD -> main" in told["commits"][0]["refs"]
    rest = await get(http, "/house/log", offset=1, limit=1)
    assert [each["subject"] for each in rest["commits"]] == ["first"] and not rest["more"]
    made = await get(http, "/house/diff", commit=told["commits"][0]["commit"])
    assert [each["path"] for each in made["files"]] == ["door.py", "old.txt"] and "+STATE = 'shut'" in made["diff"]
    first = await get(http, "/house/diff", commit=rest["commits"][0]["commit"])
    assert first["diff"].endswith("+A repository.\n"), "the first one is compared with nothing"
    assert (await error(http, "/house/log", 409, branch="nowhere"))["code"] == "GIT_FAILED"
    assert (await error(http, "/house/diff", 422, commit="--output=stolen"))["code"] == "INVALID_PARAMETER"
    assert not (house / "stolen").exists()


async def test_thousands_of_changes_come_in_parts(http: httpx.AsyncClient, folder: Path) -> None:
    place = repositories.made(folder / "large", {f"src/{number:04}.txt": "a\n" for number in range(3000)})
    write(place, {f"src/{number:04}.txt": "b\n" for number in range(3000)})
    told = await get(http, "/large/status", offset=2990)
    assert told["total"] == 3000 and [each["path"] for each in told["files"]][-1] == "src/2999.txt"
    assert len(told["files"]) == 10 and len((await get(http, "/large/status"))["files"]) == 100
    assert (await get(http, ""))["repositories"][0]["changed"] == 3000
    diff = await get(http, "/large/diff", which="unstaged", limit=5)
    assert diff["cut"] and len(diff["diff"]) <= 60_000 and diff["total"] == 3000 and len(diff["files"]) == 5
    write(place, {"long.txt": "x" * 300_000})
    new = await get(http, "/large/diff", which="untracked", path="long.txt")
    assert new["cut"] and len(new["diff"]) < 61_000
    for limit in (0, 100_000):
        await error(http, "/large/status", 422, limit=limit)


async def test_text_of_others_is_without_escape_sequences(http: httpx.AsyncClient, house: Path) -> None:
    write(house, {"door.py": "\x1b[31mred\x1b[0m <script>alert(1)</script> \x9b2J\u202e\n"})
    git(house, "commit", "--quiet", "-m", "feat: \x1b]0;title\x07\x1b[2Jdoor", "door.py")
    write(house, {"door.py": "x\n", "od\x1b[31md\n.txt": "odd\n"})
    odd = [each for each in (await get(http, "/house/status"))["files"] if each["path"].startswith("od")]
    assert odd[0]["path"] == "odd .txt" and not odd[0]["addressable"]
    diff = (await get(http, "/house/diff", which="unstaged"))["diff"]
    assert "-red <script>alert(1)</script>" in diff and not {"\x1b", "\x9b", "\u202e"} & set(diff)
    assert (await get(http, "/house/log"))["commits"][0]["subject"] == "feat: door"


NAMES = {
    404: ("..", ".", "..%2fhouse", "%2e%2e%2f%2e%2e%2fetc", "house%2f..%2fhouse", "me%2fhouse", "HOUSE", "hou"),
    409: ("link", "worktree"),
    422: ("%2e%2e", ".git", "-rf", "house%00", "house%0a", "h" * 101),
}


async def test_a_name_leads_to_a_repository_of_the_folder_or_nowhere(
    http: httpx.AsyncClient, folder: Path, house: Path, tmp_path: Path
) -> None:
    elsewhere = repositories.made(tmp_path / "elsewhere", {"secret.txt": "swordfish\n"})
    (folder / "link").symlink_to(elsewhere)
    (folder / "worktree").mkdir()
    (folder / "worktree" / ".git").write_text(f"gitdir: {elsewhere / '.git'}\n")
    for status, names in NAMES.items():
        for name in names:
            for what in ("status", "diff", "log", "pulls", "pulls/1/checks"):
                answer = await http.get(f"{ROUTE}/{name}/{what}")
                assert answer.status_code == status, (name, what, answer.text)
                assert "swordfish" not in answer.text and "elsewhere" not in answer.text


async def test_a_path_leads_out_of_no_repository(http: httpx.AsyncClient, house: Path, tmp_path: Path) -> None:
    elsewhere = repositories.made(tmp_path / "elsewhere", {"secret.txt": "swordfish\n"})
    (house / "link").symlink_to(elsewhere)
    for path in ("../elsewhere/secret.txt", "/etc/passwd", ".git/config", "link/secret.txt", ".GIT/config"):
        told = await error(http, "/house/diff", 422, which="untracked", path=path)
        assert told["code"] == "PATH_REFUSED", path
    assert (await get(http, "/house/diff", path="link/secret.txt"))["diff"] == ""


async def test_pull_requests_and_their_checks(
    http: httpx.AsyncClient, mind: Mind, hub: GitHub, house: Path, bare: BareRepository
) -> None:
    git(house, "push", "--quiet", "origin", "HEAD:work")
    there = hub.repositories["me/house"]
    steps = (("Set up", "success", MOMENT, MOMENT), ("Run \x1b[31mpytest", "failure", MOMENT, MOMENT))
    there.ci = lambda _: [Job("lint"), Job("tests", "failure", "", steps), Job("slow", None)]
    there.statuses[bare.heads()["work"]] = [("deploy", "success", "done")]
    there.pull("work", title="A \x1b[31mdoor <b>")
    there.pull("work", title="Not yet", draft=True)
    told = await get(http, "/house/pulls")
    assert told["repository"] == "me/house" and told["error"] is None and told["has_token"]
    assert [(each["number"], each["title"], each["draft"]) for each in told["pulls"]] == [
        (2, "Not yet", True),
        (1, "A door <b>", False),
    ]
    assert told["pulls"][1]["url"].startswith("http") and told["pulls"][1]["base"] == "main"
    part = await get(http, "/house/pulls", limit=1)
    assert [each["number"] for each in part["pulls"]] == [2] and part["more"]
    rest = await get(http, "/house/pulls", limit=1, offset=1)
    assert [each["number"] for each in rest["pulls"]] == [1] and not rest["more"]
    assert (await get(http, "/house/pulls", state="closed"))["pulls"] == []

    checks = await get(http, "/house/pulls/1/checks")
    assert (checks["state"], checks["passed"], checks["failed"], checks["pending"]) == ("failed", 2, 1, 1)
    assert checks["missing"] == ["docs"] and checks["error"] is None
    failed = checks["checks"][0]
    assert (failed["name"], failed["state"], failed["step"], failed["required"]) == (
        "tests",
        "failed",
        "Run pytest",
        True,
    )
    missing = await get(http, "/house/pulls/99/checks")
    assert missing["error"]["code"] == "GITHUB_NOT_FOUND" and missing["checks"] == [] and missing["number"] == 99
    assert of_parts(mind.toolbox.parts).last_repository("") == "", "who looks at a page talks about nothing yet"
    assert hub.changes() == []


@pytest.mark.usefixtures("house")
async def test_trouble_of_github_is_an_answer(http: httpx.AsyncClient, hub: GitHub) -> None:
    hub.manners += [failing()] * 3
    assert (await get(http, "/house/pulls"))["error"]["code"] == "GITHUB_UNAVAILABLE"
    hub.manners += [limited(3600)]
    assert (await get(http, "/house/pulls"))["error"]["code"] == "GITHUB_RATE_LIMITED"
    assert (await get(http, "/house/status"))["branch"] == "main", "what is here can be read without GitHub"


class TestOffline:
    @pytest.fixture
    def settings(self, settings: Told) -> Told:
        return settings | {"developer.github_url": f"http://127.0.0.1:{free_port()}"}

    @pytest.mark.usefixtures("house")
    async def test_no_network_is_an_answer(self, http: httpx.AsyncClient) -> None:
        for what, nothing in (("pulls", "pulls"), ("pulls/1/checks", "checks")):
            told = await get(http, f"/house/{what}")
            assert told["error"]["code"] == "GITHUB_OFFLINE" and told["error"]["hint"] and told[nothing] == []


async def test_a_repository_without_a_remote_has_no_pull_requests(http: httpx.AsyncClient, folder: Path) -> None:
    repositories.made(folder / "lonely")
    assert (await get(http, "/lonely/pulls"))["error"]["code"] == "NO_REMOTE"


class TestWithoutAToken:
    """Public repositories can be looked at; who asks for a private one is told what to set."""

    @pytest.fixture
    def settings(self, hub: GitHub, folder: Path) -> Told:
        return hub.settings(repository_folder=str(folder), local_remotes=True, github_token=None)

    @pytest.mark.usefixtures("house")
    async def test_a_private_repository_is_an_answer_that_names_the_setting(
        self, http: httpx.AsyncClient, hub: GitHub
    ) -> None:
        hub.repositories["me/house"].private = True
        told = await get(http, "/house/pulls")
        assert not told["has_token"] and told["pulls"] == []
        assert "developer.github_token" in told["error"]["hint"]


async def test_who_may_read_sees_repositories_and_nobody_else(mind: Mind, house: Path) -> None:
    tokens = Tokens(mind.configuration.home)
    routes = [ROUTE, *(f"{ROUTE}/house/{what}" for what in ("status", "diff", "log", "pulls", "pulls/1/checks"))]
    async with serving(mind) as place:
        for scope, status in (("read", 200), ("talk", 403), ("confirm", 403), ("mcp", 403)):
            headers = {"Authorization": f"Bearer {tokens.new(scope, (scope,))[1]}"}
            async with httpx.AsyncClient(base_url=f"http://{place}/api/v1", headers=headers, trust_env=False) as one:
                for route in routes:
                    assert (await one.get(route)).status_code == status, (scope, route)
                    assert (await one.post(route)).status_code in (403, 405)
