"""The demonstrations of `reachy-mind demo`: what the robot can do, shown by itself, with what was measured meanwhile."""
