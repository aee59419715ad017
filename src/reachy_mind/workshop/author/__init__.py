"""Writes tools: recipes first, else a language model."""
