"""Looking at a thing, learned from a simulated person's words: scenes, worlds, the person, learners, the experiment."""
