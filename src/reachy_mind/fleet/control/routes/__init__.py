"""The REST API of the control plane, one module per resource. Each has `router(plane)`."""
