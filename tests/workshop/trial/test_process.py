"""Code in a sandbox on virtual time: every way to wait in Python follows the clock of the trial."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from typing import Any

import pytest

from reachy_mind.workshop import isolation

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("description")]

WAITS = """
import asyncio, concurrent.futures, datetime, queue, sched, threading, time

def waits():
    found, clock = {}, time.monotonic

    def timed(name, wait):
        began = clock()
        wait()
        found[name] = round(clock() - began, 3)

    def get():
        try:
            queue.Queue().get(timeout=30)
        except queue.Empty:
            pass

    def timer():
        rung = threading.Event()
        threading.Timer(100, rung.set).start()
        assert rung.wait(600)

    def join():
        sleeper = threading.Thread(target=time.sleep, args=(500,), daemon=True)
        sleeper.start()
        sleeper.join(50)
        assert sleeper.is_alive()

    def pool():
        with concurrent.futures.ThreadPoolExecutor() as workers:
            list(workers.map(time.sleep, [10, 20, 30]))

    def scheduled():
        scheduler = sched.scheduler(time.monotonic, time.sleep)
        scheduler.enter(20, 1, lambda: None)
        scheduler.run()

    async def gathered():
        await asyncio.gather(asyncio.sleep(100), asyncio.to_thread(time.sleep, 50), asyncio.sleep(30))

    async def timeout():
        try:
            await asyncio.wait_for(asyncio.sleep(100), 5)
        except asyncio.TimeoutError:
            pass

    def polling():
        until = time.time() + 60
        while time.time() < until:
            pass

    timed("sleep", lambda: time.sleep(1800))
    timed("event", lambda: threading.Event().wait(60))
    timed("queue", get)
    timed("timer", timer)
    timed("join", join)
    timed("pool", pool)
    timed("sched", scheduled)
    timed("gather", lambda: asyncio.run(gathered()))
    timed("wait_for", lambda: asyncio.run(timeout()))
    timed("computing", lambda: sum(range(100000)))
    before = datetime.datetime.now()
    time.sleep(86400 / 4)
    found["datetime"] = (datetime.datetime.now() - before).total_seconds()
    assert datetime.date.today() == datetime.datetime.now().date()
    assert isinstance(before, datetime.datetime)
    began = clock()
    polling()
    found["polling"] = clock() - began
    return found
"""
PHOTOS = """
import time
from reachy_mini import ReachyMini

async def photos():
    frames = []
    with ReachyMini() as mini:
        for _ in range(12):
            frames.append(mini.media.get_frame().shape)
            time.sleep(300)
    await speak("All photos are taken.")
    return {"frames": frames, "seen": str(await analyze_scene("list objects"))}
"""


def attempt(code: str, *, allow: str = "", timeout_s: float = 60.0, isolation_name: str = "auto") -> dict[str, Any]:
    run = {"code": code, "allow": allow, "timeout_s": timeout_s, "isolation": isolation_name, "virtual_time": True}
    done = subprocess.run(
        [sys.executable, "-m", "reachy_mind.workshop.trial.process"],
        input=json.dumps({"run": run, "scene": "table"}).encode(),
        stdout=subprocess.PIPE,
        env=os.environ,
        timeout=200,
        check=True,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_every_wait_of_the_standard_library_follows_the_clock() -> None:
    report = attempt(WAITS)
    assert report["status"] == "ok", report["error"]
    found = report["result"]
    assert found.pop("polling") == pytest.approx(60, rel=0.02)
    expected = {"sleep": 1800, "event": 60, "queue": 30, "timer": 100, "join": 50, "pool": 30, "sched": 20}
    expected |= {"gather": 100, "wait_for": 5, "computing": 0, "datetime": 21600}
    assert found == pytest.approx(expected, abs=0.02)


def test_an_hour_with_a_photo_every_five_minutes() -> None:
    report = attempt(PHOTOS, allow="camera,speak")
    assert report["status"] == "ok", report["error"]
    assert report["result"]["frames"] == [[360, 640, 3]] * 12
    assert "duck" in report["result"]["seen"]
    assert report["virtual_s"] == pytest.approx(3602, abs=5)
    record = report["record"]
    assert [words["text"] for words in record["words"]] == ["All photos are taken."]
    assert {call["tool"] for call in record["calls"]} == {"voice.speak", "perception.analyze_scene"}


@pytest.mark.parametrize("profile", ["namespaces", "landlock"])
def test_time_is_virtual_in_the_other_profiles_too(profile: str) -> None:
    if not next(found for found in isolation.detect() if found.name == profile).available:
        pytest.skip(f"this machine has no profile {profile}")
    report = attempt("import time\ndef nap():\n    time.sleep(3600)\n    return 1\n", isolation_name=profile)
    assert (report["status"], report["isolation"], report["result"]) == ("ok", profile, 1)
    assert report["virtual_s"] == pytest.approx(3600, abs=1)


def test_the_time_limit_counts_real_seconds_and_virtual_time_is_limited() -> None:
    endless = attempt("def spin():\n    while True:\n        pass\n", timeout_s=1)
    assert (endless["status"], endless["error"]["code"]) == ("killed", "TIMEOUT")
    assert endless["virtual_s"] < 1
    days = attempt("import time\ndef nap():\n    time.sleep(3 * 86400)\n")
    assert (days["status"], days["error"]["code"]) == ("killed", "BUDGET_EXCEEDED")


def test_code_that_ends_its_process_is_reported_as_such() -> None:
    report = attempt("import os\ndef leave():\n    os._exit(3)\n")
    assert (report["status"], report["error"]["code"]) == ("killed", "WORKER_ENDED")


def test_a_stop_of_the_robot_ends_the_run() -> None:
    code = """
        from reachy_mini import ReachyMini

        async def turn():
            with ReachyMini() as mini:
                mini.goto_target(antennas=[0.5, -0.5], duration=0.5)
                await stop()
                mini.goto_target(antennas=[0.0, 0.0], duration=0.5)
    """
    report = attempt(textwrap.dedent(code), allow="motion")
    assert (report["status"], report["error"]["code"]) == ("killed", "CANCELLED")
    assert report["record"]["poses"][-1]["pose"][7] == pytest.approx(-0.5, abs=0.1)
