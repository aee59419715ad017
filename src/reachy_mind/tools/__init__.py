"""The toolbox: everything the robot can do, behind one gate."""
