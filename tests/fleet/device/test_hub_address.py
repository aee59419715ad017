"""Where a hub is: with TLS, unless it is on this machine or somebody allows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.errors import ConfigError
from reachy_mind.fleet.device.hub_address import HubAddress


@pytest.mark.parametrize(
    ("url", "socket", "http"),
    [
        ("https://fleet.home", "wss://fleet.home/fleet/v1/device/connect", "https://fleet.home/x"),
        ("wss://fleet.home:8650/", "wss://fleet.home:8650/fleet/v1/device/connect", "https://fleet.home:8650/x"),
        ("http://127.0.0.1:1", "ws://127.0.0.1:1/fleet/v1/device/connect", "http://127.0.0.1:1/x"),
        ("ws://[::1]:1", "ws://[::1]:1/fleet/v1/device/connect", "http://[::1]:1/x"),
        (
            "https://home.example/fleet/",
            "wss://home.example/fleet/fleet/v1/device/connect",
            "https://home.example/fleet/x",
        ),
    ],
)
def test_one_address_serves_websockets_and_requests(url: str, socket: str, http: str) -> None:
    address = HubAddress(url)
    assert (address.socket_url(), address.http_url("/x")) == (socket, http)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "fleet.home",
        "https://",
        "ftp://fleet.home",
        "file:///etc/passwd",
        "https://fleet.home:notaport",
        "https://fleet.home:99999",
        "https://fleet.home?x=1",
        "https://fleet.home#12345678",
        "https://anna:secret@fleet.home",
        "https://@fleet.home",
        "https://fleet home",
        "https://fleet.home/a b",
        "https://fleet.home\\@evil.example",
        "https://fleet\n.home",
        "https://fleet\u0000.home",
        "https://[::1",
        "https://" + "a" * 300 + ".home",
        "https://a..home",
    ],
)
def test_what_is_no_address_is_an_error_with_an_example(url: str) -> None:
    with pytest.raises(ConfigError) as refused:
        HubAddress(url)
    assert refused.value.hint and len(refused.value.message) < 300


@pytest.mark.parametrize("url", ["http://fleet.home", "ws://192.168.1.5:8650", "http://localhost.evil.example"])
def test_without_tls_only_on_this_machine_unless_it_is_allowed(url: str) -> None:
    with pytest.raises(ConfigError, match="no TLS") as refused:
        HubAddress(url)
    assert "--insecure" in refused.value.hint
    assert HubAddress(url, insecure=True).tls is None


def test_a_file_of_an_authority_that_is_none_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    for content in (None, "nonsense"):
        if content is not None:
            file.write_text(content)
        with pytest.raises(ConfigError, match=r"ca\.pem can't be used"):
            _ = HubAddress("https://fleet.home", file).tls
