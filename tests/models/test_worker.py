"""A model in its own process: what callers get from it, and what they get when it misbehaves."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from pathlib import Path

import numpy as np
import psutil
import pytest

from reachy_mind.errors import InvalidParameter, TimedOut, WorkerError
from reachy_mind.events import WorkerChanged
from reachy_mind.models import worker as worker_module
from reachy_mind.models import worker_liveness
from reachy_mind.models.worker import Worker
from tests.waiting import until_sync

pytestmark = pytest.mark.process

HERE = Path(__file__).parent
FACTORY = "hosted:Calculator"


@pytest.fixture(autouse=True)
def _hosted_can_be_imported(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(HERE), prepend=os.pathsep)


@pytest.fixture
async def worker():
    async with Worker("calculator", FACTORY, {"start": 40}) as made:
        yield made


def gone(pid: int) -> bool:
    try:
        process = psutil.Process(pid)
        return process.status() == psutil.STATUS_ZOMBIE and process.num_threads() == 1
    except psutil.NoSuchProcess:
        return True


def wait_for_death(pid: int) -> None:
    """Blocks the event loop, so that it can't hear of the death before the test goes on."""
    until_sync(lambda: gone(pid))


async def test_it_starts_with_the_first_call_and_keeps_its_state(worker):
    assert worker.status().state == "stopped"
    assert worker.status().pid is None
    assert await worker.call("add", 2) == 42
    assert await worker.call("add", 1) == 43
    status = worker.status()
    assert status.state == "ready"
    assert status.pid == await worker.call("pid") != os.getpid()
    assert status.restarts == 0


async def test_it_can_be_loaded_before_the_first_call(worker):
    await worker.start()
    assert worker.status().state == "ready"
    pid = worker.status().pid
    assert await worker.call("pid") == pid


async def test_its_memory_is_reported(worker):
    await worker.start()
    before = worker.status().rss
    assert before is not None
    assert before > 1_000_000
    await worker.call("hold", 50_000_000)
    assert worker.status().rss > before + 40_000_000


async def test_an_exception_comes_back_and_the_worker_lives_on(worker):
    pid = await worker.call("pid")
    with pytest.raises(WorkerError, match=r"calculator\.fail raised ZeroDivisionError: nothing goes into zero"):
        await worker.call("fail")
    with pytest.raises(WorkerError, match="AttributeError"):
        await worker.call("no_such_method")
    with pytest.raises(WorkerError) as error:
        await worker.call("fail_with_hint")
    assert error.value.hint == "pip install 'reachy-mind[speech]'"
    assert await worker.call("pid") == pid


async def test_what_cannot_travel_is_named_and_the_worker_lives_on(worker):
    pid = await worker.call("pid")
    with pytest.raises(InvalidParameter, match=r"calculator\.echo: its arguments can't be sent"):
        await worker.call("echo", threading.Lock())
    with pytest.raises(WorkerError, match=r"calculator\.lock raised TypeError.*pickle"):
        await worker.call("lock")
    with pytest.raises(WorkerError, match=r"calculator\.own_thing: its result can't be read in this process"):
        await worker.call("own_thing")
    assert await worker.call("pid") == pid
    assert worker.status().state == "ready"


async def test_big_arrays_and_bytes_go_there_and_back(worker):
    array = np.arange(6_000_000, dtype=np.float32).reshape(2000, 3000)
    doubled = await worker.call("double", array)
    assert doubled.dtype == np.float32
    np.testing.assert_array_equal(doubled, array * 2)
    doubled[0, 0] = 1.0  # ours to change
    blob = os.urandom(3_000_000)
    assert await worker.call("echo", blob) == blob
    mixed = {"empty": np.zeros(0), "strided": np.arange(10)[::2], "text": "grüß", "none": None}
    back = await worker.call("echo", mixed)
    assert back["empty"].size == 0
    np.testing.assert_array_equal(back["strided"], [0, 2, 4, 6, 8])
    assert (back["text"], back["none"]) == ("grüß", None)


async def test_what_it_prints_goes_to_stderr_and_spoils_nothing(worker, capfd):
    assert await worker.call("shout") == "done"
    assert await worker.call("add", 2) == 42
    await worker.stop()
    out, err = capfd.readouterr()
    assert out == ""
    for line in ("printed by the model", "written to descriptor 1", "said on stderr"):
        assert line in err


async def test_calls_run_one_at_a_time_in_order(worker):
    totals = await asyncio.gather(*(worker.call("add", 1) for _ in range(20)))
    assert totals == list(range(41, 61))


async def test_a_killed_worker_fails_the_call_under_way_and_the_next_starts_a_new_one(worker, tmp_path, until):
    call = asyncio.create_task(worker.call("hang", str(tmp_path / "begun")))
    await until((tmp_path / "begun").exists)
    first = worker.status()
    assert first.state == "busy"
    os.kill(first.pid, signal.SIGKILL)
    with pytest.raises(WorkerError, match=r"calculator\.hang failed: its worker process died \(signal SIGKILL\)"):
        await call
    assert worker.status().state == "dead"
    assert worker.status().pid is None
    assert await worker.call("add", 2) == 42
    assert worker.status().pid != first.pid
    assert worker.status().restarts == 1


async def test_a_worker_that_died_while_idle_is_replaced_without_a_failure(worker):
    pid = await worker.call("pid")
    os.kill(pid, signal.SIGKILL)
    wait_for_death(pid)
    assert worker.status().state == "dead"
    assert await worker.call("pid") != pid


async def test_a_worker_that_leaves_is_reported_with_its_exit_code(worker):
    with pytest.raises(WorkerError, match=r"died \(exit code 3\)"):
        await worker.call("leave", 3)


async def test_a_fork_of_a_dead_worker_cannot_keep_a_call_waiting(worker):
    pid = await worker.call("pid")
    try:
        with pytest.raises(WorkerError, match="died"):
            await worker.call("die_leaving_a_fork")
    finally:
        os.killpg(pid, signal.SIGKILL)  # a worker leads its own session


async def test_a_call_that_takes_too_long_ends_the_worker(worker, tmp_path):
    pid = await worker.call("pid")
    with pytest.raises(TimedOut, match=r"calculator\.hang_in_c took longer than 0\.2 s"):
        await worker.call("hang_in_c", str(tmp_path / "begun"), timeout=0.2)
    assert await worker.call("add", 2) == 42
    assert worker.status().pid != pid
    assert not psutil.pid_exists(pid)


@pytest.fixture
def reports():
    told: list[WorkerChanged] = []
    end = worker_liveness.listen(told.append)
    yield told
    end()


async def test_a_call_to_a_stopped_worker_is_answered_by_a_new_one_and_both_are_told(worker, reports, monkeypatch):
    monkeypatch.setattr(worker_liveness, "SILENCE_S", 0.3)
    stopped = await worker.call("pid")
    os.kill(stopped, signal.SIGSTOP)
    assert await worker.call("pid", timeout=60) != stopped
    assert gone(stopped)
    assert [told.state for told in reports] == ["hung", "ready"]
    assert worker.trouble == "" and "no sign of life" in reports[0].reason


async def test_a_worker_that_is_stopped_in_the_middle_of_a_call_fails_it_and_is_replaced(
    worker, reports, monkeypatch, tmp_path, until
):
    monkeypatch.setattr(worker_module, "IDLE_CHECK_S", 0.1)
    pid = await worker.call("pid")
    call = asyncio.create_task(worker.call("hang", str(tmp_path / "began")))
    await until((tmp_path / "began").exists)
    await asyncio.sleep(1.5 * worker_liveness.HEARTBEAT_S)  # it has begun: a heartbeat came
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(WorkerError, match="no sign of life"):
        await call
    assert worker.trouble and worker_module.troubles()["calculator"] == worker.trouble
    assert await worker.call("add", 1) == 41
    assert [told.state for told in reports] == ["hung", "ready"]


async def test_a_worker_that_is_stopped_while_idle_is_found_and_replaced_without_a_call(
    worker, reports, monkeypatch, until
):
    monkeypatch.setattr(worker_liveness, "SILENCE_S", 0.3)
    monkeypatch.setattr(worker_module, "IDLE_CHECK_S", 0.1)
    stopped = await worker.call("pid")
    os.kill(stopped, signal.SIGSTOP)
    await until(lambda: [told.state for told in reports] == ["hung", "ready"])
    assert gone(stopped) and worker.status().pid not in (None, stopped)


async def test_a_worker_that_only_waits_for_long_is_not_taken_for_hung(worker, reports, tmp_path, monkeypatch):
    monkeypatch.setattr(worker_liveness, "SILENCE_S", 1.2)
    await worker.start()
    with pytest.raises(TimedOut):
        await worker.call("hang", str(tmp_path / "began"), timeout=5)
    assert [told.state for told in reports] == ["hung"] and "longer than 5 s" in reports[0].reason


async def test_a_worker_that_died_is_told(worker, reports, until):
    pid = await worker.call("pid")
    os.kill(pid, signal.SIGKILL)
    await until(lambda: reports)
    assert reports[0].state == "died" and "SIGKILL" in worker_module.troubles()["calculator"]
    await worker.call("pid")
    assert reports[-1].state == "ready" and worker_module.troubles() == {}


async def test_a_cancelled_call_ends_the_worker(worker, tmp_path, until):
    call = asyncio.create_task(worker.call("hang_in_c", str(tmp_path / "begun")))
    await until((tmp_path / "begun").exists)
    pid = worker.status().pid
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await worker.call("add", 2) == 42
    assert not psutil.pid_exists(pid)


async def test_a_call_cancelled_while_the_last_worker_ends_hurts_nobody(worker, tmp_path, until):
    call = asyncio.create_task(worker.call("hang_in_c", str(tmp_path / "begun")))
    await until((tmp_path / "begun").exists)
    for _ in range(3):  # each waits for the end of the first one's worker, and then for nothing any more
        call.cancel()
        await asyncio.wait([call])
        call = asyncio.create_task(worker.call("add", 1))
        await asyncio.sleep(0)
    assert await call == 41
    assert await worker.call("add", 2) == 43


async def test_a_call_cancelled_while_it_waits_its_turn_hurts_nobody(worker, tmp_path, until):
    await worker.start()
    first = asyncio.create_task(worker.call("hang", str(tmp_path / "begun")))
    await until((tmp_path / "begun").exists)
    second = asyncio.create_task(worker.call("add", 1))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    assert worker.status().state == "busy"
    assert not first.done()
    first.cancel()


async def test_a_model_that_cannot_be_loaded_says_why():
    async with Worker("broken", FACTORY, {"fails": "raise"}) as worker:
        with pytest.raises(WorkerError, match="could not start: FileNotFoundError: no weights here"):
            await worker.call("pid")
    async with Worker("typo", "hosted:NoSuchThing") as worker:
        with pytest.raises(WorkerError, match=r"AttributeError.*NoSuchThing"):
            await worker.start()


async def test_one_that_keeps_dying_is_not_started_again_at_once(monkeypatch):
    monkeypatch.setattr(worker_module, "RESTART_BACKOFF_S", 1000.0)
    async with Worker("crasher", FACTORY, {"fails": "die"}) as worker:
        for _ in range(2):
            with pytest.raises(WorkerError, match=r"loading crasher failed: .*signal SIGSEGV"):
                await worker.call("pid")
        with pytest.raises(WorkerError, match=r"died 2 times in a row; .* again in \d+.* \(signal SIGSEGV\)"):
            await worker.call("pid")
        assert worker.status().restarts == 1


async def test_after_the_wait_it_is_started_again(worker, until):
    for _ in range(2):
        with pytest.raises(WorkerError, match="SIGKILL"):
            await worker.call("die")
    with pytest.raises(WorkerError, match="2 times in a row"):
        await worker.call("pid")
    answers: list[int | None] = []

    async def answered() -> bool:
        answers.append(await answer(worker))
        return answers[-1] is not None

    await until(answered)
    assert answers[-1] == 42
    assert worker.status().restarts == 2


async def answer(worker: Worker) -> int | None:
    try:
        return await worker.call("add", 2)
    except WorkerError:
        return None


async def test_stop_lets_it_finish_cleanly_and_a_later_call_starts_it_again(worker, tmp_path):
    await worker.call("at_exit_make", str(tmp_path / "left"))
    pid = worker.status().pid
    await worker.stop()
    assert (tmp_path / "left").exists()
    assert not psutil.pid_exists(pid)
    assert worker.status().state == "stopped"
    assert await worker.call("add", 2) == 42


async def test_stop_kills_one_that_does_not_listen(worker, monkeypatch):
    monkeypatch.setattr(worker_module, "TERMINATE_TIMEOUT_S", 0.2)
    await worker.call("ignore_sigterm")
    pid = worker.status().pid
    await worker.stop()
    assert not psutil.pid_exists(pid)


async def test_stop_fails_the_calls_under_way_and_waiting(worker, tmp_path, until):
    under_way = asyncio.create_task(worker.call("hang", str(tmp_path / "begun")))
    waiting = asyncio.create_task(worker.call("add", 1))
    await until((tmp_path / "begun").exists)
    await worker.stop()
    with pytest.raises(WorkerError, match="was stopped"):
        await under_way
    with pytest.raises(WorkerError, match="was stopped before it ran add"):
        await waiting
    assert worker.status().state == "stopped"


async def test_stop_in_the_middle_of_a_start_leaves_nothing_running(worker):
    start = asyncio.create_task(worker.start())
    await asyncio.sleep(0)  # the task is now waiting for its process
    await worker.stop()
    with pytest.raises(WorkerError, match="was stopped"):
        await start
    assert worker.status().pid is None


@pytest.mark.parametrize("busy", [False, True])
async def test_it_ends_when_the_process_that_started_it_is_killed(tmp_path, busy, until):
    script = f"""
import asyncio, sys
from pathlib import Path
from reachy_mind.models.worker import Worker
async def main():
    worker = Worker("calculator", "{FACTORY}")
    pid = await worker.call("pid")
    Path(sys.argv[1]).write_text(str(pid))
    if {busy}:
        await worker.call("hang", sys.argv[2])
    await asyncio.Event().wait()
asyncio.run(main())
"""
    written, begun = tmp_path / "pid", tmp_path / "begun"
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", script, written, begun)
    await until(begun.exists if busy else lambda: written.exists() and written.read_text())
    pid = int(written.read_text())
    assert not gone(pid)
    parent.kill()
    await parent.wait()
    await until(lambda: gone(pid))
