"""Demonstrations: the robot shows what it can do, explains it itself, and tells what was measured meanwhile."""
