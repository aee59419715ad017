"""Uses itertools, functools and operator."""

import functools
import heapq
import itertools
import operator
from collections import ChainMap, OrderedDict, deque, namedtuple

Pair = namedtuple("Pair", "left right")


@functools.lru_cache(maxsize=None)
def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def combinations(items: list[str]) -> dict:
    """Make all pairs of some things."""
    pairs = [Pair(*p) for p in itertools.combinations(sorted(items), 2)]
    recent = deque(pairs, maxlen=2)
    return {
        "pairs": pairs,
        "recent": list(recent),
        "product": functools.reduce(operator.mul, range(1, 6)),
        "smallest": heapq.nsmallest(2, items),
        "fibonacci": fibonacci(50),
        "merged": dict(ChainMap({"a": 1}, OrderedDict(a=2, b=3))),
        "set": {1, 2, 3},
    }
