"""Claude thinks: by the Claude Agent SDK, or by the plain Messages API where that can't run."""
