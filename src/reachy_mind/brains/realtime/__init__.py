"""Speech to speech: a server that hears and speaks itself, by OpenAI's Realtime protocol (GA)."""
