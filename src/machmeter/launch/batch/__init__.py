"""Jobs of a batch system: their scripts, and what the system says of them."""
