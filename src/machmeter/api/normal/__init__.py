"""Whether the results of a machine are normal."""
