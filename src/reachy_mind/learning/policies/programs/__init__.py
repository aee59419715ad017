"""What a published skill runs in the sandbox. `source_bundle` copies these functions, and what they use, into its file.

They may use numpy, the standard library and functions of the environments, and get the robot and the eyes as arguments.
"""
