"""The operating system: one module for each difference between Linux, macOS and Windows.

A module chooses by capability, not by the name of the system, and has a portable way where the better one is missing.
`REACHY_MIND_PORTABLE=1` takes the portable ways everywhere, so that the tests run them on Linux.
"""
