"""OpenAI's own client of a mind without a robot."""

from tests.server.openai_client import client, place, shared

__all__ = ["client", "place", "shared"]
