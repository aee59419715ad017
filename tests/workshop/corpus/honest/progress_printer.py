"""Prints its progress in several ways."""

import logging
import pprint
import sys
import warnings


def progress_printer(steps: int = 3) -> dict:
    """Print what happens."""
    for step in range(steps):
        print(f"step {step + 1} of {steps}", end="\n", flush=True)
    print("to the error stream", file=sys.stderr)
    sys.stdout.write("written\n")
    logging.getLogger(__name__).warning("a warning in the log")
    warnings.warn("careful", stacklevel=1)
    pprint.pprint({"done": True})
    return {"steps": steps}
