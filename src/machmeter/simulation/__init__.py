"""Twins: models of machines as data, read, changed, and seen as machines to plan for."""
