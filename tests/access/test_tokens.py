"""Tokens: shown once, kept as a hash, refused as soon as they are revoked."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.access.tokens import MAX_TOKENS, Tokens
from reachy_mind.errors import ConfigError, InvalidParameter
from reachy_mind.storage.home import Home
from tests.fakes.processes import here, here_json


def test_only_who_has_it_is_known(home: Path) -> None:
    tokens = Tokens(Home(home))
    token, text = tokens.new("kitchen")
    assert tokens.find(text) == token and token.scopes == ("mcp",)
    other, _ = tokens.new("garden")
    secret = text.rsplit("_", 1)[1] if "_" not in text[12:] else text[12:]
    for wrong in ("", text[:-1], text + "x", text.upper(), f"rm_{other.id}_{secret}", token.id, token.sha256):
        assert tokens.find(wrong) is None, wrong
    tokens.revoke("kitchen")
    assert tokens.find(text) is None and [each.name for each in tokens.all()] == ["garden"]


def test_the_file_is_the_users_alone_and_holds_no_secret(home: Path) -> None:
    tokens = Tokens(Home(home))
    _, text = tokens.new("kitchen")
    file = home / "tokens.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert text not in file.read_text() and text[12:] not in file.read_text()
    assert {each.name for each in home.iterdir()} == {"tokens.json", "run"}, "nothing half-written is left"


@pytest.mark.parametrize("name", ["", " kitchen", "a" * 41, "a\nb", "../x"])
def test_a_name_is_a_name(home: Path, name: str) -> None:
    with pytest.raises(InvalidParameter):
        Tokens(Home(home)).new(name)


def test_there_is_one_of_a_name_and_an_end_to_them(home: Path) -> None:
    tokens = Tokens(Home(home))
    tokens.new("kitchen")
    with pytest.raises(InvalidParameter, match="there is already a token"):
        tokens.new("kitchen")
    for number in range(MAX_TOKENS - 1):
        tokens.new(f"t{number}")
    with pytest.raises(InvalidParameter, match="already 100 tokens"):
        tokens.new("one more")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"tokens": [{"id": 1}]}', "\x00"])
def test_a_broken_file_lets_nobody_in(home: Path, text: str) -> None:
    tokens = Tokens(Home(home))
    _, kept = tokens.new("kitchen")
    (home / "tokens.json").write_text(text)
    with pytest.raises(ConfigError, match=r"tokens\.json"):
        tokens.find(kept)


def test_the_command(home: Path) -> None:
    made = here_json("token", "new", "kitchen")
    assert Tokens(Home(home)).find(made["token"]) is not None
    (listed,) = here_json("token", "list")["tokens"]
    assert listed["id"] == made["id"] and "token" not in listed and "sha256" not in listed
    assert here_json("token", "revoke", made["id"])["revoked"] is True
    assert "no tokens" in here("token", "list").stdout
    missing = here("token", "revoke", "kitchen")
    assert missing.returncode == 1 and "no token 'kitchen'" in missing.stderr


def test_scopes_and_an_end(home: Path) -> None:
    made = here_json("token", "new", "kitchen", "--scope", "read", "--scope", "talk", "--days", "2")
    assert made["scopes"] == ["read", "talk"] and 172000 < made["expires"] - made["created"] < 173000
    tokens = Tokens(Home(home))
    token = tokens.find(made["token"])
    assert token is not None and not token.expired and token.last_used is None
    tokens.record_use(token)
    assert "used" in here("token", "list").stdout
    for wrong in (("--scope", "everything"), ("--days", "0"), ("--days", "99999")):
        assert here("token", "new", "other", *wrong).returncode == 1
    cookie = tokens.new("phone", ("read",), days=1, kind="browser")[1]
    assert tokens.find(cookie) is None and tokens.find(cookie, "browser") is not None
    assert tokens.find(made["token"], "browser") is None


def test_what_is_revoked_while_a_mind_notes_its_use_stays_revoked(home: Path) -> None:
    """Two processes write the file: each sees what the other did."""
    mind, person = Tokens(Home(home)), Tokens(Home(home))
    token, text = mind.new("kitchen")
    assert mind.find(text) is not None
    person.revoke("kitchen")
    mind.record_use(token)
    assert mind.find(text) is None and person.all() == []
