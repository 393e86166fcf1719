"""Named lists of experiments, declared as data."""
