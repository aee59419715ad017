"""Training the keyword network of `speech.keyword_network`: synthetic speech, rooms, noise, the echo of the robot's own
voice; the network in torch and its export.

    reachy-mind learn keywords --speech FOLDER        extra `learning`

`phrases` has the texts, `kokoro_speakers` and `voices` say them, `scenes` puts them into rooms and through the echo
canceller, `training` trains, `evaluation` counts misses and false alarms.
"""
