"""The workshop: runs code that a model or a stranger wrote, in a sandbox, for the robot's owner."""
