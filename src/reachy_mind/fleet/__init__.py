"""The fleet: companions and robots steered from one place, working offline and catching up after.

`protocol` is what devices and the control plane say to each other, `control` the control plane (a process, an app and a
store of its own), `device` the device's side: what it keeps on disk, and its connection.
"""
