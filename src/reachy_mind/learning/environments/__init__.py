"""Environments to practise in: tasks (what is to be done), bodies (how the robot moves), stepped in batches."""
