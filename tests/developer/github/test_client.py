"""The client of GitHub: where its token goes, what it waits for, what it says when something fails."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import AsyncIterator, Iterator

import pytest
from pydantic import SecretStr

from reachy_mind.developer.github.client import MAX_JSON_BYTES, GitHubClient
from reachy_mind.developer.github.errors import (
    AccessRefused,
    GitHubError,
    GitHubOffline,
    GitHubUnavailable,
    NotOnGitHub,
    RateLimited,
    RequestRejected,
    TokenMissing,
    TokenRefused,
)
from reachy_mind.developer.github.models import GitHubIssue, GitHubUser, HostedRepository
from reachy_mind.errors import BadAnswer, TimedOut
from tests.fakes.github import LOGIN, TOKEN, GitHub, Request, failing, limited, waiting

pytestmark = pytest.mark.usefixtures("no_proxy")


@pytest.fixture
def hub() -> Iterator[GitHub]:
    with GitHub() as running:
        running.add("me/house")
        yield running


@pytest.fixture
async def client(hub: GitHub) -> AsyncIterator[GitHubClient]:
    async with GitHubClient(hub.api, SecretStr(TOKEN), longest_wait_s=3) as made:
        yield made


async def house(client: GitHubClient) -> HostedRepository:
    return await client.get("repos/me/house", HostedRepository, "repository me/house")


async def issue(client: GitHubClient) -> GitHubIssue:
    return await client.send("POST", "repos/me/house/issues", {"title": "Doors"}, GitHubIssue, "repository me/house")


def send_there(place: str, status: int = 302) -> object:
    return lambda request: request.send(b"", status, Location=place)


async def test_it_asks_as_the_documentation_says(hub: GitHub, client: GitHubClient) -> None:
    assert (await client.get("user", GitHubUser, "you")).login == LOGIN
    sent = hub.asked[0].headers
    assert sent["authorization"] == f"Bearer {TOKEN}" and sent["accept"] == "application/vnd.github+json"
    assert sent["x-github-api-version"] == "2022-11-28" and sent["user-agent"].startswith("ReachyMind/")


async def test_an_enterprise_server_has_its_api_below_a_path() -> None:
    with GitHub("/api/v3") as hub:
        hub.add("me/house")
        async with GitHubClient(f"{hub.api}/", SecretStr(TOKEN)) as client:
            assert (await house(client)).full_name == "me/house"
            listed = await client.list("repos/me/house/issues", GitHubIssue, "issues")
            assert listed.entries == [] and not listed.more


async def test_lists_are_read_page_by_page_up_to_a_bound(hub: GitHub, client: GitHubClient) -> None:
    house = hub.repositories["me/house"]
    for index in range(250):
        house.issue(f"issue {index}")
    every = await client.list("repos/me/house/issues", GitHubIssue, "issues", most=300)
    assert len(every.entries) == 250 and not every.more
    assert [asked.query.get("page", "1") for asked in hub.asked] == ["1", "2", "3"]
    some = await client.list("repos/me/house/issues", GitHubIssue, "issues", most=20)
    assert len(some.entries) == 20 and some.more and len(hub.asked) == 4


async def test_a_next_page_elsewhere_is_not_asked_for(hub: GitHub, client: GitHubClient) -> None:
    with GitHub() as other:
        link = f'<{other.url}/repos/me/house/issues?page=2>; rel="next"'
        hub.manners.append(lambda request: request.send_json([], Link=link))
        with pytest.raises(BadAnswer, match="where I don't look"):
            await client.list("repos/me/house/issues", GitHubIssue, "issues", most=300)
        assert other.asked == []


async def test_what_has_not_changed_is_not_counted(hub: GitHub, client: GitHubClient) -> None:
    first = await house(client)
    left = hub.remaining
    assert await house(client) == first and hub.remaining == left
    assert "if-none-match" in hub.asked[1].headers
    hub.repositories["me/house"].default_branch = "trunk"
    assert (await house(client)).default_branch == "trunk"


async def test_a_renamed_repository_is_followed_with_the_token(hub: GitHub, client: GitHubClient) -> None:
    hub.moved["me/shed"] = "me/house"
    found = await client.get("repos/me/shed", HostedRepository, "repository me/shed")
    made = await client.send("POST", "repos/me/shed/issues", {"title": "Doors"}, GitHubIssue, "repository me/shed")
    assert found.full_name == "me/house" and made.title == "Doors"
    assert all(asked.headers["authorization"] for asked in hub.asked)


@pytest.mark.parametrize("status", [301, 302, 307])
async def test_the_token_is_not_sent_where_a_redirect_leads(hub: GitHub, client: GitHubClient, status: int) -> None:
    with GitHub() as other:
        other.add("me/house")
        hub.always["/repos/me/house"] = lambda request: request.send(
            b"", status, Location=f"{other.url}/repos/me/house"
        )
        hub.always["/repos/me/house/issues"] = lambda request: request.send(b"", status, Location=f"{other.url}/x")
        for asking in (house, issue):
            with pytest.raises(BadAnswer, match="not followed") as caught:
                await asking(client)
            assert caught.value.hint
        assert other.asked == []


async def test_a_download_goes_on_elsewhere_without_the_token(hub: GitHub, client: GitHubClient) -> None:
    hub.store.files["/log.txt"] = b"what happened"
    there = f"{hub.store.url}/log.txt?sig=secret"
    hub.always["/log"] = lambda request: request.send(b"", 302, Location=there)
    assert await client.download("log", "the log") == b"what happened"
    assert [asked.path for asked in hub.store.asked] == ["/log.txt?sig=secret"]
    assert not any("authorization" in asked.headers for asked in hub.store.asked)
    assert hub.asked[0].headers["authorization"]


async def test_where_a_download_lies_has_no_say_about_limits(hub: GitHub, client: GitHubClient) -> None:
    hub.always["/log"] = lambda request: request.send(b"", 302, Location=f"{hub.store.url}/gone.txt")
    with pytest.raises(GitHubUnavailable, match=r"the log can't be fetched \(status 404\)"):
        await client.download("log", "the log")
    with GitHub() as other:
        other.manners.append(limited(100_000))
        hub.always["/log"] = lambda request: request.send(b"", 302, Location=f"{other.url}/log")
        with pytest.raises(GitHubUnavailable, match="status 403"):
            await client.download("log", "the log")
    assert (await house(client)).full_name == "me/house"


async def test_a_limit_for_years_is_a_mistake(hub: GitHub, client: GitHubClient) -> None:
    hub.manners.append(limited(10**10))
    with pytest.raises(RateLimited, match="in about 120 minutes"):
        await house(client)


async def test_a_download_that_goes_in_circles_ends(hub: GitHub, client: GitHubClient) -> None:
    hub.always["/log"] = lambda request: request.send(b"", 302, Location=f"{hub.api}/log")
    with pytest.raises(BadAnswer, match="without end"):
        await client.download("log", "the log")


async def test_a_short_limit_is_waited_for_also_when_something_changes(hub: GitHub, client: GitHubClient) -> None:
    hub.manners += [limited(1), limited(1)]
    assert (await issue(client)).title == "Doors"
    assert len(hub.repositories["me/house"].entries) == 1 and len(hub.asked) == 3


async def test_a_long_limit_says_when_and_asks_nothing_before(hub: GitHub, client: GitHubClient) -> None:
    hub.manners.append(limited(1800))
    with pytest.raises(RateLimited, match="in about 30 minutes") as caught:
        await house(client)
    assert caught.value.retry_at and caught.value.hint
    with pytest.raises(RateLimited):
        await issue(client)
    assert len(hub.asked) == 1


async def test_the_primary_limit_is_read_from_the_headers(hub: GitHub, client: GitHubClient) -> None:
    hub.remaining = 1
    await house(client)  # the last one that is allowed: its answer says so
    with pytest.raises(RateLimited, match="in about 30 minutes"):
        await client.get("user", GitHubUser, "you")
    assert len(hub.asked) == 1


async def test_trouble_of_github_is_retried_for_questions_alone(hub: GitHub, client: GitHubClient) -> None:
    hub.manners += [failing(502), failing(503)]
    assert (await house(client)).full_name == "me/house" and len(hub.asked) == 3
    hub.manners.append(failing(502))
    with pytest.raises(GitHubUnavailable, match="502"):
        await issue(client)
    assert len(hub.changes()) == 1


async def test_a_slow_answer_ends(hub: GitHub) -> None:
    event = threading.Event()
    hub.always["/repos/me/house/issues"] = waiting(event)
    async with GitHubClient(hub.api, SecretStr(TOKEN), timeout_s=0.3) as client:
        with pytest.raises(TimedOut, match=r"within 0\.3 s"):
            await issue(client)
    event.set()
    assert len(hub.changes()) == 1


async def test_offline_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    async with GitHubClient(f"http://127.0.0.1:{port}", SecretStr(TOKEN)) as client:
        with pytest.raises(GitHubOffline, match="can't be reached") as caught:
            await issue(client)
    assert "internet" in caught.value.hint and TOKEN not in str(caught.value)


async def test_without_a_token_nothing_is_changed_and_much_is_read(hub: GitHub) -> None:
    async with GitHubClient(hub.api) as client:
        assert (await house(client)).full_name == "me/house"
        assert "authorization" not in hub.asked[0].headers
        with pytest.raises(TokenMissing, match="no token") as caught:
            await issue(client)
        assert "developer.github_token" in caught.value.hint and hub.changes() == []
        with pytest.raises(TokenMissing):
            await client.get("user", GitHubUser, "you")


async def test_a_wrong_token_is_not_told(hub: GitHub) -> None:
    wrong = "ghp_wrong000000000000000000000000000000"
    async with GitHubClient(hub.api, SecretStr(wrong)) as client:
        with pytest.raises(TokenRefused, match="wrong or has expired") as caught:
            await house(client)
    assert wrong not in f"{caught.value}{caught.value.hint}{caught.value.args}"


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "ümlaut", "x" * 600])
def test_what_can_be_no_token_is_refused_without_being_told(token: str) -> None:
    with pytest.raises(TokenRefused) as caught:
        GitHubClient("https://api.github.com", SecretStr(token))
    assert token not in str(caught.value)


def test_a_token_is_not_sent_without_encryption() -> None:
    with pytest.raises(TokenRefused, match="without encryption"):
        GitHubClient("http://github.example/api/v3", SecretStr(TOKEN))


async def test_an_answer_that_repeats_the_token_does_not_show_it(hub: GitHub, client: GitHubClient) -> None:
    hub.manners.append(lambda request: request.send_json({"message": f"I know {TOKEN}"}, 422))
    with pytest.raises(RequestRejected) as caught:
        await house(client)
    assert TOKEN not in f"{caught.value}{caught.value.message}{caught.value.hint}" and "[token]" in caught.value.message


async def test_no_log_has_the_token(hub: GitHub, client: GitHubClient, caplog: pytest.LogCaptureFixture) -> None:
    hub.store.files["/log.txt"] = b"what happened"
    hub.always["/log"] = lambda request: request.send(b"", 302, Location=f"{hub.store.url}/log.txt?sig=secret")
    with (
        caplog.at_level(logging.DEBUG),
        caplog.at_level(logging.DEBUG, "httpx"),
        caplog.at_level(logging.DEBUG, "httpcore"),
    ):
        await client.download("log", "the log")
        hub.manners.append(failing(500))
        await house(client)
    assert "/repos/me/house" in caplog.text and TOKEN not in caplog.text


@pytest.mark.parametrize(
    ("headers", "hint"),
    [
        (
            {"X-Accepted-OAuth-Scopes": "repo", "X-OAuth-Scopes": "gist, read:user"},
            "scope repo; it has gist, read:user",
        ),
        ({"X-Accepted-GitHub-Permissions": "issues=write"}, "permission issues: write"),
        ({"X-GitHub-SSO": "required; url=https://github.com/orgs/x/sso"}, "single sign-on"),
        ({"X-OAuth-Scopes": "repo"}, "right to do that"),
    ],
)
async def test_a_missing_right_is_named(hub: GitHub, client: GitHubClient, headers: dict[str, str], hint: str) -> None:
    told = {"message": "Resource not accessible by personal access token"}
    hub.manners.append(lambda request: request.send_json(told, 403, **headers))
    with pytest.raises(AccessRefused, match="not accessible") as caught:
        await house(client)
    assert hint in caught.value.hint


async def test_what_is_not_there_and_what_is_refused(hub: GitHub, client: GitHubClient) -> None:
    with pytest.raises(NotOnGitHub, match="no repository me/shed"):
        await client.get("repos/me/shed", HostedRepository, "repository me/shed")
    with pytest.raises(RequestRejected, match=r"\(title: missing field\)"):
        await client.send("POST", "repos/me/house/issues", {"title": ""}, GitHubIssue, "repository me/house")


@pytest.mark.parametrize("content", [b"", b"<html>", b"[1]", b'{"full_name": 5}', b"[" * 100_000])
async def test_an_answer_that_is_none_is_no_crash(hub: GitHub, client: GitHubClient, content: bytes) -> None:
    hub.manners.append(lambda request: request.send(content))
    with pytest.raises(BadAnswer, match="can't be read"):
        await house(client)


async def test_an_endless_answer_ends(hub: GitHub, client: GitHubClient) -> None:
    def endless(request: Request) -> None:
        request.send_response(200)
        request.end_headers()
        for _ in range(MAX_JSON_BYTES // 1_000_000 + 2):
            request.wfile.write(b"[" * 1_000_000)

    hub.manners.append(endless)
    with pytest.raises(BadAnswer, match="more than"):
        await house(client)


async def test_an_answer_that_expands_is_refused(hub: GitHub, client: GitHubClient) -> None:
    body = json.dumps({"full_name": "me/house"}).encode()
    hub.manners.append(lambda request: request.send(body, Content_Encoding="gzip"))
    with pytest.raises(BadAnswer, match="not asked for"):
        await house(client)
    assert hub.asked[0].headers["accept-encoding"] == "identity"


async def test_a_message_of_github_is_text_of_others(hub: GitHub, client: GitHubClient) -> None:
    told = "\x1b[31mRun this\x1b[0m\u202e now\x07 " + "x" * 5000
    hub.manners.append(lambda request: request.send_json({"message": told, "errors": "none"}, 422))
    with pytest.raises(GitHubError) as caught:
        await house(client)
    assert caught.value.message.isprintable() and len(caught.value.message) < 500
