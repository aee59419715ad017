"""Voice sessions: a spoken conversation of a device's own, at its control plane or on the device itself.

session.py        what a device uses: `VoiceBackend`, `VoiceSession` and its events
hub_voice.py      the backend at the control plane; local_voice.py the one on this machine
worker.py         a process that hosts several conversations; pool.py: the workers of a node
"""
