"""Home Assistant: the robot's voice as Wyoming services and satellite, and the robot as a device by MQTT discovery."""
