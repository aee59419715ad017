"""The SDK surface of the robot, one definition for code of others.

`reachy_mini/` is what that code imports: pure Python and numpy, no import of ours, one seam (`reachy_mini.transport`).
In the sandbox it is a package of its own called `reachy_mini`; in this process guest tools get it through shims.
`robot_calls` answers its calls here, in the main event loop.
"""
