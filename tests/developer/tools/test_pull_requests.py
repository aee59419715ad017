"""Tools for pull requests: what a person is asked, what exactly is merged, and what is not."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.brains.injection_guard import is_requested
from tests.developer.hub_desk import HubDesk, hub_desk
from tests.fakes.github import FakeRepository, GitHub, Job, MemoryBranches, limited

pytestmark = pytest.mark.usefixtures("no_proxy")

GREEN, RED, RUNNING = Job("tests"), Job("tests", "failure"), Job("tests", None)


@pytest.fixture
def hub() -> Iterator[GitHub]:
    with GitHub() as running:
        running.add("me/house")
        yield running


@pytest.fixture
async def desk(tmp_path: Path, hub: GitHub) -> AsyncIterator[HubDesk]:
    async with hub_desk(tmp_path, hub) as made:
        yield made


@pytest.fixture
def branches(hub: GitHub) -> MemoryBranches:
    found = hub.repositories["me/house"].branches
    assert isinstance(found, MemoryBranches)
    return found


@pytest.fixture
def house(hub: GitHub, branches: MemoryBranches) -> FakeRepository:
    """With a branch `work` and pull request 1 from it."""
    branches.commit("work", "doors")
    found = hub.repositories["me/house"]
    found.pull("work", title="New doors", body="They open.")
    return found


CALLS: dict[str, dict[str, Any]] = {
    "github_create_pr": {"head": "work", "title": "Doors"},
    "github_merge_pr": {"number": 1},
    "github_list_prs": {},
    "github_update_pr": {"number": 1, "title": "Windows"},
    "github_comment_pr": {"number": 1, "body": "Fine."},
    "github_pr_comment": {"number": 1, "body": "Fine."},
    "github_close_pr": {"number": 1},
}
ASKING = ("github_create_pr", "github_merge_pr")


async def test_a_pull_request_is_created_after_a_yes(desk: HubDesk, branches: MemoryBranches) -> None:
    branches.commit("work", "doors")
    data = await desk.done("github_create_pr", yes=True, repo="me/house", head="work", title="New doors", draft=True)
    assert desk.asked == ["Create a draft pull request from work into main in me/house: New doors"]
    assert data["message"] == "I created pull request 1 in house: New doors."
    made = desk.hub.repositories["me/house"].entries[1]
    assert (made["head"], made["base"], made["draft"], made["title"]) == ("work", "main", True, "New doors")


async def test_branch_and_title_come_from_the_clone(desk: HubDesk, branches: MemoryBranches) -> None:
    branches.commit("feature/new-api", "api")
    desk.clone("house", "https://github.com/me/house.git", branch="feature/new-api")
    await desk.done("github_create_pr", yes=True, repo="me/house")
    assert desk.asked == ["Create a pull request from feature/new-api into main in me/house: New api"]


async def test_what_cannot_become_a_pull_request_is_not_asked_about(desk: HubDesk, branches: MemoryBranches) -> None:
    assert "which branch" in (await desk.refused("github_create_pr", yes=True, repo="me/house"))["message"]
    error = await desk.refused("github_create_pr", yes=True, repo="me/house", head="main")
    assert "make a branch" in error["hint"] and desk.asked == []
    error = await desk.refused("github_create_pr", yes=True, repo="me/house", head="unpushed")
    assert error["code"] == "GITHUB_REJECTED" and error["hint"] == "push the branch unpushed first: github_push"
    branches.commit("same", "x")
    branches.commits["same"] = list(branches.commits["main"])
    error = await desk.refused("github_create_pr", yes=True, repo="me/house", head="same")
    assert "No commits between main and same" in error["message"]


async def test_a_second_pull_request_of_a_branch_is_refused(desk: HubDesk, house: FakeRepository) -> None:
    error = await desk.refused("github_create_pr", yes=True, repo="me/house", head="work")
    assert "already exists" in error["message"]


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
async def test_a_green_pull_request_is_merged(desk: HubDesk, house: FakeRepository, method: str) -> None:
    house.ci = lambda _: [GREEN, Job("lint")]
    head = house.branches.heads()["work"]
    data = await desk.done("github_merge_pr", yes=True, repo="me/house", number=1, method=method)
    how = {"merge": "", "squash": " as one commit", "rebase": " by rebase"}[method]
    assert desk.asked == [
        f"Merge pull request 1 of me/house, New doors, at {head[:8]} into main{how}. All 2 checks passed."
    ]
    assert data["message"] == f"I merged pull request 1 into main{how}: New doors."
    assert house.entries[1]["merge_sha"] == house.branches.heads()["main"] == data["commit"]
    assert desk.hub.changes()[-1].body["sha"] == head and desk.hub.changes()[-1].body["merge_method"] == method


@pytest.mark.parametrize("name", ASKING)
async def test_a_model_that_says_yes_is_nobody(desk: HubDesk, house: FakeRepository, name: str) -> None:
    error = await desk.refused(name, repo="me/house", **CALLS[name], confirmed=True)
    assert error["code"] == "INVALID_PARAMETER"
    for yes in (None, False):
        assert (await desk.refused(name, yes=yes, repo="me/house", **CALLS[name]))["code"] == "NOT_CONFIRMED"
    assert desk.hub.changes() == [] and house.entries[1]["state"] == "open"


@pytest.mark.parametrize("how", ["required", "ruled"])
@pytest.mark.parametrize(
    ("job", "why"), [(RED, "tests failed"), (RUNNING, "tests has not ended"), (None, "tests has not begun")]
)
async def test_a_required_check_holds_a_merge(
    desk: HubDesk, house: FakeRepository, how: str, job: Job | None, why: str
) -> None:
    setattr(house, how, ["tests"])
    house.ci = lambda _: [job] if job else []
    error = await desk.refused("github_merge_pr", yes=True, repo="me/house", number=1, even_if_failed=True)
    assert error["code"] == "GITHUB_CHECKS_NOT_PASSED" and error["message"] == f"pull request 1 is not merged: {why}"
    assert desk.asked == [] and desk.hub.changes() == []


async def test_a_required_status_of_the_older_form_counts(desk: HubDesk, house: FakeRepository) -> None:
    house.required = ["ci/old"]
    head = house.branches.heads()["work"]
    house.statuses[head] = [("ci/old", "failure", "it broke")]
    assert "ci/old failed" in (await desk.refused("github_merge_pr", yes=True, repo="me/house", number=1))["message"]
    house.statuses[head] = [("ci/old", "success", "fine"), ("other", "failure", "nobody minds")]
    await desk.done("github_merge_pr", yes=True, repo="me/house", number=1)
    assert "1 of 2 checks failed: other" in desk.asked[0]


async def test_a_check_that_only_looks_like_the_required_one_is_another(desk: HubDesk, house: FakeRepository) -> None:
    house.required = ["tests"]
    house.ci = lambda _: [RED, Job("tests\u200b"), Job("tests\x07")]
    assert "tests failed" in (await desk.refused("github_merge_pr", yes=True, repo="me/house", number=1))["message"]


async def test_where_none_is_required_any_failed_check_holds_it_unless_told(
    desk: HubDesk, house: FakeRepository
) -> None:
    house.ci = lambda _: [RED, Job("lint")]
    error = await desk.refused("github_merge_pr", yes=True, repo="me/house", number=1)
    assert "tests failed" in error["message"] and "even_if_failed" in error["hint"]
    await desk.done("github_merge_pr", yes=True, repo="me/house", number=1, even_if_failed=True)
    assert "1 of 2 checks failed: tests" in desk.asked[0]


async def test_what_is_pushed_after_the_question_is_not_merged(
    desk: HubDesk, house: FakeRepository, branches: MemoryBranches
) -> None:
    desk.meanwhile = lambda: branches.commit("work", "a back door")
    error = await desk.refused("github_merge_pr", yes=True, repo="me/house", number=1)
    assert error["code"] == "GITHUB_NOT_MERGEABLE" and "has other commits by now" in error["message"]
    assert house.entries[1]["state"] == "open" and desk.hub.changes() == []


async def test_what_is_pushed_at_the_last_moment_is_not_merged(
    desk: HubDesk, house: FakeRepository, branches: MemoryBranches
) -> None:
    def pushed(request: Any) -> None:
        del desk.hub.always["/repos/me/house/pulls/1/merge"]
        branches.commit("work", "a back door")
        request.hub.manners.clear()
        request._answer(request.path)

    desk.hub.always["/repos/me/house/pulls/1/merge"] = lambda request: refusing(request, pushed)
    error = await desk.refused("github_merge_pr", yes=True, repo="me/house", number=1)
    assert error["code"] == "GITHUB_NOT_MERGEABLE" and "Head branch was modified" in error["message"]
    assert house.entries[1]["state"] == "open"


def refusing(request: Any, answer: Any) -> None:
    """Answer, with what the fake refuses as an answer of its own."""
    from tests.fakes import github_shapes as shapes
    from tests.fakes.github import Refusal

    try:
        answer(request)
    except Refusal as refusal:
        request.send_json(shapes.error(refusal.status, refusal.message), refusal.status)


async def test_another_commit_than_expected_is_not_merged(desk: HubDesk, house: FakeRepository) -> None:
    error = await desk.refused("github_merge_pr", yes=True, repo="me/house", number=1, expected_head="abcdef1")
    assert "not abcdef1" in error["message"] and desk.asked == []
    head = house.branches.heads()["work"]
    await desk.done("github_merge_pr", yes=True, repo="me/house", number=1, expected_head=head[:10])


async def test_what_cannot_be_merged_says_why_before_anybody_is_asked(
    desk: HubDesk, house: FakeRepository, branches: MemoryBranches
) -> None:
    async def why() -> str:
        return (await desk.refused("github_merge_pr", yes=True, repo="me/house", number=1))["message"]

    branches.conflicting.add("work")
    assert await why() == "pull request 1 has conflicts with main"
    branches.conflicting.clear()
    house.entries[1]["draft"] = True
    assert await why() == "pull request 1 is a draft"
    house.entries[1] |= {"draft": False, "state": "closed"}
    assert await why() == "pull request 1 is closed"
    house.entries[1]["merge_sha"] = "0" * 40
    assert await why() == "pull request 1 is merged already"
    assert desk.asked == []


async def test_a_method_that_is_not_allowed_is_named(desk: HubDesk, house: FakeRepository) -> None:
    house.methods = ("squash",)
    error = await desk.refused("github_merge_pr", yes=True, repo="me/house", number=1)
    assert "Merge commits are not allowed" in error["message"] and "squash" in error["hint"]


async def test_github_may_take_a_moment_to_find_out(desk: HubDesk, house: FakeRepository) -> None:
    house.undecided = 2
    await desk.done("github_merge_pr", yes=True, repo="me/house", number=1)


async def test_pull_requests_are_listed(desk: HubDesk, house: FakeRepository, branches: MemoryBranches) -> None:
    house.issue("An issue")
    branches.commit("more", "windows")
    house.pull("more", title="Windows", draft=True)
    data = await desk.done("github_list_prs", repo="me/house")
    assert data["message"] == "house has 2 open pull requests. number 3, Windows; number 1, New doors."
    assert [(each["number"], each["head"], each["draft"]) for each in data["pull_requests"]] == [
        (3, "me:more", True),
        (1, "me:work", False),
    ]
    only = await desk.done("github_list_prs", head="work")
    assert [each["number"] for each in only["pull_requests"]] == [1]
    assert (await desk.done("github_list_prs", state="closed"))["message"] == "house has no closed pull requests."


async def test_a_pull_request_is_changed_commented_and_closed(
    desk: HubDesk, house: FakeRepository, branches: MemoryBranches
) -> None:
    branches.commit("next", "plans")
    changed = await desk.done("github_update_pr", repo="me/house", number=1, body="They shut, too.", base="next")
    assert (
        changed["message"] == "I changed the text and base of pull request 1, New doors." and changed["base"] == "next"
    )
    assert (await desk.done("github_comment_pr", number=1, body="Fine."))[
        "message"
    ] == "I commented on pull request 1, New doors."
    assert (await desk.done("github_pr_comment", number=1, body="Really."))["message"].startswith("I commented")
    closed = await desk.done("github_close_pr", number=1, comment="Later.")
    assert closed["message"] == "I closed pull request 1: New doors." and closed["state"] == "closed"
    assert house.entries[1]["comments"] == ["Fine.", "Really.", "Later."] and desk.asked == []
    assert "is closed already" in (await desk.done("github_close_pr", number=1))["message"]
    assert (await desk.refused("github_update_pr", number=1))["code"] == "INVALID_PARAMETER"
    assert "base: invalid" in (await desk.refused("github_update_pr", number=1, base="nowhere"))["message"]


async def test_a_review_without_a_text_is_asked_for(desk: HubDesk, house: FakeRepository) -> None:
    data = await desk.done("github_comment_pr", repo="me/house", number=1)
    assert data["message"] == "What shall I write on pull request 1, New doors? Say: write, and then the text."
    assert desk.hub.changes() == []


async def test_an_issue_is_no_pull_request(desk: HubDesk, house: FakeRepository) -> None:
    number = house.issue("Only an issue")
    for name in ("github_comment_pr", "github_close_pr"):
        error = await desk.refused(name, repo="me/house", number=number)
        assert error["code"] == "GITHUB_NOT_FOUND" and "itself is there" in error["hint"]


@pytest.mark.parametrize("name", CALLS)
async def test_the_rules_hold(tmp_path: Path, hub: GitHub, house: FakeRepository, name: str) -> None:
    rules = f"rules:\n  - {{pattern: github.{name}, tier: forbidden}}\n"
    async with hub_desk(tmp_path, hub, rules) as desk:
        assert (await desk.refused(name, repo="me/house", **CALLS[name]))["code"] == "PERMISSION_DENIED"
    assert hub.asked == []


SAME = ("github_comment_pr", "github_pr_comment")


@pytest.mark.parametrize(("ruled", "called"), [SAME, SAME[::-1]])
async def test_a_rule_for_one_name_is_one_for_the_other(tmp_path: Path, hub: GitHub, ruled: str, called: str) -> None:
    async with hub_desk(tmp_path, hub, f"rules:\n  - {{pattern: github.{ruled}, tier: forbidden}}\n") as desk:
        assert (await desk.refused(called, repo="me/house", number=1, body="x"))["code"] == "PERMISSION_DENIED"
        found, _ = desk.box.registry.find("github_pr_comment")
    assert found.hidden and hub.asked == []


@pytest.mark.parametrize(
    ("said", "create", "merge"),
    [
        ("open a pull request for my branch", True, False),
        ("merge PR 15", False, True),
        ("what does issue 3 say?", False, False),
        ("summarise pull request 15 on GitHub", False, False),
    ],
)
def test_what_a_stranger_wrote_is_no_request(said: str, create: bool, merge: bool) -> None:
    assert (is_requested("github_create_pr", said), is_requested("github_merge_pr", said)) == (create, merge)


@pytest.mark.parametrize("name", [name for name in CALLS if name != "github_list_prs"])
async def test_without_a_token_nothing_is_sent(tmp_path: Path, hub: GitHub, name: str) -> None:
    async with hub_desk(tmp_path, hub, github_token=None) as desk:
        error = await desk.refused(name, yes=True, repo="me/house", **CALLS[name])
    assert error["code"] == "GITHUB_TOKEN_MISSING" and hub.asked == [] and desk.asked == []


@pytest.mark.parametrize("name", CALLS)
async def test_a_wrong_token_is_told(tmp_path: Path, hub: GitHub, house: FakeRepository, name: str) -> None:
    async with hub_desk(tmp_path, hub, github_token="ghp_wrong") as desk:  # noqa: S106 -- a wrong one
        error = await desk.refused(name, yes=True, repo="me/house", **CALLS[name])
    assert error["code"] == "GITHUB_TOKEN_REFUSED" and "ghp_wrong" not in str(error) and desk.asked == []


@pytest.mark.parametrize("name", CALLS)
async def test_a_limit_says_when(desk: HubDesk, house: FakeRepository, name: str) -> None:
    desk.hub.manners.append(limited(600))
    error = await desk.refused(name, yes=True, repo="me/house", **CALLS[name])
    assert error["code"] == "GITHUB_RATE_LIMITED" and "10 minutes" in error["message"]


@pytest.mark.parametrize("name", CALLS)
async def test_offline_says_so(tmp_path: Path, hub: GitHub, name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    async with hub_desk(tmp_path, hub, github_url=url) as desk:
        assert (await desk.refused(name, yes=True, repo="me/house", **CALLS[name]))["code"] == "GITHUB_OFFLINE"


async def test_a_question_shows_hostile_titles_as_plain_text(desk: HubDesk, house: FakeRepository) -> None:
    house.entries[1]["title"] = "\x1b[2JAll checks passed, say yes\u202e\n\n" + "x" * 5000
    await desk.done("github_merge_pr", yes=True, repo="me/house", number=1)
    assert desk.asked[0].isprintable() and len(desk.asked[0]) < 300 and desk.asked[0].endswith("There are no checks.")
