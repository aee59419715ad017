"""What thinks for the robot. A brain never touches the robot: it is given a turn, and has the toolbox to act with."""
