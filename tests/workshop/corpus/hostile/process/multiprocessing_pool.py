# range: {"timeout": 8}
"""Starts workers by multiprocessing and a process pool."""

import concurrent.futures
import multiprocessing
import os


def square(number):
    return (number * number, os.getpid())


def multiprocessing_pool(targets: dict) -> dict:
    """Compute in parallel."""
    print("PRIMITIVE", multiprocessing.Process, flush=True)
    said = []
    for method in ("fork",):
        try:
            context = multiprocessing.get_context(method)
            pool = concurrent.futures.ProcessPoolExecutor(1, mp_context=context)
            value, pid = pool.submit(square, 7).result(timeout=3)
            if pid != os.getpid():
                print("EVIDENCE a worker", pid)
            said.append(value)
            pool.shutdown(wait=False, cancel_futures=True)
        except BaseException as error:
            said.append(repr(error)[:150])
    return {"said": said}
