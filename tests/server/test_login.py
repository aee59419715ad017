"""Logins by the API, when the file of tokens is broken."""

from __future__ import annotations

import httpx

from reachy_mind.access.authentication import cookie_name
from reachy_mind.access.tokens import Tokens
from reachy_mind.mind import Mind


async def test_a_broken_tokens_file_does_not_lock_out_local_programs(mind: Mind, http: httpx.AsyncClient) -> None:
    _, text = Tokens(mind.configuration.home).new("old login", ("read",), kind="browser")
    login = {"Cookie": f"{cookie_name({'scheme': 'http', 'server': ('127.0.0.1', None)})}={text}"}
    assert (await http.get("/me", headers=login)).json()["kind"] == "browser"
    mind.configuration.home.tokens_file.write_text("broken")
    assert (await http.get("/me", headers=login)).json()["kind"] == "local"
    assert (await http.get("/me", headers={"Authorization": f"Bearer {text}"})).status_code == 401
