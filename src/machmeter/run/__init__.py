"""Plan, interleave, stop, resume."""
