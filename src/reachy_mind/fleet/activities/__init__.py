"""Activities in time together: a story, music, exercise or dance on several devices at once. The devices' side.

`payloads.py` has what is said, `clock_estimate.py` the hub's clock, `timeline.py` what sounds when,
`device_activities.py` carries it out. The hub's side is `fleet/control/activities.py`.
"""
