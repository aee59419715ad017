"""The control plane's store: SQLite on one node, PostgreSQL with many. The SQL is the same for both."""
