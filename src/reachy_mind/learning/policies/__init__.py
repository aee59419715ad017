"""Policies: what was learned, in numpy, so that using a skill needs no PyTorch; and what they fall back to."""
