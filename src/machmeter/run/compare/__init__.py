"""Runs as machines that are compared, and what published machines answer."""
