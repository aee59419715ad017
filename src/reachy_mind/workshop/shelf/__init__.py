"""The shelf: every version of every tool that was made here or imported, who approved it, and which one is in use."""
