"""`run --lan`, as a person uses it: a phone logs in with the link of the terminal, our own commands go on as before."""

from __future__ import annotations

import json
import re
import signal
import ssl
from pathlib import Path

import httpx
import pytest

from reachy_mind.access import lan
from tests.fakes.minds import running
from tests.fakes.processes import here, here_json

pytestmark = pytest.mark.process


@pytest.mark.skipif(not lan.addresses(), reason="this machine has no network")
def test_a_phone_comes_in_and_everything_here_goes_on(home: Path) -> None:
    with running(home, "--robot", "none", "--lan", server__require_token="yes") as run:  # noqa: S106
        said = "".join(run.heard)
        phones, own = re.findall(r"log in, once, within ten minutes: (\S+)", said)
        place, _, code = phones.partition("/login#")
        assert place.startswith("https://") and own.startswith(f"{run.url}/login#") and "█" in said
        for file in (home / "tls").iterdir():
            assert file.stat().st_mode & 0o777 == 0o600
        trust = ssl.create_default_context(cafile=str(home / "tls" / "ca.pem"))
        with httpx.Client(base_url=place, verify=trust, trust_env=False) as phone:
            assert phone.get("/api/v1/me").status_code == 401
            assert phone.post("/api/v1/login", json={"code": code}).status_code == 200
            assert phone.get("/api/v1/me").json()["kind"] == "browser" and phone.get("/").status_code == 200
        assert httpx.get(f"{run.url}/api/v1/me", trust_env=False).status_code == 401

        asked = here_json("ask", "what time is it?")
        assert asked["tools"][0]["status"] == "ok", "our own commands have their token"
        (listed,) = here_json("token", "list")["tokens"]
        assert listed["kind"] == "browser" and listed["last_used"]
        another = here_json("token", "login", "--scope", "read", "--days", "1")
        assert another["urls"][0].startswith(place) and another["code"] != code
        refused = here("token", "login", "--scope", "mcp")
        assert refused.returncode == 1 and "no scopes for a login: mcp" in refused.stderr
        assert run.end(signal.SIGTERM) == 0
        assert code not in json.dumps(run.heard[run.heard.index(next(h for h in run.heard if "ready in" in h)) :])
