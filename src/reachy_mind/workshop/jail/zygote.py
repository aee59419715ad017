"""The zygote: loads what workers need once, isolates itself, and forks a locked-down worker whenever the host asks.

    host -> zygote   {"start": {...}} first; {"fork": {"id": n, ...limits}} with the worker's end of a stream
    zygote -> host   {"ready": {...}} or {"fatal": text}; {"started": n} with a pidfd; {"ended": n, status and usage}

One packet of JSON each. The zygote ends when the host closes its end; every worker ends with it.
"""

from __future__ import annotations

import json
import os
import resource
import select
import socket
import sys
import threading
import time
import traceback
from typing import Any

from . import namespaces, preload, privileges, rlimits, seccomp, worker

CONTROL = 3
MAX_PACKET = 65536


class Zygote:
    """Serves one host over one socket."""

    def __init__(self, control: socket.socket, start: dict[str, Any], address_space: int) -> None:
        self._control = control
        self._start = start
        self._address_space = address_space
        self._workers: dict[int, tuple[int, int]] = {}
        """By pidfd: the host's number of the worker, and its process id here."""
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)

    def serve(self) -> None:
        """Return when the host is gone."""
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor in self._workers:
                    self._reap(descriptor)
                elif not self._take():
                    return

    def _take(self) -> bool:
        data, descriptors, _, _ = socket.recv_fds(self._control, MAX_PACKET, 1)
        if not data:
            return False
        try:
            self._fork(json.loads(data)["fork"], descriptors[0])
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        return True

    def _fork(self, request: dict[str, Any], stream: int) -> None:
        plan = {
            **request,
            "namespaces": self._start["namespaces"],
            "landlock": self._start["landlock"],
            "readable": self._start["readable"],
            "uid": self._start["uid"],
            "address_space": self._address_space,
            "processes": self._other_processes(),
            "folder": namespaces.TEMP if self._start["namespaces"] else request["folder"],
        }
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            worker.main(stream, plan, parent)
        pidfd = os.pidfd_open(pid)
        self._workers[pidfd] = (request["id"], pid)
        self._poll.register(pidfd, select.POLLIN)
        socket.send_fds(self._control, [json.dumps({"started": request["id"]}).encode()], [pidfd])

    def _reap(self, pidfd: int) -> None:
        number, pid = self._workers.pop(pidfd)
        self._poll.unregister(pidfd)
        os.close(pidfd)
        _, status, usage = os.wait4(pid, 0)
        ended = {
            "ended": number,
            "status": os.waitstatus_to_exitcode(status),
            "cpu_s": usage.ru_utime + usage.ru_stime,
            "rss_kb": usage.ru_maxrss,
        }
        self._control.send(json.dumps(ended).encode())

    def _other_processes(self) -> int:
        """Return how many processes and threads of this user the limit of a worker has to allow for."""
        if self._start["namespaces"] or self._start["uid"] is not None:
            return rlimits.MAX_THREADS  # this zygote and its other workers
        return rlimits.MAX_THREADS + rlimits.tasks_of(os.getuid())


def main() -> None:
    """The program: its argument is the descriptor of the control socket."""
    descriptor = int(sys.argv[1])
    if descriptor != CONTROL:
        os.dup2(descriptor, CONTROL)
    resource.setrlimit(resource.RLIMIT_NOFILE, (rlimits.ZYGOTE_DESCRIPTORS, rlimits.ZYGOTE_DESCRIPTORS))
    os.closerange(CONTROL + 1, max(descriptor + 1, rlimits.ZYGOTE_DESCRIPTORS))
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=CONTROL)
    try:
        zygote = _started(control)
    except Exception:  # noqa: BLE001  (told to the host)
        control.send(json.dumps({"fatal": traceback.format_exc(limit=-1)[-2000:]}).encode())
        return
    zygote.serve()
    os._exit(0)


def _started(control: socket.socket) -> Zygote:
    """Load everything and isolate this process."""
    data = control.recv(MAX_PACKET)
    if not data:
        os._exit(0)
    start: dict[str, Any] = json.loads(data)["start"]
    began = time.monotonic()
    privileges.die_with_parent(start["host_pid"])
    rlimits.yield_to_others()
    if start["namespaces"]:
        _first_of_its_table(root=start["uid"] is not None, control=control)
    missing = preload.load_all(start["path"])
    address_space = rlimits.address_space()
    trees = [namespaces.Tree(*tree) for tree in start["trees"]]
    if start["namespaces"]:
        namespaces.enter(trees, spare_uid=start["uid"])
        preload.moved(trees)
    elif start["uid"] is not None:
        sys.meta_path.append(preload.unpacked())
        privileges.become(start["uid"])
    sys.path[:] = start["path_inside"]
    sys.meta_path.append(preload.MissingModules())
    preload.cascades_at(start["cascades"])
    privileges.die_with_parent(0 if start["namespaces"] else start["host_pid"])  # a change of user took it away
    os.environ.clear()
    threading.stack_size(rlimits.THREAD_STACK_BYTES)
    seccomp.template(own_files=start["namespaces"])
    preload.freeze()
    milliseconds = (time.monotonic() - began) * 1000
    control.send(json.dumps({"ready": {"missing": missing, "start_ms": milliseconds}}).encode())
    return Zygote(control, start, address_space)


def _first_of_its_table(*, root: bool, control: socket.socket) -> None:
    """Go on as the first process of a new process table. This process waits for that one and ends with it."""
    child = namespaces.leave_process_table(root=root)
    if child:
        control.close()
        os.waitpid(child, 0)
        os._exit(0)
    privileges.die_with_parent(0)
