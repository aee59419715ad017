"""The OpenAI API under `/v1`, for programs that speak it: chat, speech, transcription, embeddings, Realtime."""
