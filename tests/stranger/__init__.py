"""A newcomer's path, step by step, on a machine of their own: `script/stranger` walks it and writes the report."""
