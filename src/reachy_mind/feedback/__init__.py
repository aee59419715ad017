"""What people say about what the robot did: read as reward and correction, kept as learned parameters and choices."""
