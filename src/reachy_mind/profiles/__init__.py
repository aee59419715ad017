"""Profiles (personalities): the format, loading and editing of folders, trust in their code, and the shipped set."""
