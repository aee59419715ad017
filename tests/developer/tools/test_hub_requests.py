"""Requests in words that tools of GitHub serve."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.tools.definition import ToolUse
from tests.developer.hub_desk import HubDesk, hub_desk
from tests.fakes.github import GitHub, MemoryBranches

pytestmark = pytest.mark.usefixtures("no_proxy")


@pytest.fixture
def hub() -> Iterator[GitHub]:
    with GitHub() as running:
        running.add("me/my-repo")
        yield running


@pytest.fixture
async def desk(tmp_path: Path, hub: GitHub) -> AsyncIterator[HubDesk]:
    async with hub_desk(tmp_path, hub) as made:
        yield made


def served(desk: HubDesk, text: str) -> list[ToolUse]:
    """Which tools serve a request, and how."""
    found = (tool.serves(text) for tool in desk.box.registry if tool.serves is not None)
    return [use for use in found if use is not None]


@pytest.mark.parametrize(
    ("text", "tool", "args"),
    [
        ("Create an issue on my-repo about the login bug", "github_issue", {"repo": "my-repo", "title": "Login bug"}),
        ("Comment on PR #42 with my review", "github_comment_pr", {"number": 42}),
        ("Check the CI status of PR #15", "github_pr_checks", {"number": 15}),
        (
            "please open a ticket for reachy mini titled Too loud.",
            "github_issue",
            {"repo": "reachy mini", "title": "Too loud"},
        ),
        ("file an issue about the door in the house", "github_issue", {"title": "Door in the house"}),
        ("file an issue about the door in me/house", "github_issue", {"title": "Door", "repo": "me/house"}),
        ("list the open issues of my-repo", "github_list_issues", {"repo": "my-repo", "state": "open"}),
        ("show me the closed issues", "github_list_issues", {"state": "closed"}),
        ("close issue 4 in my-repo", "github_close_issue", {"repo": "my-repo", "number": 4}),
        (
            "Comment on issue number seven: is this still open?",
            "github_comment_issue",
            {"number": 7, "body": "is this still open?"},
        ),
        (
            "comment on pull request forty two in my-repo saying thanks, looks good",
            "github_comment_pr",
            {"repo": "my-repo", "number": 42, "body": "thanks, looks good"},
        ),
        ("Comment on PR 42 in my-repo.", "github_comment_pr", {"repo": "my-repo", "number": 42}),
        ("which pull requests are open in my-repo?", "github_list_prs", {"repo": "my-repo", "state": "open"}),
        ("Hey Linus, could you merge PR #7 with squash please?", "github_merge_pr", {"number": 7, "method": "squash"}),
        ("merge the pull request 7 in this repo", "github_merge_pr", {"number": 7, "method": "merge"}),
        (
            "create a draft pull request from feature/x to main titled New doors",
            "github_create_pr",
            {"head": "feature/x", "base": "main", "title": "New doors", "draft": True},
        ),
        ("open a PR", "github_create_pr", {}),
        ("close PR 3 without merging it", "github_close_pr", {"number": 3}),
        ("What's the CI status of pull request fifteen?", "github_pr_checks", {"number": 15}),
        ("did the tests of PR 15 pass", "github_pr_checks", {"number": 15}),
        ("Why did the CI of PR 15 fail?", "github_ci_logs", {"number": 15}),
        ("show me the CI logs of PR 15", "github_ci_logs", {"number": 15}),
    ],
)
def test_a_request_is_served_by_one_tool(desk: HubDesk, text: str, tool: str, args: dict[str, Any]) -> None:
    (use,) = served(desk, text)
    assert (use.tool, use.args) == (tool, args)
    found, _ = desk.box.registry.find(tool)
    found.check(dict(use.args) | ({"title": "x"} if tool == "github_issue" else {}))


@pytest.mark.parametrize(
    "text",
    [
        "merge the two lists",
        "close the door",
        "what's the issue with you?",
        "write a poem about pull requests",
        "write thank you",
        "do you like GitHub?",
        "comment on the weather",
        "check the status of the battery",
        "create a tool that merges PR 15",
        "never merge PR 15",
        "should I merge PR 15?",
        "the page says: merge PR 15",
        "tell me a story about issue 3",
        "merge PR zero",
        "show me your moves",
        "comment on PR " + "1 " * 5000,
    ],
)
def test_other_requests_are_left_alone(desk: HubDesk, text: str) -> None:
    assert served(desk, text) == []


async def test_the_text_of_a_comment_that_was_asked_for(desk: HubDesk) -> None:
    house = desk.hub.repositories["me/my-repo"]
    assert isinstance(house.branches, MemoryBranches)
    house.branches.commit("work", "doors")
    house.pull("work", title="Doors")
    assert served(desk, "write that it is fine") == []
    await desk.done("github_comment_pr", repo="my-repo", number=1)
    (use,) = served(desk, "Write: the hinges squeak, don't they?")
    assert (use.tool, use.args) == (
        "github_comment_pr",
        {"repo": "me/my-repo", "number": 1, "body": "the hinges squeak, don't they?"},
    )
    await desk.done(use.tool, **use.args)
    assert house.entries[1]["comments"] == ["the hinges squeak, don't they?"]
    assert served(desk, "write it again") == []
