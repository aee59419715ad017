"""Threads that share a counter."""

import threading
from queue import Queue


class Counter:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.value = 0

    def add(self) -> None:
        with self._lock:
            self.value += 1


def shared_counter(threads: int = 5, times: int = 200) -> dict:
    """Count in several threads."""
    counter, finished = Counter(), Queue()

    def run() -> None:
        for _ in range(times):
            counter.add()
        finished.put(threading.current_thread().name)

    workers = [threading.Thread(target=run, name=f"w{n}") for n in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return {"value": counter.value, "names": sorted(finished.get() for _ in workers)}
