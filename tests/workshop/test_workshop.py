"""Files of code run through the gate of a mind: reports, limits, permissions, and who may run them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from reachy_mind.brains.injection_guard import InjectionGuard
from reachy_mind.events import ToolCalled
from reachy_mind.mind import Mind
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import GENERATED
from reachy_mind.workshop.run_report import MAX_CODE_BYTES
from tests.server.served import calling
from tests.waiting import until
from tests.workshop.rest_runs import run

pytestmark = pytest.mark.process


@pytest.fixture
async def mind() -> AsyncIterator[Mind]:
    async with Mind(robot="none", memory=False, thinks=False).session() as awake:
        yield awake


@pytest.fixture
async def http(mind: Mind) -> AsyncIterator[httpx.AsyncClient]:
    async with calling(mind) as client:
        yield client


async def test_a_tool_runs_and_its_report_is_the_hosts_record(http: httpx.AsyncClient) -> None:
    code = (
        "from reachy_mind import tools\n"
        "async def tell(zone: str) -> dict:\n"
        "    'Tell the time.'\n"
        "    print('working')\n"
        "    told = await tools.call('get_time')\n"
        "    return {'zone': zone, 'year': int(told['date'][:4])}\n"
    )
    report = await run(http, code, args={"zone": "here"})
    assert report["status"] == "ok" and report["error"] is None, report
    assert report["result"]["zone"] == "here" and report["result"]["year"] >= 2026
    assert report["output"] == "working\n"
    assert report["calls"] == [{"name": "get_time", "args": {}, "status": "ok"}]
    assert report["isolation"] in ("full", "namespaces", "landlock")
    assert report["wall_ms"] > 0 and report["max_rss_mb"] > 1


async def test_an_exception_is_an_error_with_its_place(http: httpx.AsyncClient) -> None:
    report = await run(http, "async def f() -> dict:\n    'x'\n    return {}['missing']\n", filename="f.py")
    assert report["status"] == "error" and report["error"]["code"] == "TOOL_FAILED"
    assert "KeyError" in report["error"]["message"] and "line 3" in report["error"]["hint"]
    assert "missing" in report["output"], "the traceback is shown"


async def test_code_that_does_not_end_is_killed(http: httpx.AsyncClient) -> None:
    report = await run(http, "def f():\n    while True: pass\n", timeout_s=0.5)
    assert report["status"] == "killed" and report["error"]["code"] in ("TIMEOUT", "CPU_LIMIT")
    assert report["isolation"] and report["result"] is None


async def test_a_call_without_its_capability_is_denied_and_recorded(http: httpx.AsyncClient) -> None:
    code = (
        "from reachy_mind import tools\n"
        "async def f() -> dict:\n    'x'\n"
        "    try:\n        await tools.call('speak', text='hello', confirmed=True)\n"
        "    except tools.ToolError as error:\n        return {'code': error.code}\n"
    )
    report = await run(http, code, allow="motion")
    assert report["result"] == {"code": "PERMISSION_DENIED"}
    assert [(call["name"], call["status"]) for call in report["calls"]] == [("speak", "denied")]


@pytest.mark.parametrize("name", ["run_code", "workshop.run_code", "set_permission", "change_setting", "create_tool"])
async def test_no_capability_opens_the_workshop_or_administration(http: httpx.AsyncClient, name: str) -> None:
    code = (
        "from reachy_mind import tools\nasync def f(name: str) -> dict:\n    'x'\n"
        "    try:\n        return await tools.call(name)\n"
        "    except tools.ToolError as error:\n        return {'code': error.code}\n"
    )
    report = await run(http, code, args={"name": name}, allow=f"motion,tools:{name}")
    assert report["result"] == {"code": "PERMISSION_DENIED"}


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"isolation": "none"}, "ISOLATION_REFUSED"),
        ({"allow": "everything"}, "INVALID_PARAMETER"),
        ({"allow": "motion,tools:"}, "INVALID_PARAMETER"),
    ],
)
async def test_what_cannot_be_run_as_asked_is_refused(
    http: httpx.AsyncClient, options: dict[str, Any], code: str
) -> None:
    report = await run(http, "async def f():\n    return 1\n", **options)
    assert report["status"] == "refused" and report["error"]["code"] == code and report["calls"] == []


def forbid(home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "permissions.yaml").write_text("rules: [{pattern: 'workshop.*', tier: forbidden}]")


async def test_permissions_forbid_running_code(home: Path) -> None:
    forbid(home)
    async with Mind(robot="none", memory=False, thinks=False).session() as mind, calling(mind) as http:
        report = await run(http, "async def f():\n    return 1\n")
    assert report["status"] == "refused" and report["error"]["code"] == "PERMISSION_DENIED"


async def test_no_brain_and_no_token_without_admin_runs_code(mind: Mind) -> None:
    assert "run_code" not in {tool.name for tool in mind.turns.blank().tools}
    caller = Caller("person", "rest", scopes=frozenset({"control", "talk", "read"}))
    outcome = await mind.toolbox.call("run_code", {"code": "x = 1"}, caller=caller)
    assert outcome.status == "denied" and outcome.error is not None and "admin" in outcome.error["message"]


async def test_results_of_code_are_untrusted_text_to_every_brain(mind: Mind) -> None:
    tool, _ = mind.toolbox.registry.find("run_code")
    guard = InjectionGuard(mind.turns.blank())
    guard.record_result(tool)
    assert guard.untrusted_sources == ["run_code"]
    assert tool.source != GENERATED, "a generated tool is untrusted by its source"


async def test_a_large_file_and_a_wrong_timeout_are_refused(http: httpx.AsyncClient) -> None:
    for content in ({"code": "#" * (MAX_CODE_BYTES + 1)}, {"code": "", "timeout_s": 0}, {"code": "", "timeout_s": 1e9}):
        assert (await http.post("/workshop/run", json=content)).status_code == 422


async def test_a_run_leaves_few_timers_behind(mind: Mind, http: httpx.AsyncClient) -> None:
    code = (
        "from reachy_mind import tools\nasync def f() -> dict:\n    'x'\n    codes = []\n    for n in range(30):\n"
        "        try:\n            await tools.call('set_timer', minutes=60, label=f't{n}')\n"
        "        except tools.ToolError as error:\n            codes.append(error.code)\n    return codes\n"
    )
    report = await run(http, code)
    assert report["status"] == "ok" and len(report["result"]) == 20, report
    outcome = await mind.toolbox.call("set_timer", {"minutes": 1})
    assert outcome.status == "ok", "there is room for the owner's"


async def test_much_output_is_cut_and_the_run_goes_on(http: httpx.AsyncClient) -> None:
    report = await run(http, "def f():\n    for i in range(40000): print('line', i)\n    return 'done'\n")
    assert report["status"] == "ok" and report["result"] == "done"
    assert len(report["output"]) < 70_000 and "[output cut]" in report["output"]


async def test_a_zygote_or_worker_that_is_killed_costs_one_run(mind: Mind, http: httpx.AsyncClient) -> None:
    code = "import time\nasync def f():\n    await get_time()\n    time.sleep(20)\n"
    with mind.bus.subscribe(ToolCalled) as events:
        running = asyncio.create_task(run(http, code, timeout_s=60))
        async for event in events:
            if event.tool == "time.get_time":  # the code runs
                break
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGKILL)
    report = await running
    assert report["status"] == "killed" and report["error"]["code"] == "WORKER_ENDED"
    again = await run(http, "def f():\n    return 2\n")
    assert again["status"] == "ok" and again["result"] == 2


async def test_a_cancelled_request_ends_its_code(mind: Mind, http: httpx.AsyncClient) -> None:
    await run(http, "def f():\n    return 1\n")
    calling_it = asyncio.create_task(
        run(http, "import time\ndef f():\n    time.sleep(60)\n", timeout_s=90, call_id="a")
    )
    await until(lambda: mind.toolbox._running)
    assert mind.toolbox.cancel("a")
    report = await calling_it
    assert report["status"] in ("refused", "killed")


async def test_the_status_names_the_layers_and_what_is_missing(http: httpx.AsyncClient) -> None:
    status = (await http.get("/workshop/status")).json()
    assert status["ready"] and status["isolation"] in ("full", "namespaces", "landlock")
    profiles = {profile["name"]: profile for profile in status["profiles"]}
    assert list(profiles) == ["full", "namespaces", "landlock"]
    for profile in profiles.values():
        assert profile["reason"] or profile["available"]
        if profile["available"]:
            assert {"seccomp", "rlimits"} <= set(profile["layers"])


async def test_artefacts_are_what_the_result_names(http: httpx.AsyncClient, home: Path) -> None:
    code = (
        "from pathlib import Path\n"
        "def f():\n"
        "    Path('/tmp/kept.txt').write_text('kept')\n"
        "    Path('forgotten.txt').write_text('x')\n"
        "    return {'file': '/tmp/kept.txt', 'name': 'hello'}\n"
    )
    report = await run(http, code)
    assert report["status"] == "ok", report
    (kept,) = report["artifacts"]
    assert report["result"] == {"file": kept, "name": "hello"}
    check_kept(Path(kept), home)


def check_kept(file: Path, home: Path) -> None:
    assert file.read_text() == "kept" and file.is_relative_to(home / "workshop" / "artifacts")
    assert file.stat().st_mode & 0o777 == 0o600
    assert [found.name for found in (home / "workshop").rglob("*.txt")] == ["kept.txt"]
