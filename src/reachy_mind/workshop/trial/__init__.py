"""A trial: the real toolbox and motion engine on a simulated world, in one process, on virtual time."""
