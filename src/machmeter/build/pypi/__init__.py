"""Wheels of PyPI: which they are, to the byte, and how they are installed."""
