"""What the mind remembers."""
