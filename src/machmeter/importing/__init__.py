"""Results of other tools, read as the results of a machine."""
