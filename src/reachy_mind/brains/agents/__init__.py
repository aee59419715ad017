"""A team of agents on any OpenAI-compatible model: docs/brains.md. Imported only when it is chosen."""
