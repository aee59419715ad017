"""The brain `claude`: by the Claude Agent SDK, or by the Messages API where the SDK's program can't run."""
