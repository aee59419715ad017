"""The robot as we see it: poses, limits, kinematics, the wire protocol and the connection."""
