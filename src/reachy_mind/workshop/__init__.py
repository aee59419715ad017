"""The workshop: code that the robot's author did not write runs here, isolated and within budgets."""
