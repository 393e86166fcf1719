"""Frozen data: what the rooms of machmeter hand to one another."""
