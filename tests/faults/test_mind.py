"""A mind that is killed, whose disk is full or whose tools misbehave: what was promised is kept, the rest is said."""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

from reachy_mind.access import connection_slots
from reachy_mind.mind import Mind
from reachy_mind.storage.database import Database
from reachy_mind.tools.audit import Audit
from tests.fakes.minds import Run, free_port, running
from tests.fakes.processes import here_json
from tests.waiting import until_sync

pytestmark = pytest.mark.process

TOOLS = """
import asyncio
import sys
import time
from pathlib import Path


class Form:
    parameters_schema = {"type": "object", "properties": {"how": {"type": "string"}}}


class Misbehave(Form):
    name, description = "misbehave", "Do what a tool should not do."

    async def __call__(self, deps, how="raise"):
        if how == "raise":
            raise RuntimeError("it broke")
        if how == "exit":
            sys.exit(3)
        if how == "sleep":
            time.sleep(3600)
        if how == "wait":
            await asyncio.sleep(3600)


class Mark(Form):
    name, description = "mark", "Leave a mark."
    parameters_schema = {"type": "object", "properties": {"file": {"type": "string"}}}

    async def __call__(self, deps, file):
        Path(file).touch()
        return {}
"""


def call(run: Run, tool: str, call_id: str | None = None, **parameters: Any) -> dict[str, Any]:
    wish = {"tool_name": tool, "parameters": parameters, "call_id": call_id}
    answer = httpx.post(f"{run.url}/api/v1/tools/execute", json=wish, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()  # type: ignore[no-any-return]


def say(run: Run, text: str, session: str | None = None) -> httpx.Response:
    wish = {"message": text, "session_id": session}
    return httpx.post(f"{run.url}/api/v1/chat", json=wish, timeout=60)


def listening(run: Run, route: str) -> ClientConnection:
    return connect(f"ws://{run.url.removeprefix('http://')}/api/v1/ws/{route}", proxy=None)


def heard(socket: ClientConnection, kind: str, text: str = "") -> dict[str, Any]:
    while True:
        event: dict[str, Any] = json.loads(socket.recv(timeout=30))
        if event["type"] == kind and text in json.dumps(event):
            return event


def beside(act: Any, *args: Any, **named: Any) -> threading.Thread:
    """Something that is under way when the mind dies, or for as long as it takes."""

    def acting() -> None:
        with contextlib.suppress(httpx.HTTPError):
            act(*args, **named)

    thread = threading.Thread(target=acting, daemon=True)
    thread.start()
    return thread


async def broken_at(home: Path) -> int | None:
    """The row at which the audit's chain is broken."""
    async with Database(home / "mind.db") as database:
        return await Audit(database).verify()


def test_what_a_kill_cut_short_is_known_afterwards(home: Path) -> None:
    run = Run(home)
    with listening(run, "chat") as person, listening(run, "events") as events:
        assert say(run, "set a tea timer for 1 second", "kitchen").json()["tool_calls"][0]["status"] == "ok"
        heard(events, "Announced", "tea")
        for label, seconds in (("soup", 2), ("cake", 5)):
            assert say(run, f"set a {label} timer for {seconds} seconds", "kitchen").json()["error"] is None
        task = call(run, "background_demo", seconds=300, background=True)["result"]["task_id"]
        beside(call, run, "task_cancel", task_id=task)
        heard(person, "confirm")
        beside(say, run, "dance")
        heard(events, "ToolStarted", "robot.dance")
        run.end(signal.SIGKILL)

    again = Run(home, "--robot", "none")
    with listening(again, "events") as events:
        assert say(again, "set a bread timer for 1 second", "kitchen").json()["error"] is None
        heard(events, "Announced", "bread")
        ready = httpx.get(f"{again.url}/readyz")
        assert ready.status_code == 200 and Counter(ready.json()["interrupted"]) == Counter(
            [
                "robot.dance (running)",
                "tasks.task_cancel (a question to you)",
                "the answer to 'dance'",
                "background demo (in the background)",
            ]
        )
        log = "".join(again.heard)
        assert "the last run left work unfinished" in log and "robot.dance (running)" in log
        assert httpx.get(f"{again.url}/api/v1/tasks/{task}").json()["state"] == "interrupted"
        interrupted = httpx.get(f"{again.url}/api/v1/audit?status=interrupted").json()["entries"]
        assert {entry["tool"] for entry in interrupted} == {"robot.dance", "tasks.task_cancel"}

        def announced() -> list[str]:
            messages = httpx.get(f"{again.url}/api/v1/session/kitchen/history").json()["messages"]
            return [message["content"] for message in messages if message["agent"] == "announcement"]

        until_sync(lambda: any("cake" in text for text in announced()))  # due before it was back, or after that
        told = announced()
        assert [sum(name in text for text in told) for name in ("tea", "soup", "cake")] == [1, 1, 1], told
        assert say(again, "what time is it?", "kitchen").json()["error"] is None
    assert again.end(signal.SIGTERM) == 0
    assert asyncio.run(broken_at(home)) is None

    async def third() -> list[str]:
        async with Mind(robot="none").session() as mind:
            return mind.interrupted

    assert asyncio.run(third()) == [], "it is said once"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """One mind without a robot, with tools that misbehave."""
    home = tmp_path_factory.mktemp("shared")
    folder = home / "own"
    folder.mkdir(mode=0o700)
    (folder / "mine.py").write_text(TOOLS)
    (home / "permissions.yaml").write_text("rules:\n- {pattern: 'profile.*', tier: autonomous}\n")
    with running(home, "--robot", "none", tools__folder=str(folder)) as run:
        yield run


def well(run: Run) -> None:
    """It is ready, answers and acts."""
    assert httpx.get(f"{run.url}/readyz", timeout=30).status_code == 200
    assert say(run, "what time is it?").json()["tool_calls"] == [{"name": "get_time", "args": {}, "status": "ok"}]


async def patiently(http: httpx.AsyncClient, method: str, url: str, **how: Any) -> httpx.Response:
    """As a caller should: who is told that there are too many asks again when they are told to."""
    while (answer := await http.request(method, url, **how)).status_code == 429:
        await asyncio.sleep(float(answer.headers["retry-after"]))
    return answer


async def test_a_thousand_calls_at_once_are_all_answered(shared: Run) -> None:
    base = f"{shared.url}/api/v1"
    # The server resets connections beyond MAX_CONNECTIONS, and on a busy machine each call would have its own. Those
    # that are idle are closed here before the server closes them (after 5 s), perhaps as one is used again.
    limits = httpx.Limits(max_connections=connection_slots.MAX_CONNECTIONS["http"][1] // 2, keepalive_expiry=2)
    async with httpx.AsyncClient(timeout=100, limits=limits, trust_env=False) as http:
        before = (await http.get(f"{base}/audit")).json()["total"]
        wishes = [{"tool_name": name} for name in ("get_time", "nodd", "list_timers", "nod")] * 200
        wishes += [{"tool_name": "task_cancel", "parameters": {"task_id": str(n)}} for n in range(200)]
        answers = await asyncio.gather(
            *(patiently(http, "POST", f"{base}/tools/execute", json=wish) for wish in wishes)
        )
        assert {answer.status_code for answer in answers} == {200}
        outcomes = Counter((answer.json()["error"] or {"code": "ok"})["code"] for answer in answers)
        assert outcomes == {"ok": 400, "UNKNOWN_TOOL": 200, "NOT_READY": 200, "NOT_CONFIRMED": 200}
        assert (await patiently(http, "GET", f"{base}/audit")).json()["total"] == before + 1000
    well(shared)


async def test_too_many_talking_at_once_are_told_so(shared: Run) -> None:
    async with httpx.AsyncClient(timeout=100, trust_env=False, limits=httpx.Limits(max_connections=None)) as http:
        wish = {"message": "what time is it?"}
        answers = await asyncio.gather(*(http.post(f"{shared.url}/api/v1/chat", json=wish) for _ in range(100)))
    for answer in answers:
        if answer.status_code != 200:
            assert answer.status_code == 429 and answer.json()["error"]["code"] == "BUSY"
    assert sum(answer.status_code == 200 for answer in answers) >= 20
    well(shared)


@pytest.mark.parametrize("how", ["raise", "exit"])
def test_a_tool_that_breaks_breaks_nothing_else(shared: Run, how: str) -> None:
    told = call(shared, "misbehave", how=how)
    assert told["outcome"] == "error" and told["error"]["message"]
    well(shared)


@pytest.mark.parametrize("how", ["sleep", "wait"])
def test_a_tool_that_hangs_keeps_nobody_waiting(shared: Run, how: str) -> None:
    with listening(shared, "events") as events:
        hanging = beside(call, shared, "misbehave", call_id=how, how=how)
        heard(events, "ToolStarted", "misbehave")
        well(shared)
        assert hanging.is_alive()
        assert httpx.delete(f"{shared.url}/api/v1/tools/calls/{how}").json()["cancelled"] is True
        assert heard(events, "ToolCalled", "misbehave")["status"] == "cancelled"
    hanging.join(20)
    well(shared)


@pytest.fixture
def full_disk(shared: Run) -> Iterator[None]:
    """No file of the mind can grow any more."""
    before = resource.prlimit(shared.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    yield
    resource.prlimit(shared.process.pid, resource.RLIMIT_FSIZE, before)


def test_without_room_on_the_disk_nothing_is_done_but_a_stop(shared: Run, full_disk: None, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    for tool, args in (("mark", {"file": str(mark)}), ("set_timer", {"minutes": 1}), ("get_time", {})):
        told = call(shared, tool, **args)
        assert told["outcome"] == "error" and told["error"]["code"] == "DATABASE_ERROR", told
        assert "disk" in told["error"]["hint"]
    assert not mark.exists()
    refused = say(shared, "what time is it?")
    assert refused.status_code == 500 and refused.json()["error"]["code"] == "DATABASE_ERROR"
    assert call(shared, "stop")["outcome"] == "ok"
    assert say(shared, "stop!").json()["tool_calls"] == [{"name": "stop", "args": {}, "status": "ok"}]
    assert httpx.get(f"{shared.url}/healthz").status_code == 200


def test_with_room_again_it_goes_on(shared: Run) -> None:
    well(shared)
    assert asyncio.run(broken_at(shared.home)) is None


@pytest.mark.parametrize("what", ["a folder", "no database", "cut off"])
def test_a_database_that_is_none_is_named_and_nothing_is_done(home: Path, shared: Run, what: str) -> None:
    home.mkdir()
    file = home / "mind.db"
    if what == "a folder":
        file.mkdir()
    elif what == "no database":
        file.write_bytes(b"This is a letter to my aunt. " * 500)
    else:
        file.write_bytes((shared.home / "mind.db").read_bytes()[:5000])
    before = file.read_bytes() if file.is_file() else b""
    for arguments in (("ask", "set a timer for 5 minutes"), ("tools", "call", "get_time")):
        error = here_json(*arguments, "--robot", "none")["error"]
        assert error["code"] == "DATABASE_ERROR" and "mind.db" in error["message"] and error["hint"]
    assert (file.read_bytes() if file.is_file() else b"") == before, "what is there is left as it is"


def test_it_does_not_start_on_a_full_disk_and_says_so(home: Path) -> None:
    argv = [sys.executable, "-m", "reachy_mind", "run", "--robot", "none", "--port", str(free_port())]
    limit = resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY)
    done = subprocess.run(
        argv,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(*limit),
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == ["error", "hint"]
    assert "mind.db" in done.stderr
    assert not (home / "run" / "mind.json").exists()
