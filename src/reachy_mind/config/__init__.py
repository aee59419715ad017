"""Configuration: the settings tree, the source of each value, the owner's changes, and the checks of `doctor`."""
