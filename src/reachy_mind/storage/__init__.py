"""Storage: the data folder, the SQLite database with its migrations, atomic file writes, the owner lock."""
