"""What runs inside the zygote and its workers. Standard library only; nothing here imports the rest of `reachy_mind`.

Inside, this folder is the top-level package `jail`. The host imports `codec` and `frames` from here, and nothing else.
"""
