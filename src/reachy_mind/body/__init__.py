"""The robot's interface: poses, limits, kinematics, the wire protocol, the connection and its media devices."""
