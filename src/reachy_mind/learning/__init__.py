"""How the mind learns: from sentences, from what people say about what it did, from demonstrations."""
