"""`/v1/realtime`: the mind's spoken conversation for clients of OpenAI's Realtime protocol."""
