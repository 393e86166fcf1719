"""The rounds of a run: launch, judge, stop, resume."""
