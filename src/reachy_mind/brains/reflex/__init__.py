"""The trained reader: from a sentence to the steps and the talk in it, by a small network of our own."""
