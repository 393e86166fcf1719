"""A/B runs: baseline and candidate in one run."""
