"""The mind's own server: REST for other commands and programs on this machine."""
