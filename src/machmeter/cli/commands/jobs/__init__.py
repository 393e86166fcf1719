"""Commands of runs that are jobs of a batch system."""
