"""Games that the robot plays without a language model; `games.store` keeps the open ones by conversation."""
