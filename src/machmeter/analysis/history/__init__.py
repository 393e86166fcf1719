"""Levels of a result over many runs, and where they change."""
