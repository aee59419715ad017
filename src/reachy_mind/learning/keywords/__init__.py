"""Training the keyword network of `speech.keyword_network`: synthetic speech, rooms, noise, the echo of the robot's own
voice; the network in torch and its export.

    reachy-mind learn keywords --kokoro FOLDER        extra `learning`; an hour or more

`phrases` has the texts, `voices` and `kokoro_speakers` say them (`preparation`), `scenes` puts them into rooms and
through the echo canceller, `windows` are what the encoder makes of that, `training` trains. docs/keywords.md
"""
