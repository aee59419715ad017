"""Access control of the server: tokens, scopes, TLS, origins, and limits on rate, size, time and connections."""
