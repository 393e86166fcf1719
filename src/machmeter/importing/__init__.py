"""Results of other tools, read as the figures of a machine."""
