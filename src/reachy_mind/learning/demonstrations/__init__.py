"""Demonstrations: somebody shows the robot a task; what it did is kept as a LeRobot dataset and can train a policy."""
