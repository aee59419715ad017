"""Escalation: somebody is told, again and again until a person answers, by one node at a time, whatever breaks."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.fleet.control import emergencies, escalation, escalation_policy
from reachy_mind.fleet.control.escalation import Escalation
from reachy_mind.fleet.control.escalation_policy import DEFAULT, EscalationPolicy
from reachy_mind.fleet.protocol.frame import now_ms
from tests.fleet.control.fleet_node import OTHER, TENANT, FleetNode, fleet_node
from tests.fleet.control.webhook_receiver import WebhookReceiver, webhook_receiver
from tests.waiting import until

SIGNED_WITH = "s3cret"


@dataclass
class Clock:
    """Virtual time: `wall` in ms since 1970, `monotonic` in seconds."""

    wall: int
    monotonic: float = 0.0

    def pass_s(self, seconds: float) -> None:
        self.wall += int(seconds * 1000)
        self.monotonic += seconds


@pytest.fixture
async def receiver() -> AsyncIterator[WebhookReceiver]:
    async with webhook_receiver() as one:
        yield one


@pytest.fixture
async def node(tmp_path: Path, receiver: WebhookReceiver) -> AsyncIterator[FleetNode]:
    async with fleet_node(tmp_path, webhook_hosts=(receiver.host,)) as one:
        yield one


@pytest.fixture
def clock() -> Clock:
    return Clock(now_ms())


def escalating(node: FleetNode, clock: Clock) -> Escalation:
    return Escalation(node.plane, clock=lambda: clock.wall, monotonic=lambda: clock.monotonic, pause_s=0.0)


async def rounds(one: Escalation, clock: Clock, seconds: int) -> None:
    """Look each second of virtual time."""
    for _ in range(seconds):
        await one.look()
        await one.settle()
        clock.pass_s(1)


def alarms(node: FleetNode, tenant: str = TENANT) -> list[dict[str, Any]]:
    return [message for of, message in node.announced if of == tenant and message.get("type") == "alarm"]


async def webhook_policy(node: FleetNode, *urls: str, secret: str | None = None, **policy: Any) -> None:
    channels = [{"kind": "webhook", "url": url, "secret": secret} for url in urls]
    steps = policy.pop("steps", [{"after_s": 0, "channels": [{"kind": "page"}, *channels]}])
    content = EscalationPolicy.model_validate({"steps": steps, "repeat_every_s": 30, **policy})
    await node.write(lambda sql: escalation_policy.set_policy(sql, TENANT, content, by="anna"))


async def test_without_a_policy_the_page_is_told_at_once_and_each_half_minute(node: FleetNode, clock: Clock) -> None:
    kitchen = await node.device("kitchen")
    pressed = await node.press(kitchen)
    clock.pass_s(1)
    await rounds(escalating(node, clock), clock, 95)
    assert [(alarm["id"], alarm["level"]) for alarm in alarms(node)] == [(pressed.id, n) for n in (1, 2, 3, 4)]
    assert [notice["outcome"] for notice in (await node.one(pressed.id))["notices"]] == ["announced"] * 4


async def test_it_never_stops_before_a_person_answers_and_then_at_once(node: FleetNode, clock: Clock) -> None:
    kitchen = await node.device("kitchen")
    pressed = await node.press(kitchen)
    clock.pass_s(1)
    one = escalating(node, clock)
    for _ in range(200):
        await one.look()
        await one.settle()
        clock.pass_s(30)
    assert len(alarms(node)) == 200
    await node.write(lambda sql: emergencies.acknowledge(sql, TENANT, pressed.id, by="anna"))
    await rounds(one, clock, 60)
    assert len(alarms(node)) == 200


async def test_the_steps_come_in_their_time_and_the_last_one_repeats(
    node: FleetNode, receiver: WebhookReceiver, clock: Clock
) -> None:
    steps = [
        {"after_s": 0, "channels": [{"kind": "page"}]},
        {"after_s": 60, "channels": [{"kind": "webhook", "url": receiver.url}]},
    ]
    await webhook_policy(node, steps=steps)
    kitchen = await node.device("kitchen")
    pressed = await node.press(kitchen, "I fell")
    clock.pass_s(1)
    one = escalating(node, clock)
    await rounds(one, clock, 55)
    assert (len(alarms(node)), len(receiver.requests)) == (1, 0)
    await rounds(one, clock, 70)
    assert (len(alarms(node)), len(receiver.requests)) == (1, 3)
    first = receiver.payloads[0]
    assert first["text"] == "EMERGENCY. kitchen: somebody has pressed for help: I fell"
    assert (first["id"], first["device"]["name"], first["test"], first["level"]) == (pressed.id, "kitchen", False, 2)
    assert first["page"] == "https://fleet.example/#/emergencies"
    deliveries = [headers["x-reachy-delivery"] for _, headers, _ in receiver.requests]
    assert deliveries == [f"{pressed.id}.{level}" for level in (2, 3, 4)]


async def test_a_webhook_that_fails_is_noted_and_tried_at_the_next_repetition(
    node: FleetNode, receiver: WebhookReceiver, clock: Clock
) -> None:
    receiver.answers = [500, 500, 500]
    await webhook_policy(node, receiver.url, secret=SIGNED_WITH)
    pressed = await node.press(await node.device("kitchen"))
    clock.pass_s(1)
    await rounds(escalating(node, clock), clock, 40)
    assert len(receiver.requests) == 4
    notices = [one for one in (await node.one(pressed.id))["notices"] if one["channel"] == "webhook"]
    assert [one["outcome"] for one in notices] == ["delivered (204)", "it answered 500"]
    assert {one["target"] for one in notices} == {f"http://{receiver.host}"}


async def test_one_channel_that_fails_keeps_no_other_from_being_told(
    node: FleetNode, receiver: WebhookReceiver, clock: Clock
) -> None:
    await webhook_policy(node, "https://10.0.0.1/inside", receiver.url)
    pressed = await node.press(await node.device("kitchen"))
    clock.pass_s(1)
    await rounds(escalating(node, clock), clock, 1)
    assert (len(alarms(node)), len(receiver.requests)) == (1, 1)
    outcomes = {one["target"]: one["outcome"] for one in (await node.one(pressed.id))["notices"]}
    assert outcomes["https://10.0.0.1"].startswith("refused: 10.0.0.1 is on a private network")


async def test_a_test_goes_the_same_way_and_says_so(node: FleetNode, receiver: WebhookReceiver, clock: Clock) -> None:
    await webhook_policy(node, receiver.url)
    kitchen = await node.device("kitchen")
    await node.write(lambda sql: emergencies.begin_test(sql, kitchen, by="anna"))
    clock.pass_s(1)
    await rounds(escalating(node, clock), clock, 1)
    assert len(alarms(node)) == 1
    (payload,) = receiver.payloads
    assert payload["test"]
    assert payload["text"].startswith("TEST, no emergency.")


async def test_two_nodes_that_look_at_once_tell_once(tmp_path: Path, receiver: WebhookReceiver, clock: Clock) -> None:
    async with contextlib.AsyncExitStack() as stack:
        nodes = [
            await stack.enter_async_context(fleet_node(tmp_path, f"node-{n}", webhook_hosts=(receiver.host,)))
            for n in range(2)
        ]
        await webhook_policy(nodes[0], receiver.url)
        devices = [await nodes[0].device(f"room {n}") for n in range(20)]
        for device in devices:
            await nodes[0].press(device)
        clock.pass_s(1)
        both = [escalating(node, clock) for node in nodes]
        for _ in range(10):
            for one in both:
                await one.look()
            for one in both:
                await one.settle()
    assert len(receiver.requests) == 20
    assert len({payload["device"]["name"] for payload in receiver.payloads}) == 20


async def test_when_a_node_dies_while_it_tells_another_one_goes_on(node: FleetNode, clock: Clock) -> None:
    await node.press(await node.device("kitchen"))
    clock.pass_s(1)
    (due,) = await node.read(lambda sql: escalation.due(sql, clock.wall))
    assert await node.write(lambda sql: escalation.claim(sql, due, clock.wall))  # and no more is heard of that node
    one = escalating(node, clock)
    await rounds(one, clock, escalation.CLAIM_S - 1)
    assert alarms(node) == []
    await rounds(one, clock, 3)
    assert len(alarms(node)) == 1


@pytest.mark.parametrize("jump_s", [-3600, 3600])
async def test_a_clock_that_jumps_silences_nothing(node: FleetNode, clock: Clock, jump_s: int) -> None:
    await node.press(await node.device("kitchen"))
    clock.pass_s(1)
    one = escalating(node, clock)
    await rounds(one, clock, 5)
    clock.wall += jump_s * 1000
    told = len(alarms(node))
    for _ in range(24):
        await one.look()
        await one.look_for_stuck()
        await one.settle()
        clock.pass_s(5)
    assert len(alarms(node)) - told >= 2


async def test_an_emergency_of_one_tenant_does_not_wait_for_hundreds_of_another(node: FleetNode, clock: Clock) -> None:
    for number in range(40):
        await node.press(await node.device(f"room {number}", tenant=OTHER))
    await node.press(await node.device("kitchen"))
    clock.pass_s(1)
    one = escalating(node, clock)
    await one.look()
    await one.settle()
    assert len(alarms(node)) == 1
    assert 1 <= len(alarms(node, OTHER)) <= escalation.MAX_OF_TENANT
    await rounds(one, clock, 5)
    assert len(alarms(node, OTHER)) == 40


async def test_a_node_that_serves_tells_by_itself(node: FleetNode) -> None:
    async with Escalation(node.plane):
        await node.press(await node.device("kitchen"))
        await until(lambda: alarms(node))


async def test_a_policy_that_can_not_be_read_is_replaced_by_the_default(node: FleetNode, clock: Clock) -> None:
    await webhook_policy(node, "https://8.8.8.8/")
    await node.write(lambda sql: sql.run('UPDATE escalation SET policy = \'{"from": "a newer version"}\''))
    await node.press(await node.device("kitchen"))
    clock.pass_s(1)
    await rounds(escalating(node, clock), clock, 1)
    assert len(alarms(node)) == 1


@pytest.mark.parametrize(
    "policy",
    [
        {"steps": []},
        {"steps": [{"channels": []}]},
        {"steps": [{"channels": [{"kind": "pigeon"}]}]},
        {"steps": [{"channels": [{"kind": "page", "url": "https://8.8.8.8"}]}]},
        {"steps": [{"after_s": 60, "channels": [{"kind": "page"}]}, {"after_s": 30, "channels": [{"kind": "page"}]}]},
        {"steps": [{"channels": [{"kind": "page"}]}], "repeat_every_s": 0},
        {"steps": [{"channels": [{"kind": "page"}]}], "give_up_after": 3},
    ],
)
def test_a_policy_that_would_lose_emergencies_is_refused(policy: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        EscalationPolicy.model_validate(policy)


async def test_secrets_are_kept_and_never_shown(node: FleetNode) -> None:
    await webhook_policy(node, "https://alarm.example/hook/token", secret=SIGNED_WITH)
    stored = await node.read(lambda sql: escalation_policy.of_tenant(sql, TENANT))
    for whole in (True, False):
        shown = str(stored.public(whole=whole))
        assert SIGNED_WITH not in shown
        assert ("token" in shown) == whole
    assert SIGNED_WITH not in repr(stored)
    await webhook_policy(node, "https://alarm.example/hook/token")
    assert (await node.read(lambda sql: escalation_policy.of_tenant(sql, TENANT))).webhooks()[0].secret == SIGNED_WITH
    await webhook_policy(node, "https://alarm.example/hook/token", secret="")
    assert not (await node.read(lambda sql: escalation_policy.of_tenant(sql, TENANT))).webhooks()[0].secret
    assert await node.read(lambda sql: escalation_policy.of_tenant(sql, OTHER)) == DEFAULT


async def test_only_admins_change_the_policy_and_nobody_reads_secrets(
    node: FleetNode, receiver: WebhookReceiver
) -> None:
    webhook = {"kind": "webhook", "url": receiver.url, "secret": SIGNED_WITH}
    policy = {"steps": [{"channels": [webhook]}], "repeat_every_s": 60}
    async with node.http("admin") as admin, node.http("operator") as other:
        assert (await other.put("/escalation", json=policy)).status_code == 403
        changed = await admin.put("/escalation", json=policy)
        assert changed.status_code == 200
        assert SIGNED_WITH not in changed.text
        seen = await other.get("/escalation")
        assert (SIGNED_WITH in seen.text, "hidden" in seen.text) == (False, False)
        assert seen.json()["steps"][0]["channels"] == [
            {"kind": "webhook", "url": f"http://{receiver.host}", "signed": True}
        ]
        for url in ("http://8.8.8.8/", "https://169.254.169.254/", "https://localhost/"):
            webhook["url"] = url
            refused = await admin.put("/escalation", json=policy)
            assert refused.status_code == 422
            assert SIGNED_WITH not in refused.text
    assert await node.audited("escalation.changed") == ["1 steps, 1 webhooks"]
