"""Results over all runs of a machine."""
