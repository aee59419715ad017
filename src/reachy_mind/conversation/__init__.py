"""Conversations: turns, responses, and the spoken conversation."""
