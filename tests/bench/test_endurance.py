"""What the endurance test counts: verdicts of requests, slopes, what was lost, and its tables."""

from __future__ import annotations

import asyncio
import random
import re
import sys
import time
from pathlib import Path

import httpx
import pytest

from reachy_mind.bench.endurance import report
from reachy_mind.bench.endurance.attempts import AttemptLog, Explanation, WrongAnswer, availability
from reachy_mind.bench.endurance.losses import Findings
from reachy_mind.bench.endurance.model_server import FaultyModelServer
from reachy_mind.bench.endurance.resource_use import ResourceSample, slope
from reachy_mind.bench.endurance.supervised_process import SupervisedProcess
from reachy_mind.client import RemoteError
from tests.waiting import until

LINK = Explanation(frozenset({"LINK_LOST"}), re.compile("robot"))


async def raising(error: Exception | None) -> None:
    if error is not None:
        raise error


def refusal(code: str, message: str = "it is so") -> RemoteError:
    return RemoteError({"code": code, "message": message})


@pytest.mark.parametrize(
    ("error", "alone", "meanwhile"),
    [
        (None, "right", "right"),
        (refusal("LINK_LOST"), "failed", "degraded"),
        (refusal("", "I can't find the robot."), "failed", "degraded"),
        (refusal("DATABASE_ERROR"), "failed", "failed"),
        (WrongAnswer("43"), "failed", "failed"),
        (httpx.ConnectError("refused"), "failed", "failed"),
        (KeyError("pose"), "failed", "failed"),
    ],
)
async def test_an_error_is_explained_by_the_fault_that_it_names(
    error: Exception | None, alone: str, meanwhile: str
) -> None:
    log = AttemptLog({"link cut": LINK})
    await log.attempt("call", raising(error))
    window = log.begin_fault("link cut")
    await log.attempt("call", raising(error))
    window.ended = window.recovered = time.monotonic() - 60
    await log.attempt("call", raising(error))
    assert [each.verdict for each in log.attempts] == [alone, meanwhile, alone]
    assert [each.faults for each in log.attempts] == [(), ("link cut",), ()]


async def test_what_a_stop_ended_was_answered_rightly() -> None:
    log = AttemptLog({})
    await log.attempt("nod", raising(refusal("CANCELLED")))
    log.stops.append(time.monotonic())
    await log.attempt("nod", raising(refusal("CANCELLED")))
    assert [each.verdict for each in log.attempts] == ["failed", "right"]
    found = availability(log.attempts)
    assert (found.requests, found.right_percent, found.failed_percent) == (2, 50.0, 50.0)


def samples(process: str, per_hour: float, start: float, noise: float, seed: int = 1) -> list[ResourceSample]:
    chance = random.Random(seed)
    return [ResourceSample(10.0 * n, process, start + per_hour * n / 360 + chance.gauss(0, noise)) for n in range(90)]


def test_a_leak_is_found_in_noise_and_a_restart_is_no_growth() -> None:
    flat = slope(samples("1", 0.0, 300.0, 3.0))
    assert not flat.grows("memory_mb") and flat.low <= 0 <= flat.high
    leak = slope(samples("1", 40.0, 300.0, 3.0))
    assert leak.grows("memory_mb") and leak.low < 40 < leak.high
    restarted = slope([*samples("1", 0.0, 300.0, 3.0), *samples("2", 0.0, 500.0, 3.0, seed=2)])
    assert not restarted.grows("memory_mb") and abs(restarted.per_hour) < 12
    assert slope([]).points == 0 and not slope([ResourceSample(0, "1", 5.0)]).grows("threads")


def test_what_was_acknowledged_and_is_gone_is_named() -> None:
    findings = Findings()
    findings.expect("timer", {"1", "2"}, {"2", "3"})
    assert findings.lost == ["timer 1"] and findings.checked["timer"] == 2 and not findings.clean


@pytest.mark.process
async def test_a_process_is_started_again_until_it_is_stopped(tmp_path: Path) -> None:
    code = "import time; print('up', flush=True); time.sleep(60)"
    async with SupervisedProcess([sys.executable, "-c", code], {}, tmp_path / "log") as process:
        first = process.pid
        await until(lambda: "up" in process.log.read_text())
        process.hold_back()
        process.kill()
        process.release()
        await until(lambda: process.starts == 2 and process.log.read_text().count("up") == 2)
        assert process.pid != first and process.unexpected == []
        assert await process.stop() == -15
    assert process.starts == 2


async def test_the_model_answers_as_its_mode_says() -> None:
    async with FaultyModelServer() as server, httpx.AsyncClient(timeout=10, trust_env=False) as http:
        url = f"http://127.0.0.1:{server.port}/v1/chat/completions"
        wish = {"model": "any", "messages": [{"role": "user", "content": "what of number 17?"}]}
        assert "number 17" in (await http.post(url, json=wish)).json()["choices"][0]["message"]["content"]
        server.become("errors")
        assert (await http.post(url, json=wish)).status_code == 500
        server.become("garbage")
        with pytest.raises(ValueError, match="Expecting value"):
            (await http.post(url, json=wish)).json()
        server.become("hung")
        asking = asyncio.create_task(http.post(url, json=wish | {"stream": True}))
        await until(lambda: server.asked == 4)
        assert not asking.done()
        server.become("well")
        assert "[DONE]" in (await asking).text


def test_the_report_keeps_what_people_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "soak.md"
    file.write_text(f"# Soak\n\nMethod.\n\n{report.BEGIN}\nold\n{report.END}\n\nThe end.\n")
    monkeypatch.setattr(report, "markdown", lambda run: "| new |")
    report.write_report(file, None)  # type: ignore[arg-type] -- the tables are given
    assert file.read_text() == f"# Soak\n\nMethod.\n\n{report.BEGIN}\n| new |\n{report.END}\n\nThe end.\n"
