"""`NotFound`: the 404 error, and `as_not_found`, which turns lookup errors of other rooms into it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from reachy_mind.errors import InvalidParameter, MindError, NotReady


class NotFound(MindError):
    """There is nothing with this id, or not any more."""

    code = "NOT_FOUND"


@contextlib.contextmanager
def as_not_found(hint: str = "") -> Iterator[None]:
    """Raise NotFound for an InvalidParameter or NotReady in the block: an id that is not, or no longer, known."""
    try:
        yield
    except (InvalidParameter, NotReady) as error:
        raise NotFound(error.message, hint=hint or error.hint) from None
