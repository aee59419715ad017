"""Deals with its own errors."""

import contextlib
import traceback


class TooSmall(ValueError):
    """The number is too small."""


def check(number: int) -> int:
    if number < 10:
        raise TooSmall(f"{number} is below 10")
    return number


async def handled_error(number: int = 3) -> dict:
    """Check a number, with a clear answer when it is wrong."""
    with contextlib.suppress(ZeroDivisionError):
        number / 0
    try:
        check(number)
    except TooSmall as error:
        lines = traceback.format_exc().splitlines()
        return {"status": "error", "message": str(error), "last": lines[-1]}
    finally:
        print("checked")
    return {"status": "success"}
