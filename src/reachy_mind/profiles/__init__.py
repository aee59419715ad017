"""Personalities: what they are, how they are read from folders, who trusts their code, and the set we ship."""
