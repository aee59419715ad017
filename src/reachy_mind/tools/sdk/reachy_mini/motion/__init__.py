"""Moves: a class of your own (`move`), and those that the robot knows (`recorded_move`)."""
