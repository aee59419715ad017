"""`/v1/realtime`: a spoken conversation for clients of OpenAI's Realtime protocol, in front of the mind's own pipeline."""
