# range: {"timeout": 6, "unguarded": false, "output_mb": 4}
"""Dies of an exception with an endless chain, a huge message and a hostile representation."""


class Awful(Exception):
    def __str__(self):
        while True:
            pass

    __repr__ = __str__

    @property
    def __class__(self):
        raise SystemExit(0)


async def exception_bomb(targets: dict) -> dict:
    """Fail gracefully."""
    print("PRIMITIVE raise", flush=True)
    error = Awful("x" * 10**7)
    for number in range(2000):
        cause = ValueError("y" * 10_000 + str(number))
        cause.__cause__ = error
        error = cause
    error.__notes__ = ["z" * 10**6] * 20
    raise error
