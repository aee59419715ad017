"""Runs code that a model or a stranger wrote, where it can hurt neither the machine, nor the robot, nor a person."""
