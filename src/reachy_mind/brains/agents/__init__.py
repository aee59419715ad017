"""The brain `agents`: a team of agents on any OpenAI-compatible model (docs/brains.md). Imported when selected."""
