"""Plain conversation with a small language model: the one on this machine, or one of a server without tool calls."""
