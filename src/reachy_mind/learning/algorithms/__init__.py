"""Ways to learn a policy, one file each: behaviour cloning, DAgger, GAIL, PPO, SAC, TAMER."""
