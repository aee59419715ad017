"""Camera, loudspeaker and microphone."""
