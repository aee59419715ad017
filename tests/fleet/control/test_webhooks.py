"""Webhooks: signed, tried again, and never a way into a private network."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import addresses, webhooks
from reachy_mind.fleet.control.addresses import AddressRefused, check_url
from reachy_mind.fleet.control.webhooks import DeliveryOutcome
from tests.fleet.control.webhook_receiver import WebhookReceiver, webhook_receiver

SIGNED_WITH = "s3cret"
PRIVATE = (
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://017700000001/",
    "https://0177.0.0.1/",
    "https://0/",
    "https://0.0.0.0/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://[::1]/",
    "https://[::]/",
    "https://[::127.0.0.1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[64:ff9b::127.0.0.1]/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[64:ff9b:1::10.0.0.1]/",
    "https://[2002:7f00:1::]/",
    "https://[fe80::1]/",
    "https://[fc00::1]/",
    "https://[fec0::1]/",
    "https://[ff02::1]/",
    "https://10.0.0.1/",
    "https://172.16.0.1/",
    "https://192.168.1.1/",
    "https://100.64.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://240.0.0.1/",
    "https://192.0.2.1/",
    "https://198.18.0.1/",
)
NO_ADDRESS = (
    "",
    "alarm.example",
    "//alarm.example/",
    "ftp://8.8.8.8/",
    "file:///etc/passwd",
    "gopher://8.8.8.8/",
    "https:///x",
    "https://user:secret@8.8.8.8/",
    "https://8.8.8.8@127.0.0.1/",
    "https://8.8.8.8\\@127.0.0.1/",
    "https://8.8.8.8/\r\nHost: x",
    "https://8.8.8.8/ x",
    "https://8.8.8.8:99999/",
    "https://8.8.8.8:-1/",
    "https://[fe80::1%25eth0]/",
    "https://①②⑦.⓪.⓪.①/",
    "https://exa\u200bmple.com/",
    "https://8.8.8.8/" + "x" * 2000,
)


@pytest.fixture
async def receiver() -> AsyncIterator[WebhookReceiver]:
    async with webhook_receiver() as one:
        yield one


async def deliver(receiver: WebhookReceiver, url: str | None = None, **how: Any) -> DeliveryOutcome:
    usual: dict[str, Any] = {"secret": None, "delivery": "d-1", "allowed": (receiver.host,), "pause_s": 0.0}
    return await webhooks.post(url or receiver.url, {"text": "Hélp"}, **usual | how)


@pytest.mark.parametrize("url", PRIVATE)
async def test_a_private_address_is_refused_however_it_is_spelt(url: str) -> None:
    with pytest.raises(InvalidParameter):
        await check_url(url, ())


@pytest.mark.parametrize("url", NO_ADDRESS)
async def test_what_is_no_plain_web_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidParameter):
        await check_url(url, ())


async def test_public_addresses_are_taken() -> None:
    for url in ("https://8.8.8.8/x?y=1", "https://[2001:4860:4860::8888]:8443/"):
        await check_url(url, ())


async def test_only_listed_hosts_are_asked_without_encryption() -> None:
    with pytest.raises(AddressRefused, match="without encryption"):
        await check_url("http://8.8.8.8/", ())
    with pytest.raises(AddressRefused):
        await check_url("http://127.0.0.1:81/", ("127.0.0.1:80",))
    await check_url("http://127.0.0.1:80/", ("127.0.0.1:80",))
    await check_url("http://127.0.0.1:81/", ("127.0.0.1",))


async def test_a_host_with_one_private_address_is_refused() -> None:
    async def both(_: str, __: int) -> list[str]:
        return ["8.8.8.8", "10.0.0.1"]

    with pytest.raises(AddressRefused, match="private network"):
        await addresses.resolve("https://alarm.example/", (), both)


async def test_a_message_arrives_signed(receiver: WebhookReceiver) -> None:
    outcome = await deliver(receiver, secret=SIGNED_WITH)
    assert outcome == DeliveryOutcome(delivered=True, said="delivered (204)")
    ((first, headers, body),) = receiver.requests
    assert first == "POST /alarm?key=hidden HTTP/1.1"
    assert headers["host"] == receiver.host
    assert headers["x-reachy-delivery"] == "d-1"
    seconds, digest = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", headers["x-reachy-signature"]).groups()  # type: ignore[union-attr]
    assert abs(int(seconds) - time.time()) < 300
    assert hmac.new(SIGNED_WITH.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest() == digest
    assert receiver.payloads == [{"text": "Hélp"}]


async def test_without_a_secret_there_is_no_signature(receiver: WebhookReceiver) -> None:
    assert (await deliver(receiver)).delivered
    assert "x-reachy-signature" not in receiver.requests[0][1]


async def test_trouble_that_passes_is_tried_again(receiver: WebhookReceiver) -> None:
    receiver.answers = [503, 500]
    assert (await deliver(receiver)).delivered
    assert len(receiver.requests) == 3
    assert len({headers["x-reachy-delivery"] for _, headers, _ in receiver.requests}) == 1


async def test_it_gives_up_after_three_attempts_and_says_why(receiver: WebhookReceiver) -> None:
    receiver.answers = [503, 503, 503, 204]
    assert await deliver(receiver) == DeliveryOutcome(delivered=False, said="it answered 503")
    assert len(receiver.requests) == 3


async def test_a_refusal_is_not_tried_again(receiver: WebhookReceiver) -> None:
    receiver.answers = [404]
    assert await deliver(receiver) == DeliveryOutcome(delivered=False, said="it answered 404")
    assert len(receiver.requests) == 1


async def test_a_redirect_is_not_followed(receiver: WebhookReceiver) -> None:
    receiver.answers, receiver.head = [307], f"Location: http://{receiver.host}/inside\r\n"
    outcome = await deliver(receiver)
    assert not outcome.delivered
    assert "redirects" in outcome.said
    assert len(receiver.requests) == 1


async def test_a_host_that_says_nothing_does_not_hold_us(
    receiver: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "TIMEOUT_S", 0.2)
    receiver.answers = [None, None, None]
    outcome = await deliver(receiver)
    assert outcome == DeliveryOutcome(delivered=False, said="no answer within 0.2 s")


async def test_a_host_that_is_not_there_is_told() -> None:
    async with webhook_receiver() as gone:
        pass
    outcome = await deliver(gone)
    assert not outcome.delivered
    assert "can't be reached" in outcome.said


async def test_the_address_that_was_checked_is_the_one_that_is_asked(receiver: WebhookReceiver) -> None:
    """A name that has another address the second time (DNS rebinding) gains nothing: there is no second time."""
    asked = []

    async def rebinding(host: str, _: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["192.0.2.1"]

    url = f"http://alarm.test:{receiver.port}/"
    outcome = await deliver(receiver, url, allowed=("alarm.test",), using=rebinding)
    assert outcome.delivered
    assert asked == ["alarm.test"]
    assert receiver.requests[0][1]["host"] == f"alarm.test:{receiver.port}"


async def test_a_name_that_turns_private_is_refused_when_it_is_asked(receiver: WebhookReceiver) -> None:
    async def private_by_now(_: str, __: int) -> list[str]:
        return ["127.0.0.1"]

    outcome = await deliver(receiver, f"https://alarm.test:{receiver.port}/", using=private_by_now)
    assert not outcome.delivered
    assert "refused" in outcome.said
    assert receiver.requests == []


def test_what_is_shown_of_an_address_has_no_path() -> None:
    assert webhooks.shown("https://alarm.example:8443/key/secret?token=1") == "https://alarm.example:8443"
