"""Settings of the interpreter that keep the event loop responsive while other threads and the garbage collector work.

- Python lets another thread run for 5 ms before it asks for the interpreter back. The event loop gives it up with every
  write to a socket, so that one thread that computes costs a hundred viewers half a second.
- A full garbage collection looks at everything that was imported and built at the start: 150 ms. What is there when the
  server starts stays for the whole run, and need not be looked at again.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator

SWITCH_INTERVAL_S = 0.0005


@contextlib.contextmanager
def responsive() -> Iterator[None]:
    """Enter it once everything is built, before the first request; it ends with the server."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        sys.setswitchinterval(before)
