"""Long-term memory: conversations, facts, people, search, summaries, erasure."""
