"""The device agent: what `reachy-mind device run` is, on a Raspberry Pi with buttons, or on any Linux machine.

`agent` composes the others. `pins`, `buttons` and `gestures` are the buttons, `light_states`, `light` and its drivers
the status light: one state machine paints. `mixer`, `sound` and the cards are the one loudspeaker; `chimes`,
`announcements` what the device says by itself. `emergency` is the red button, `conversation` the green one.
`twin_applier`, `commands` and `vitals` are its side of the fleet; `control_socket` is how other programs here ask and
press.

Everything runs without hardware: with mock pins, a light that only remembers, and a sound card that only keeps time.
"""
