"""A worker that speaks the wire itself: the host never hangs, never grows without bound, and ends it with a reason."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from reachy_mind.workshop import isolation
from reachy_mind.workshop.isolation import IsolationProfile
from reachy_mind.workshop.sandbox import Sandbox
from tests.workshop.jobs import gone, job, run

pytestmark = [pytest.mark.process, pytest.mark.asyncio(loop_scope="module")]

SPEAK = """
import json, os, socket, struct, time
wire = socket.socket(fileno=os.dup(3))
def _frame(text, blob=b""):
    text = text if isinstance(text, bytes) else json.dumps(text).encode()
    return struct.pack(">II", len(text), len(blob)) + text + blob
frame = _frame
def f():
    {body}
    time.sleep(60)
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox(profiles: dict[str, IsolationProfile]) -> AsyncIterator[Sandbox]:
    async with Sandbox(isolation.choose("auto", tuple(profiles.values()))) as started:
        yield started


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("wire.sendall(struct.pack('>II', 2**31, 0))", "PROTOCOL_ERROR"),
        ("wire.sendall(struct.pack('>II', 2, 2**32 - 1))", "PROTOCOL_ERROR"),
        ("wire.sendall(struct.pack('>II', 0, 0))", "PROTOCOL_ERROR"),
        ("wire.sendall(b'GET / HTTP/1.1 and more of it')", "PROTOCOL_ERROR"),
        ("wire.sendall(frame(b'{not json}'))", "PROTOCOL_ERROR"),
        ("wire.sendall(frame(b'\\xff\\xfe\\x00'))", "PROTOCOL_ERROR"),
        ("wire.sendall(frame([1, 2]))", "PROTOCOL_ERROR"),
        ("wire.sendall(frame(b'[' * 90_000))", "PROTOCOL_ERROR"),
        ("wire.sendall(frame(b'{\"a\":' * 500 + b'1' + b'}' * 500))", "PROTOCOL_ERROR"),
        ("wire.sendall(frame(b'[' + b'[],' * 200_000 + b'1]'))", "PROTOCOL_ERROR"),
        ("wire.sendall(frame(b'9' * 5000))", "PROTOCOL_ERROR"),
        ("wire.sendall(frame({'type': 'log', 'text': {'$bytes': [0, 9]}}, b'x'))", "PROTOCOL_ERROR"),
        ("wire.sendall(frame({'$array': ['O', [1], 0, 8]}, bytes(8)))", "PROTOCOL_ERROR"),
        ("wire.sendall(frame([{'$bytes': [0, 100_000]}] * 1000, bytes(100_000)))", "PROTOCOL_ERROR"),
        ("wire.sendall(struct.pack('>II', 2, 17 << 20))", "BUDGET_EXCEEDED"),
        ("while True: wire.sendall(frame({'type': 'log', 'text': ''}))", "BUDGET_EXCEEDED"),
        ("while True: wire.sendall(frame({'type': 'log', 'text': 'x' * 60_000}))", "BUDGET_EXCEEDED"),
        ("wire.sendall(struct.pack('>II', 50, 0)); wire.shutdown(socket.SHUT_WR)", "FORGED_MESSAGE"),
    ],
)
async def test_malformed_messages_end_the_run(sandbox: Sandbox, body: str, code: str) -> None:
    outcome = await run(sandbox, SPEAK.format(body=body))
    assert outcome.ended is not None and outcome.ended.code == code
    assert gone(outcome.pid)


async def test_a_worker_that_closes_its_channel(sandbox: Sandbox) -> None:
    """Its own reader may still wait on the descriptor: then only the clock ends it."""
    outcome = await run(sandbox, SPEAK.format(body="os.close(3); wire.close()"), wall_s=3.0)
    assert outcome.result is None and (outcome.ended is not None or outcome.timed_out) and gone(outcome.pid)


async def test_half_a_message_waits_for_the_clock(sandbox: Sandbox) -> None:
    outcome = await run(sandbox, SPEAK.format(body="wire.sendall(struct.pack('>II', 50, 0))"), wall_s=0.3)
    assert outcome.timed_out and gone(outcome.pid)


async def test_a_worker_that_never_reads_its_answers(sandbox: Sandbox) -> None:
    """The host's answers pile up in front of it: sending waits, the event loop goes on, and the run can be ended."""
    code = """
import json, os, socket, struct, time
os.close(2)
def f():
    import channel
    channel._exactly = lambda size: time.sleep(1000)
    wire = socket.socket(fileno=os.dup(3))
    text = json.dumps({"type": "call", "id": 1, "method": "echo", "args": {"x": "y" * 60_000}}).encode()
    while True:
        wire.sendall(struct.pack(">II", len(text), 0) + text)
"""
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.02)
            ticks += 1

    ticking = asyncio.create_task(tick())
    outcome = await run(sandbox, code, wall_s=1.0)
    ticking.cancel()
    assert outcome.timed_out and ticks > 10 and gone(outcome.pid)


async def test_answers_that_nobody_reads_are_bounded(sandbox: Sandbox) -> None:
    worker = await sandbox.worker()
    try:
        sends = [asyncio.ensure_future(worker.send({**job("def f(): pass"), "pad": "x" * 900_000})) for _ in range(100)]
        done, waiting = await asyncio.wait(sends, timeout=0.3)
        codes = {getattr(send.exception(), "code", None) for send in done}
        assert "BUDGET_EXCEEDED" in codes
        for send in waiting:
            send.cancel()
        await asyncio.gather(*sends, return_exceptions=True)
    finally:
        await worker.end()
    assert gone(worker.pid)


async def test_an_answer_that_cannot_be_sent_says_so(sandbox: Sandbox) -> None:
    worker = await sandbox.worker()
    try:
        await worker.send(job("import channel\ndef f():\n    channel.call('x')\n"))
        call = await worker.receive()
        await worker.send({"type": "reply", "id": call["id"], "ok": True, "value": object(), "now": 0.0})
        result = await worker.receive()
        assert result["ok"] is False and "type object" in result["error"]["message"]
    finally:
        await worker.end()


async def test_a_forged_result_is_a_claim_and_no_more(sandbox: Sandbox) -> None:
    body = "wire.sendall(frame({'type': 'result', 'ok': True, 'value': 'forged'}))"
    outcome = await run(sandbox, SPEAK.format(body=body))
    assert outcome.result == "forged" and outcome.ended is None and gone(outcome.pid)


async def test_descriptors_that_are_sent_along_are_dropped(sandbox: Sandbox) -> None:
    """`sendmsg` is refused, so a worker can't send any; the next message is read as usual."""
    body = """
    try: socket.send_fds(wire, [b"x"], [0])
    except OSError as error: print(error.errno)"""
    outcome = await run(sandbox, SPEAK.format(body=body).replace("time.sleep(60)", "return 1"))
    assert outcome.result == 1 and outcome.output == "1\n"


async def test_ending_twice_is_the_same(sandbox: Sandbox) -> None:
    worker = await sandbox.worker()
    first, second = await asyncio.gather(worker.end(), worker.end())
    assert first == second == await worker.end()
    assert gone(worker.pid)
