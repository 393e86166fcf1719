"""Whether a launch ran as it was requested to."""
