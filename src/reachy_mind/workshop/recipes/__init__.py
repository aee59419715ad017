"""Parameterised tools for common requests, without a language model."""
