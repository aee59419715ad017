"""The brain `realtime`: speech to speech by a server of OpenAI's Realtime protocol (GA)."""
