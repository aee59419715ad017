"""The device's side of the fleet: what it keeps on disk, and its connection to the control plane ("hub").

`store` is an SQLite file. `outbox` has events that wait for the hub, `inbox` commands from it, `twin` the state that
the device should have. `session` is the device's half of cp1 without input or output, `transports` carries its frames
by WebSocket or HTTP, `connection` runs one session over one of them, and `link` keeps a connection open. `enrolment` is
how a device gets its token. `simulated` is thousands of devices in one process, to put load on a hub.
"""
