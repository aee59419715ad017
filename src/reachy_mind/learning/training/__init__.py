"""Training runs: plan, loop, checkpoints, curves, feedback of people, many machines."""
