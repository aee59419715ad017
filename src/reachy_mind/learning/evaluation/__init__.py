"""How good a policy is: held-out scenes, statistics over seeds, reports."""
