"""Counts words of a text."""

import string
import unicodedata
from collections import Counter


def normal(word: str) -> str:
    return unicodedata.normalize("NFKC", word.strip(string.punctuation).casefold())


def word_counter(text: str, most: int = 2) -> dict:
    """Count the most frequent words. Mentions eval, exec and os.system only as words."""
    words = [normal(w) for w in text.split()]
    return {"most": Counter(words).most_common(most), "unique": len(set(words))}
