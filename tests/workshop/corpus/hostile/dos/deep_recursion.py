# range: {"timeout": 5, "unguarded": false}
"""Recurses until the C stack is gone, in the main thread and in one with a large stack."""

import sys
import threading


def down(depth):
    return [down(depth + 1)]


def deep_recursion(targets: dict) -> dict:
    """Think about thinking."""
    print("PRIMITIVE recursion", flush=True)
    sys.setrecursionlimit(2**30)
    try:
        threading.stack_size(2**30)
        thread = threading.Thread(target=down, args=(0,))
        thread.start()
    except (ValueError, RuntimeError, MemoryError) as error:
        print(error)
    deep = []
    for _ in range(10_000_000):
        deep = [deep]
    return {"depth": repr(deep)[:10], "down": down(0)}
