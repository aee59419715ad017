"""The mind's HTTP server: REST and WebSocket routes, one module per resource, metrics, and the page in `web/`."""
