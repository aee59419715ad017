"""`python -m reachy_mind`: the same as `reachy-mind`."""

from reachy_mind.cli import main

main()
