"""Motion control: moves and layers within velocity, acceleration and jerk limits, at 100 Hz in its own process."""
