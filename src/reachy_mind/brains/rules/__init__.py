"""Rules from words to tools, by what they are about. Each takes a clause and says what to do, or None."""
