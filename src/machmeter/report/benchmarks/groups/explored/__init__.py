"""Programs that are not ours: how their layouts stand, and where the time of each went."""
