"""Runs as jobs of a batch system: submit one, measure inside it, follow it from a login node."""
