"""Benchmarks of memory: access, pairs of places, load, allocation."""
