"""Addresses in pull requests and checks: others choose them, and they become links."""

from __future__ import annotations

import pytest

from reachy_mind.developer.github.models import PullRequest
from reachy_mind.developer.github.printable_text import web_address
from reachy_mind.developer.github.pull_checks import pull_as_dict

SIDE = {"ref": "main", "sha": "1" * 40}


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "java\x1bscript:alert(1)",
        "data:text/html,x",
        "//evil.example",
        None,
    ],
)
def test_only_an_address_of_the_web_becomes_a_link(address: str | None) -> None:
    assert web_address(address) == ""
    pull = PullRequest.model_validate({"number": 1, "html_url": address or "", "head": SIDE, "base": SIDE})
    assert pull_as_dict(pull)["url"] == ""


def test_an_address_is_whole_or_not_there() -> None:
    assert web_address("https://github.com/me/house/pull/1") == "https://github.com/me/house/pull/1"
    assert web_address("https://github.com/" + "x" * 400) == ""
