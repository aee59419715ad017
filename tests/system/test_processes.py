"""Groups of processes, signals and the end of a parent, on both ways."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading

import psutil
import pytest

from reachy_mind.system.child_socket import ChildSocket
from reachy_mind.system.process_group import end_group, own_group
from reachy_mind.system.stop_signals import handled, interrupt_main
from tests.waiting import until_sync

PARENT_OF_ONE = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
child.wait()
"""
BUSY = """
import sys, time
from reachy_mind.system import child_socket, parent
connection = child_socket.connect(sys.argv[1])
parent.exit_with(connection)
connection.send(b"!")
while True:
    time.sleep(60)
"""
READS_STDIN = """
import os, time
from reachy_mind.system import parent
parent.on_stdin_end(lambda: os._exit(7))
time.sleep(60)
"""
BEATS = """
import sys, time
from reachy_mind.system.parent import Heartbeats
beats = Heartbeats(sys.stdout.fileno())
for _ in range(200_000):
    beats.beat()
print("done", file=sys.stderr, flush=True)
time.sleep(60)
"""


@pytest.mark.process
@pytest.mark.usefixtures("way")
def test_a_group_is_ended_with_what_it_started() -> None:
    process = subprocess.Popen([sys.executable, "-c", PARENT_OF_ONE], stdout=subprocess.PIPE, **own_group())
    assert process.stdout is not None
    with process.stdout as output:
        child = int(output.readline())
    end_group(process.pid, force=True)
    assert process.wait(20) != 0
    until_sync(lambda: not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE)
    end_group(process.pid)  # it is gone: nothing happens


@pytest.mark.process
@pytest.mark.usefixtures("way")
async def test_a_busy_process_ends_with_the_one_that_started_it() -> None:
    with ChildSocket() as link:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", BUSY, link.argument, **link.options())
        connection = await link.connected(process)
    assert await asyncio.get_running_loop().sock_recv(connection, 1) == b"!"
    connection.close()
    async with asyncio.timeout(20):
        assert await process.wait() == 0


@pytest.mark.process
def test_the_end_of_standard_input_is_told() -> None:
    process = subprocess.Popen([sys.executable, "-c", READS_STDIN], stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(20) == 7


@pytest.mark.process
@pytest.mark.usefixtures("way")
def test_heartbeats_never_wait_for_a_parent_that_does_not_read() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", BEATS], stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stderr.readline() == b"done\n"
        assert os.read(process.stdout.fileno(), 10).startswith(b"\n")
        process.kill()


@pytest.mark.usefixtures("way")
async def test_a_signal_calls_back_on_the_loop_and_the_old_handler_returns() -> None:
    before = signal.getsignal(signal.SIGTERM)
    came = asyncio.Event()
    with handled(came.set, signal.SIGTERM):
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(10):
            await came.wait()
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.usefixtures("way")
async def test_another_thread_can_interrupt_the_main_one() -> None:
    came = asyncio.Event()
    with handled(came.set, signal.SIGINT):
        thread = threading.Thread(target=interrupt_main, args=(signal.SIGINT,))
        thread.start()
        async with asyncio.timeout(10):
            while not came.is_set():
                await asyncio.sleep(0)
        thread.join()


def test_a_socket_whose_data_nobody_reads_is_watched_without_ending() -> None:
    from reachy_mind.system.parent import _peek_until_closed

    ours, theirs = socket.socketpair()
    watching = threading.Thread(target=_peek_until_closed, args=(theirs,), daemon=True)
    ours.send(b"x")
    watching.start()
    watching.join(0.1)
    assert watching.is_alive()
    assert theirs.recv(1) == b"x"
    ours.close()
    watching.join(20)
    assert not watching.is_alive()
    theirs.close()
