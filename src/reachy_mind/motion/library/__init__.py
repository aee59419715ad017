"""Built-in moves: emotions, dances and gestures, written as data and varied by a random seed."""
