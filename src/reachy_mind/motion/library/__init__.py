"""The robot's body language: emotions, dances and gestures of our own, composed as data and never twice the same."""
