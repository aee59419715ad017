"""Motion that never stutters: layers and moves shaped within limits, 100 times a second, in a process of its own."""
