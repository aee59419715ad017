"""What the robot sees: pictures, faces, things, text; where they are, and what is said of them."""
