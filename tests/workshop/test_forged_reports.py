"""Messages that code forges on its channel: the report still says what happened, and the audit has it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from reachy_mind.mind import Mind
from reachy_mind.workshop.jail import codec
from tests.server.served import calling
from tests.workshop.rest_runs import run

pytestmark = pytest.mark.process

FORGE = """
import json, os, struct, time
def raw(text, blob=b""):
    os.write(3, struct.pack(">II", len(text), len(blob)) + text.encode() + blob)
def send(**message):
    raw(json.dumps(message))
"""


@pytest.fixture
async def mind() -> AsyncIterator[Mind]:
    async with Mind(robot="none", thinks=False).session() as awake:
        yield awake


@pytest.fixture
async def http(mind: Mind) -> AsyncIterator[httpx.AsyncClient]:
    async with calling(mind) as client:
        yield client


SURROGATES = [
    r'send(type="result", ok=True, value={"\ud800": "\udfff"})',
    r'send(type="result", ok=False, error={"type": "\ud800", "message": "\ud800", "traceback": "\ud800"})',
    r'send(type="call", id=1, method="\ud800", args={"\ud800": "\ud800"}); send(type="result", ok=True)',
    r'send(type="call", id=1, method="tools.call", args={"name": "get_time", "args": {"\ud800": 1}}); exit()',
    r'raise ValueError("\ud800")',
]


async def test_lone_surrogates_hide_no_run_from_its_report_or_the_audit(mind: Mind, http: httpx.AsyncClient) -> None:
    for lines in SURROGATES:
        report = await run(http, f"{FORGE}\n{lines}\ntime.sleep(5)\n")
        assert report["status"] in ("ok", "error"), (lines, report)
    rows, _ = await mind.toolbox.audit.query(tool="workshop.run_code")
    assert len(rows) == len(SURROGATES)


BROKEN = [
    'raw(json.dumps({"type": "result", "ok": True, "value": {"$array": ["|u1", [0] + [2**31 - 1] * 7, 0, 0]}}))',
    'raw(json.dumps({"type": {"$array": ["|u1", [2], 0, 2]}}), b"ab")',
]


@pytest.mark.parametrize("lines", BROKEN)
async def test_code_that_was_run_is_never_reported_as_refused(http: httpx.AsyncClient, lines: str) -> None:
    code = f"{FORGE}\nprint('here', flush=True)\nget_time()\n{lines}\ntime.sleep(5)\n"
    report = await run(http, code)
    assert report["status"] == "killed" and report["error"]["code"] in ("PROTOCOL_ERROR", "FORGED_MESSAGE"), report
    assert report["output"] == "here\n" and [call["name"] for call in report["calls"]] == ["get_time"]


async def test_text_and_code_with_many_commas_are_no_flood_of_values(http: httpx.AsyncClient) -> None:
    table = f"TABLE = [{'1,' * 110_000}]\n"
    report = await run(http, table + "def f(text):\n    return text + ',' * len(TABLE)\n", args={"text": "," * 120_000})
    assert report["status"] == "ok" and len(report["result"]) == 230_000, report["error"]


async def test_arguments_that_no_worker_takes_are_refused_with_the_reason(http: httpx.AsyncClient) -> None:
    report = await run(http, "def f(numbers):\n    return len(numbers)\n", args={"numbers": [1] * 120_000})
    assert report["status"] == "refused" and "100000 values" in report["error"]["message"]


@pytest.mark.parametrize(("value", "count"), [(b"1,", 100_001), (b'{"$array":["|u1",[0],0,0]},', 10_001)])
def test_too_many_values_are_not_decoded(value: bytes, count: int) -> None:
    with pytest.raises(codec.CodecError, match="values"):
        codec.decode(b"[" + value * count + b"1]")


async def test_a_long_result_and_many_calls_push_no_call_out_of_the_audit(mind: Mind, http: httpx.AsyncClient) -> None:
    code = (
        "from reachy_mini import ReachyMini\n"
        "def f():\n"
        "    robot = ReachyMini()\n"
        "    for _ in range(300):\n"
        "        robot.imu\n"
        "    try:\n        robot.media.get_frame()\n    except Exception as error:\n        print(error)\n"
        "    return 'x' * 100_000\n"
    )
    report = await run(http, code, timeout_s=30)
    assert report["status"] == "ok", report["error"]
    rows, _ = await mind.toolbox.audit.query(tool="workshop.run_code")
    assert '"media.get_frame":{"denied":1}' in rows[0]["result"]
    assert '"robot.get_imu":{"ok":300}' in rows[0]["result"]


async def test_a_tool_is_not_called_with_a_flood_of_arguments(http: httpx.AsyncClient) -> None:
    code = (
        "from reachy_mind import tools\n"
        "async def f(args):\n"
        "    try:\n        await tools.call('get_sensor_data', **args)\n"
        "    except tools.ToolError as error:\n        return str(error)\n"
    )
    for args in ({f"a{number}": 1 for number in range(3000)}, {"sensors": [1] * 3000}):
        report = await run(http, code, args={"args": args})
        assert "2000 values" in report["result"], report
