"""Ears and mouth: speech to text (`transcription`), text to speech (`voices`), and which of them is used (`choice`)."""
