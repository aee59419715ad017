"""The virtual Reachy Mini: a MuJoCo world, its camera, and a daemon that serves it on the robot's own protocol."""
