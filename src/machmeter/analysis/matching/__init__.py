"""Which results of two machines can be compared, and how they compare."""
