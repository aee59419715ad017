"""The tools of the groups `developer` and `github`, one module for each kind."""
