"""Ears and mouth: speech to text (`transcription`), text to speech (`voices`), and which of them is used (`choice`)."""

from __future__ import annotations

import os

os.environ.setdefault("LOGURU_AUTOINIT", "False")  # pipecat's log goes to ours (`journal`), not to the terminal
